"""The causes' declared needs are their actual ones: the engine checks them in place of the rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.support import Loaded, load_all
from tests.examples import FEW
from unstuck.diagnosis.verdict import find_against, judge, leave_open
from unstuck.engine import discover
from unstuck.engine.evaluator import is_asked_about
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Source
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import gate_any, list_stages

CASES = load_all()[:: 21 if FEW else 3]
NEEDY = tuple(c for c in discover() if c.needs)


def _see_less(loaded: Loaded) -> Iterator[Snapshot]:
    """Yield the case's facts; the facts without one type; all facts with none whole, and with each not whole;
    and with a whole empty list of the subject's Events.
    """
    full = loaded.snapshot
    yield full
    for kind in sorted({type(f) for f in full.facts}, key=lambda t: t.__name__):
        yield Snapshot([f for f in full.facts if type(f) is not kind], full.now, full.sources)
    for whole in (False, True):
        yield Snapshot([replace(f, whole=whole) for f in full.facts], full.now, full.sources)
    quiet = [f for f in full.facts if not isinstance(f, Failure | Events)]
    none = Events(about=loaded.subject, src=Source("events"), items=())
    yield Snapshot([*quiet, none], full.now, full.sources)


@pytest.mark.parametrize("loaded", CASES, ids=[c.name for c in CASES])
def test_a_rule_agrees_with_what_it_needs(loaded: Loaded) -> None:
    for snap in _see_less(loaded):
        subject = snap.canon(loaded.case.subject)
        stages = list_stages(subject, snap)
        for cause in NEEDY:
            assert cause.needs
            gate = gate_any(subject, cause.stages, stages, snap)
            if gate.value is False or not is_asked_about(cause, subject):
                continue
            need = cause.needs(subject, snap)
            if need.value is False:
                assert find_against(cause.rule(subject, snap), gate), cause.id
            elif need.value is None:
                assert judge(cause.rule(subject, snap), gate) == leave_open(need, gate), cause.id
