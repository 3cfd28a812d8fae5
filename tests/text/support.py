"""What the tests of the text readers share."""

from __future__ import annotations

from datetime import UTC, datetime
from textwrap import dedent

from unstuck.collect.text import ReadResult, read_text
from unstuck.facts.core import F, Fact
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 0, 10, tzinfo=UTC)
UID = "9e964fdf-0000-4000-8000-000000000001"


def read(text: str, name: str = "paste.txt") -> ReadResult:
    return read_text(dedent(text), name, NOW)


def facts(text: str) -> list[Fact]:
    return read(text).facts


def only(found: list[Fact], kind: type[F]) -> list[F]:
    return [f for f in found if isinstance(f, kind)]


def snap(text: str) -> Snapshot:
    return Snapshot(facts(text), NOW)
