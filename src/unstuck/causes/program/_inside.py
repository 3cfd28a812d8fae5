"""A program that connects to its own Pod: another container of it, or nothing, should listen there."""

from __future__ import annotations

from unstuck.causes._given import is_local
from unstuck.causes._neighbour_log import read_neighbour
from unstuck.causes._variables import find_settings, find_variable_place
from unstuck.causes.program._plain import NEXT_RUN, mend
from unstuck.causes.program._told import ProgramMessage, make_finding, write_port
from unstuck.diagnosis.remedy import Half, choose
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts
from unstuck.diagnosis.verdict import Finding
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SHOWN = 2


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
    unused = NO_TEXT if others or told.help else _find_unused(pod, one, snap)
    if unused.en:
        says = say("; {where} has an address with this port, which it did not use", where=unused)
        step = mend(
            say(
                "set that address in the variable or option that the program reads: it does not read "
                "{where}, and 127.0.0.1 is probably its default",
                where=unused,
            )
        )
        return make_finding(pod, one, means + inside + says, (step,), enrich=told.wants)
    return make_finding(
        pod,
        one,
        means + inside + told.says,
        told.help or (mend(_correct_inside(others)),),
        enrich=told.wants if others else (),
        culprit=told.culprit if told.about else None,
        seen=told.seen,
    )


def _find_unused(pod: Ref, one: ProgramMessage, snap: Facts) -> Text:
    """Return the variables that have another host with the port of the refused connection; empty without
    any.
    """
    container, port = one.run.name or None, one.complaint.port
    held = find_settings(pod, container, snap)
    named = {
        *(
            a.key
            for a in (held.addresses if held else ())
            if port and a.port == port and not is_local(a.host)
        ),
        *(
            v.name
            for v in (held.variables if held else ())
            for f in snap.of(Keys, v.object)
            for a in f.addresses
            if port and a.key == v.key and a.port == port and not is_local(a.host)
        ),
    }
    return join_texts(find_variable_place(pod, container, name, snap) for name in sorted(named)[:_SHOWN])


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
