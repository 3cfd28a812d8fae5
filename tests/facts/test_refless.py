"""Facts excluded from the search for Refs contain only their subject."""

from __future__ import annotations

import typing
from dataclasses import fields, is_dataclass

import pytest

from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Fact, Ref

REFLESS = [kind for kind in find_fact_types().values() if kind.refless]


def mentions(hint: object, seen: set[object]) -> bool:
    if hint is Ref:
        return True
    if hint in seen:
        return False
    seen.add(hint)
    inside = [*typing.get_args(hint)]
    if is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        inside += [hints[f.name] for f in fields(hint)]
    return any(mentions(i, seen) for i in inside)


@pytest.mark.parametrize("kind", REFLESS)
def test_no_field_but_about_holds_a_ref(kind: type[Fact]) -> None:
    hints = typing.get_type_hints(kind)
    assert not [f.name for f in fields(kind) if f.name != "about" and mentions(hints[f.name], set())]


def test_the_objects_of_a_cluster_are_one() -> None:
    assert "PlacingInputs" in {kind.__name__ for kind in REFLESS}
