"""An answer lists the examined parts of a node if none of its evidence comes from there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.diagnosis.answer import CauseMatch, Diagnosis, State
from unstuck.diagnosis.text import same_in_both
from unstuck.diagnosis.verdict import Evidence, Finding
from unstuck.engine.looked_at import READ, tell_looked_at
from unstuck.facts.aspects.host import PodProcesses
from unstuck.facts.aspects.node_files import ConfigMentions
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
POD, SRC = Ref("Pod", "f", "web", "u"), Source("x")
SEEN = Presence(about=POD, src=SRC, exists=True)
WORD = ConfigMentions(about=Ref("ConfigWord", "n1", "10.0.0.9"), src=SRC, items=())
PROCESSES = PodProcesses(about=POD, src=SRC, items=())


def diagnosis(*evidence: Evidence) -> Diagnosis:
    finding = Finding(same_in_both("it"), POD, (POD,))
    cause = CauseMatch("a.b", same_in_both("b"), "likely", finding, evidence)
    state = State("stuck", same_in_both("stuck"))
    return Diagnosis(POD, state, stages=(), causes=(cause,), undecided=(), ruled_out=())


def told(d: Diagnosis, *sources: str, facts: tuple[Fact, ...] = (SEEN, WORD, PROCESSES)) -> list[str]:
    found = tell_looked_at(d, Snapshot(facts, NOW, list(sources)))
    return [note.en for cause in found.causes for note in cause.finding.notes]


def test_a_look_that_decides_nothing_is_told_with_what_was_read() -> None:
    (note,) = told(diagnosis(Evidence("supporting", SEEN)), "live:c", "node:n1")
    assert "n1" in note and "10.0.0.9" in note and "processes" in note
    assert "mounts" not in note


def test_of_many_names_the_same_few_are_told_in_every_run() -> None:
    words = (
        ConfigMentions(about=Ref("ConfigWord", "n1", f"10.0.0.{n}"), src=SRC, items=()) for n in range(9)
    )
    (note,) = told(diagnosis(Evidence("supporting", SEEN)), "node:n1", facts=(SEEN, *words))
    assert "“10.0.0.0”, “10.0.0.1”, “10.0.0.2”, “10.0.0.3”;" in note


def test_a_look_that_read_nothing_claims_nothing() -> None:
    assert told(diagnosis(Evidence("supporting", SEEN)), "node:n1", facts=(SEEN,)) == []


def test_without_a_look_or_with_its_evidence_nothing_is_told() -> None:
    assert told(diagnosis(Evidence("supporting", SEEN)), "live:c") == []
    assert told(diagnosis(Evidence("supporting", WORD)), "live:c", "node:n1") == []
    well = replace(diagnosis(), state=State("fine", same_in_both("fine")))
    assert told(well, "node:n1") == []


def test_each_observable_is_told_by_its_words_or_its_name() -> None:
    by_name = {"File", "ConfigWord"}
    assert not {
        o.fact for o in NODE_OBSERVABLES if o.fact.__name__ not in READ and not by_name & set(o.readers)
    }
