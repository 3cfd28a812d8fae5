"""Words a state, and defines the time after which it counts as stuck."""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.diagnosis.answer import State, StateName
from unstuck.diagnosis.text import Messages, Text, called
from unstuck.facts.core import Fact, Ref

say = Messages(__name__)
_DEFAULT_AFTER = {
    "deleting": 30.0,
    "namespace": 60.0,
    "unscheduled": 30.0,
    "creating": 120.0,
    "not-ready": 60.0,
    "claim": 60.0,
    "workload": 120.0,
    # A controller that watches an object writes its first status within seconds.
    "unwritten": 60.0,
    # An object that is still in progress after this long, for no known reason, is not known to be well.
    "unfinished": 60.0,
}


def choose_threshold(kind: str, after: float | None) -> timedelta:
    """Return how long it may last. after: `--after`, seconds that replace every threshold."""
    return timedelta(seconds=_DEFAULT_AFTER[kind] if after is None else after)


def add_headline(
    ref: Ref,
    name: StateName,
    says: Text,
    since: datetime | None = None,
    evidence: tuple[Fact, ...] = (),
    *,
    word: str = "",
) -> State:
    """Return the state with its headline: `Pod shop/web-0 — Terminating for 77 s`. says: the text after the
    dash.
    """
    who = called(ref)
    return State(name, say("{who} — {says}", who=who, says=says), since, evidence, says, word)
