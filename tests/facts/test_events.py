"""Facts from Events cite their list."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.facts.aspects.objects import Event, Events, Failure, Phase
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.derive.events import is_from_events
from unstuck.facts.snapshot import Snapshot

POD = Ref("Pod", "f", "web")
# The list may have any name: a saved list of another tool does not end in `/events`.
LIST = Source("events.yaml:3", "Failed: x")
EVENTS = Events(
    about=POD, src=Source("events.yaml:3", "no events"), items=(Event("Failed", "x", warning=True),)
)


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        (EVENTS, True),
        (Failure(about=POD, src=LIST, operation="image-pull", error="other", whole=False), True),
        (
            Failure(
                about=POD,
                src=Source("/api/v1/namespaces/f/pods/web"),
                operation="image-pull",
                error="other",
                whole=False,
            ),
            False,
        ),
        (
            Failure(
                about=Ref("Pod", "f", "other"), src=LIST, operation="image-pull", error="other", whole=False
            ),
            False,
        ),
        (Phase(about=POD, src=Source("/api/v1/namespaces/f/pods/web"), phase="Pending"), False),
    ],
)
def test_told_by_events(fact: Fact, told: bool) -> None:
    assert is_from_events(fact, Snapshot([EVENTS, fact], datetime(2026, 11, 22, tzinfo=UTC))) is told
