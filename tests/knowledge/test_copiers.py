"""Patterns of Namespaces in a copier's annotation: foreign text, which must neither hang nor raise."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.causes._copies import find_copier
from unstuck.diagnosis.text import NO_TEXT
from unstuck.facts.aspects.references import Mark, Namesakes
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

_KEY = "reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces"
_LONG = "a" * 63


def _is_excluded(pattern: str, space: str) -> bool:
    missing, origin = Ref("Secret", space, "tls"), Ref("Secret", "vault", "tls")
    told = Namesakes(about=missing, src=Source("x"), marks=(Mark(origin, _KEY, pattern),))
    found = find_copier(missing, Snapshot([told], datetime(2026, 11, 21, tzinfo=UTC)), NO_TEXT)
    return "none of them" in found.says.en


@pytest.mark.parametrize(
    ("pattern", "space"),
    [("team-.*", "web"), ("(dev|qa|live)-.*", "web"), ("a,b", "web"), ("team-[0-9]+", "team-a")],
)
def test_a_list_without_the_namespace_excludes_it(pattern: str, space: str) -> None:
    assert _is_excluded(pattern, space)


@pytest.mark.parametrize(
    ("pattern", "space"),
    [("team-.*", "team-a"), ("(dev|qa|live)-.*", "qa-1"), ("*", "web"), ("a, web", "web")],
)
def test_a_list_with_the_namespace_does_not(pattern: str, space: str) -> None:
    assert not _is_excluded(pattern, space)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a|a|a)*b",
        "(a*)(a*)(a*)(a*)b",
        "a*" * 20 + "b",
        "x{4294967295}",
        "[[a]",
        "(" * 400,
        "(",
        "[a",
    ],
)
def test_a_pattern_that_could_hang_or_raise_decides_nothing(pattern: str) -> None:
    assert not _is_excluded(pattern, _LONG)
