"""Unanswered questions are explained in Chinese if the words are this tool's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import unstuck.collect
from unstuck.collect.kube.transport.client_errors import LATE
from unstuck.render.details import _OWN, translate_detail


@pytest.mark.parametrize(
    ("said", "zh"),
    [
        (LATE.en, LATE.zh),
        ("no answer within 2.5 s", "2.5 秒内没有应答"),
        ("only the first 2000 were looked at", "只查看了前 2000 个"),
        ("not looked at, after 80 types", "未查看：类型超过 80 种"),
    ],
)
def test_own_words_are_in_chinese(said: str, zh: str) -> None:
    assert (translate_detail(said, "zh"), translate_detail(said, "en")) == (zh, said)


def test_a_servers_words_stay() -> None:
    said = 'pods is forbidden: User "x" cannot list resource "pods"'
    assert translate_detail(said, "zh") == said


@pytest.mark.parametrize("pattern", [p.pattern for p, _ in _OWN])
def test_these_are_the_words_that_the_readers_use(pattern: str) -> None:
    longest = max(re.split(r"\(.*?\)", pattern), key=len)
    sources = Path(str(unstuck.collect.__path__[0])).rglob("*.py")
    assert any(longest in f.read_text() for f in sources)
