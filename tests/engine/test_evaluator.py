"""What is kept of earlier judgements changes no answer, in whatever order the facts arrive; and what is kept is not worked out again."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.contract.support import Loaded, load_all
from unstuck.diagnosis.verdict import Match
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.lookup import Facts
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import gate_any

CASES = load_all()


@given(st.sampled_from(CASES), st.randoms(use_true_random=False))
def test_a_judgement_that_is_kept_is_the_one_of_all_facts(loaded: Loaded, random: object) -> None:
    facts = sorted(loaded.snapshot.facts, key=repr)
    at = [random.randrange(4) for _ in facts]  # type: ignore[attr-defined]
    grown, evaluator = Snapshot([], loaded.snapshot.now), Evaluator()
    for part in range(4):
        grown = grown.plus(f for f, when in zip(facts, at, strict=True) if when == part)
        made = Snapshot(grown.facts, grown.now)
        kept, new = _answer(loaded, grown, evaluator), _answer(loaded, made, Evaluator())
        assert kept == new


def _answer(loaded: Loaded, snap: Snapshot, evaluator: Evaluator) -> tuple[object, ...]:
    subject = snap.canon(loaded.case.subject)
    stages, state = evaluator.line_of(subject, snap, None)
    explained = evaluator.judge(loaded.cause, subject, gate_any(subject, loaded.cause.stages, stages, snap), snap)
    return (subject, stages, state, explained.out, explained.verdict)


def test_nothing_is_judged_again_for_a_fact_that_it_does_not_look_at() -> None:
    loaded = next(c for c in CASES if c.cause.id == "config.configmap-missing" and c.case.expect == "proven")
    calls: list[Ref] = []

    def rule(subject: Ref, snap: Facts) -> object:
        calls.append(subject)
        return loaded.cause.rule(subject, snap)

    watched = Loaded(replace(loaded.cause, rule=rule), loaded.case)  # type: ignore[arg-type]
    snap, evaluator = Snapshot(loaded.snapshot.facts, loaded.snapshot.now), Evaluator()
    before = _answer(watched, snap, evaluator)
    other: Fact = Names(about=Ref("StorageClassList"), src=Source("/apis/storage.k8s.io/v1/storageclasses"), names=("fast",))
    assert _answer(watched, snap.plus([other]), evaluator) == before
    assert len(calls) == 1
    verdict = before[-1]
    assert isinstance(verdict, Match)
    _answer(watched, snap.plus([replace(verdict.evidence[0].fact, src=Source("seen again"))]), evaluator)
    assert len(calls) == 2
