"""Cached judgements change no answer, for any order of arriving facts, and are not computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.contract.support import Loaded, load_all
from unstuck.diagnosis.cause import AskableCause
from unstuck.diagnosis.verdict import Match
from unstuck.engine import list_causes
from unstuck.engine.diagnose import ask
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.aspects.limits import Limits
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.lookup import Facts
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import gate_any

CASES = load_all()


@given(st.sampled_from(CASES), st.randoms(use_true_random=False))
def test_a_judgement_that_is_kept_is_the_one_of_all_facts(loaded: Loaded, random: object) -> None:
    facts = sorted(loaded.snapshot.facts, key=repr)
    at = [random.randrange(4) for _ in facts]
    grown, evaluator = Snapshot([], loaded.snapshot.now), Evaluator()
    for part in range(4):
        grown = grown.plus(f for f, when in zip(facts, at, strict=True) if when == part)
        made = Snapshot(grown.facts, grown.now)
        kept, new = _answer(loaded, grown, evaluator), _answer(loaded, made, Evaluator())
        assert kept == new


@given(st.sampled_from(CASES), st.randoms(use_true_random=False))
def test_all_causes_that_are_recalled_together_are_those_of_all_facts(loaded: Loaded, random: object) -> None:
    facts = sorted(loaded.snapshot.facts, key=repr)
    at = [random.randrange(3) for _ in facts]
    grown, evaluator = Snapshot([], loaded.snapshot.now), Evaluator()
    for part in range(3):
        grown = grown.plus(f for f, when in zip(facts, at, strict=True) if when == part)
        recalled = [_ask(loaded, grown, evaluator) for _ in range(2)]
        assert recalled == [_ask(loaded, Snapshot(grown.facts, grown.now), Evaluator())] * 2


def _ask(loaded: Loaded, snap: Snapshot, evaluator: Evaluator) -> tuple[object, ...]:
    asked = ask(loaded.case.subject, snap, list_causes(), evaluator=evaluator)
    judged = [(e.id, e.gate, e.out, e.verdict) for e in asked.explained]
    return (asked.subject, asked.stages, asked.state, asked.named, [a.subject for a in asked.below], judged)


def test_where_nothing_is_added_no_cause_is_judged_again() -> None:
    loaded = next(c for c in CASES if c.cause.id == "config.configmap-missing" and c.case.expect == "proven")
    snap, evaluator = Snapshot(loaded.snapshot.facts, loaded.snapshot.now), Evaluator()
    first = ask(loaded.case.subject, snap, list_causes(), evaluator=evaluator)
    other: Fact = Names(
        about=Ref("StorageClassList"), src=Source("/apis/storage.k8s.io/v1/storageclasses"), names=("fast",)
    )
    again = ask(loaded.case.subject, snap.plus([other]), list_causes(), evaluator=evaluator)
    assert len(first.explained) > 1
    assert all(a is b for a, b in zip(first.explained, again.explained, strict=True))
    assert snap.plus(snap.facts) is snap


def test_what_a_finding_alone_looks_up_is_noticed_when_it_is_added() -> None:
    loaded = next(
        c
        for c in CASES
        if c.cause.id == "scheduling.insufficient-memory" and "default of a LimitRange" in c.case.title
    )
    late = [f for f in loaded.snapshot.facts if isinstance(f, Limits)]
    snap = Snapshot([f for f in loaded.snapshot.facts if f not in late], loaded.snapshot.now)
    evaluator, causes = Evaluator(), list_causes()
    _says(loaded, snap, causes, evaluator)
    assert "LimitRange usual" in _says(loaded, snap.plus(late), causes, evaluator)


def _says(loaded: Loaded, snap: Snapshot, causes: Sequence[AskableCause], evaluator: Evaluator) -> str:
    asked = ask(loaded.case.subject, snap, causes, evaluator=evaluator)
    verdict = next(e.verdict for e in asked.explained if e.id == loaded.cause.id)
    assert isinstance(verdict, Match)
    return verdict.finding.says.en


def _answer(loaded: Loaded, snap: Snapshot, evaluator: Evaluator) -> tuple[object, ...]:
    subject = snap.canon(loaded.case.subject)
    stages, state = evaluator.line_of(subject, snap, None)
    explained = evaluator.judge(
        loaded.cause, subject, gate_any(subject, loaded.cause.stages, stages, snap), snap
    )
    return (subject, stages, state, explained.out, explained.verdict)


def test_nothing_is_judged_again_for_a_fact_that_it_does_not_look_at() -> None:
    loaded = next(c for c in CASES if c.cause.id == "config.configmap-missing" and c.case.expect == "proven")
    calls: list[Ref] = []

    def rule(subject: Ref, snap: Facts) -> object:
        calls.append(subject)
        return loaded.cause.rule(subject, snap)

    watched = Loaded(replace(loaded.cause, rule=rule), loaded.case)
    snap, evaluator = Snapshot(loaded.snapshot.facts, loaded.snapshot.now), Evaluator()
    before = _answer(watched, snap, evaluator)
    other: Fact = Names(
        about=Ref("StorageClassList"), src=Source("/apis/storage.k8s.io/v1/storageclasses"), names=("fast",)
    )
    assert _answer(watched, snap.plus([other]), evaluator) == before
    assert len(calls) == 1
    verdict = before[-1]
    assert isinstance(verdict, Match)
    _answer(watched, snap.plus([replace(verdict.evidence[0].fact, src=Source("seen again"))]), evaluator)
    assert len(calls) == 2
