"""The engine's object for rules answers like a Snapshot, and has no further methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.support import Loaded, load_all
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.verdict import Signs
from unstuck.engine.evaluator import Evaluator
from unstuck.engine.reads import LookupLog, Reads
from unstuck.facts.core import Fact, Ref, Refused, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.snapshot import Snapshot

CASES = load_all()
SNAP = CASES[0].snapshot
PUBLIC = sorted(name for name in vars(Facts) if not name.startswith("_"))


def _public(value: object) -> list[str]:
    return sorted(name for name in dir(value) if not name.startswith("_"))


def test_reads_has_what_facts_promises_and_nothing_else() -> None:
    assert _public(Reads(SNAP, LookupLog(SNAP))) == PUBLIC
    assert set(PUBLIC) <= set(_public(SNAP))


@pytest.mark.parametrize("name", [n for n in PUBLIC if n != "now"])
def test_both_take_the_same_arguments(name: str) -> None:
    promised = inspect.signature(getattr(Facts, name))
    assert inspect.signature(getattr(Snapshot, name)) == inspect.signature(getattr(Reads, name)) == promised


def _asked(facts: Facts, snap: Snapshot) -> list[object]:
    """Return all answers of `Facts` about this Snapshot's content, and about missing facts."""
    kinds: list[type[Fact]] = sorted({type(f) for f in snap.facts} | {Refused}, key=lambda k: k.__name__)
    refs = sorted({f.about for f in snap.facts} | {Ref("Pod", "nowhere", "nobody")}, key=lambda r: r.key)
    told: list[object] = [
        facts.now,
        *(facts.canon(r) for r in refs),
        *(facts.sure(f) for f in sorted(snap.facts, key=repr)),
    ]
    told += [facts.every(kind) for kind in kinds] + [
        facts.subjects(kind) for kind in sorted({r.kind for r in refs})
    ]
    for kind in kinds:
        for ref in refs:
            told += [
                facts.of(kind, ref),
                facts.one(kind, ref),
                facts.refused(Want(kind, ref)),
                facts.answered(Want(kind, ref)),
            ]
    return told


@given(st.sampled_from(CASES))
def test_both_tell_the_same(loaded: Loaded) -> None:
    snap = loaded.snapshot
    reads = Reads(snap, LookupLog(snap))
    assert _asked(reads, snap) == _asked(snap, snap)
    assert _asked(reads, snap) == _asked(snap, snap), "looked up again"


CALLS: dict[str, Callable[[Any], object]] = {
    "now": lambda f: f.now,
    "of": lambda f: f.of(Refused, SNAP.canon(CASES[0].subject)),
    "every": lambda f: f.every(Refused),
    "one": lambda f: f.one(Refused, CASES[0].subject),
    "canon": lambda f: f.canon(CASES[0].subject),
    "sure": lambda f: [f.sure(x) for x in f.every(Refused)],
    "subjects": lambda f: f.subjects("Pod"),
    "refused": lambda f: f.refused(Want(Refused, CASES[0].subject)),
    "answered": lambda f: f.answered(Want(Refused, CASES[0].subject)),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_rule_that_calls_it_works_in_the_engine(name: str) -> None:
    assert _verdict(CALLS[name]).out is False


@pytest.mark.parametrize("name", sorted(set(_public(SNAP)) - set(PUBLIC)))
def test_a_rule_that_calls_anything_else_of_a_snapshot_is_refused(name: str) -> None:
    # The contract tests of a cause pass the same object to its rule: a refusal here is a failure there.
    with pytest.raises(AttributeError, match=name):
        _verdict(lambda facts: getattr(facts, name))


def _verdict(call: Callable[[Any], object]) -> Any:
    def rule(subject: Ref, facts: Facts) -> Signs:
        call(facts)
        return Signs(finding=lambda: pytest.fail("nothing proves it"), decisive={"called": Sign(None)})

    class Cause:
        id, title, subjects, stages, needs = "x.y", None, ("*",), (), None

    Cause.rule = staticmethod(rule)
    return Evaluator().judge(Cause(), CASES[0].subject, Sign(True), SNAP)  # a stand-in for one


def test_a_judgement_is_made_where_it_is_asked_for() -> None:
    # An unformatted answer has read its facts, too: a rule's exception comes from `judged`.
    with pytest.raises(ZeroDivisionError):
        _verdict(lambda _: 1 // 0)
