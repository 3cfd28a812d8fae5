"""Removing observations never makes a cause proven; order and repetition of facts change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.support import Loaded, load_all
from tests.examples import scale_examples
from unstuck.diagnosis.answer import Answer
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.verdict import Match, Verdict, judge
from unstuck.engine import diagnose, discover
from unstuck.engine.evaluator import is_asked_about
from unstuck.engine.reads import LookupLog, Reads
from unstuck.facts.aspects.objects import Conditions, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact, Ref, Same
from unstuck.facts.snapshot import Snapshot
from unstuck.render.json import write_json
from unstuck.stages.lines import gate_any, list_stages

CASES = load_all()
NAMES = [c.name for c in CASES]


def _verdicts(loaded: Loaded, snap: Snapshot, causes: tuple[Cause, ...]) -> Mapping[str, Verdict]:
    subject = snap.canon(loaded.case.subject)
    reads = Reads(snap, LookupLog(snap))
    line = list_stages(subject, reads)
    return {
        c.id: judge(c.rule(subject, reads), gate_any(subject, c.stages, line, snap))
        for c in causes
        if is_asked_about(c, subject)
    }


def _confidence(verdict: Verdict) -> str:
    return verdict.confidence if isinstance(verdict, Match) else ""


# Facts from messages only, which cannot be requested again, so no Want names them.
HEARSAY = {"Failure", "Unschedulable"}
MESSAGES = {*HEARSAY, "Events"}
# Facts about the subject's current progress.
STATUS = (Phase, Conditions, ContainerStatuses)


def _check(before: Mapping[str, Verdict], after: Mapping[str, Verdict], gone: frozenset[Fact]) -> None:
    types = {type(f).__name__ for f in gone}
    for id_, verdict in after.items():
        was, now = _confidence(before[id_]), _confidence(verdict)
        assert not (now == "proven" and was != "proven"), f"{id_} became proven without {sorted(types)}"
        if now == "likely" and was != "likely" and isinstance(verdict, Match):
            asked = {w.fact.__name__ for w in verdict.wants}
            assert asked & types or types & HEARSAY, (
                f"{id_} became likely without {sorted(types)}, and wants only {sorted(asked)}"
            )


def _units(loaded: Loaded) -> list[frozenset[Fact]]:
    """Return the removable units: each fact, but the messages about one object in one document only together,
    as one list.

    The identity of two names is a conclusion of the reader, not an observation.
    """
    alone = [
        frozenset({f})
        for f in loaded.snapshot.facts
        if not isinstance(f, Same) and type(f).__name__ not in MESSAGES
    ]
    lists: dict[tuple[Ref, str], set[Fact]] = {}
    for fact in loaded.snapshot.facts:
        if type(fact).__name__ in MESSAGES:
            lists.setdefault(
                (loaded.snapshot.canon(fact.about), fact.src.where.partition(":")[0]), set()
            ).add(fact)
    return sorted((*alone, *map(frozenset, lists.values())), key=lambda unit: sorted(map(repr, unit)))


def _without(loaded: Loaded, gone: frozenset[Fact]) -> Snapshot:
    return Snapshot(loaded.snapshot.facts - gone, loaded.snapshot.now, loaded.snapshot.sources)


@pytest.mark.slow  # as many judgements as there are facts in all cases; the next test draws some of them
@pytest.mark.parametrize("loaded", CASES, ids=NAMES)
def test_each_fact_alone(loaded: Loaded) -> None:
    causes = (loaded.cause,)
    before = _verdicts(loaded, loaded.snapshot, causes)
    for gone in _units(loaded):
        _check(before, _verdicts(loaded, _without(loaded, gone), causes), gone)


@pytest.mark.slow  # seven judgements a case
@pytest.mark.parametrize("loaded", CASES, ids=NAMES)
def test_messages_without_the_status_they_are_older_than(loaded: Loaded) -> None:
    causes = (loaded.cause,)
    before = _verdicts(loaded, loaded.snapshot, causes)
    for kinds in (c for n in range(1, len(STATUS) + 1) for c in combinations(STATUS, n)):
        gone = frozenset(f for f in loaded.snapshot.facts if isinstance(f, kinds))
        if gone:
            _check(before, _verdicts(loaded, _without(loaded, gone), causes), gone)


@settings(
    max_examples=scale_examples(300),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_any_subset_and_every_cause(data: st.DataObject) -> None:
    loaded = data.draw(st.sampled_from(CASES))
    units = _units(loaded)
    kept = data.draw(st.lists(st.booleans(), min_size=len(units), max_size=len(units)))
    gone = frozenset(f for unit, stays in zip(units, kept, strict=True) if not stays for f in unit)
    before = _verdicts(loaded, loaded.snapshot, discover())
    _check(before, _verdicts(loaded, _without(loaded, gone), discover()), gone)


def _answer(loaded: Loaded, snap: Snapshot) -> str:
    return write_json(Answer(snap.now, snap.sources, (diagnose(loaded.case.subject, snap, discover()),)))


@settings(
    max_examples=scale_examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_order_and_repetition(data: st.DataObject) -> None:
    loaded = data.draw(st.sampled_from(CASES))
    facts = data.draw(st.permutations(sorted(loaded.snapshot.facts, key=repr)))
    again = data.draw(st.lists(st.sampled_from(facts))) if facts else []
    shuffled = Snapshot([*facts, *again], loaded.snapshot.now, loaded.snapshot.sources)
    assert _answer(loaded, shuffled) == _answer(loaded, loaded.snapshot)
