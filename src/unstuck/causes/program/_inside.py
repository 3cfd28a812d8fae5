"""A program that connects to its own Pod: another container of it, or nothing, should listen there."""

from __future__ import annotations

from unstuck.causes._neighbour_log import read_neighbour
from unstuck.causes.program._plain import NEXT_RUN, mend
from unstuck.causes.program._told import ProgramMessage, make_finding, write_port
from unstuck.diagnosis.remedy import Half, choose
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def make_inside_finding(pod: Ref, one: ProgramMessage, means: Text, snap: Facts) -> Finding:
    """Return the finding for a Pod that connects to itself, with what its other containers report."""
    inside = say("; that is the Pod itself: another container of it, or nothing, should listen there")
    told = read_neighbour(
        pod,
        snap,
        NEXT_RUN,
        write_port(one.complaint),
        lambda line: line.container != one.run.name and line.kind != "init",
    )
    others = _has_others(pod, one, snap)
    return make_finding(
        pod,
        one,
        means + inside + told.says,
        told.help or (mend(_correct_inside(others)),),
        enrich=told.wants if others else (),
        culprit=told.culprit if told.about else None,
        seen=told.seen,
    )


def _has_others(pod: Ref, one: ProgramMessage, snap: Facts) -> bool | None:
    """Tell whether another container could listen; None if the containers are not known."""
    specs = [f for f in snap.of(Containers, pod) if f.whole]
    others = any(c.name != one.run.name and c.kind != "init" for f in specs for c in f.items)
    return others if specs else None


def _correct_inside(others: bool | None) -> Text:
    """Return the fix for a Pod that connects to itself: only a second container could listen for it."""
    return choose(
        Half(others, say("start the container that listens there before it")),
        Half(True, say("connect to the server's own name instead, as localhost is this Pod alone")),
    )
