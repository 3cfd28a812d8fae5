"""An object known to be missing is no trouble by itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.api.ranking import find_unwell
from unstuck.facts.aspects.objects import Phase, Presence
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 1, tzinfo=UTC)
VOLUME = Ref("PersistentVolume", None, "pv-1")
SRC = Source("api", "pv-1")


def unwell(*facts: Fact) -> tuple[Ref, ...]:
    return find_unwell(Snapshot(facts, NOW, ("live:lab",)))


def there(exists: bool) -> Presence:
    return Presence(about=VOLUME, src=SRC, exists=exists)


@pytest.mark.parametrize(
    ("facts", "found"), [((there(False),), ()), ((there(True), there(False)), (VOLUME,))]
)
def test_an_object_that_is_not_there_is_not_unwell(facts: tuple[Fact, ...], found: tuple[Ref, ...]) -> None:
    failed = Phase(about=VOLUME, src=SRC, phase="Failed", whole=False)
    assert unwell(failed, *facts) == found
    assert unwell(failed) == (VOLUME,)
