"""What a scan asks about one subject."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.api.scanning import questions
from unstuck.diagnosis.answer import State, StateName
from unstuck.engine.diagnose import Asked
from unstuck.facts.aspects.objects import Below
from unstuck.facts.core import Ref, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text

SNAP = Snapshot((), datetime(2026, 11, 21, tzinfo=UTC))


@pytest.mark.parametrize(
    ("kind", "state", "all_below"), [("Node", "stuck", False), ("Node", "unknown", True), ("Deployment", "stuck", True)]
)
def test_all_pods_are_not_asked_for_of_a_node_that_is_known_to_be_stuck(kind: str, state: StateName, all_below: bool) -> None:
    subject = Ref(kind, None if kind == "Node" else "shop", "x")
    asked = Asked(subject, State(state, Text("x", "x")), (), ())
    assert questions(asked, SNAP) == ([Want(Below, subject)] if all_below else [])
