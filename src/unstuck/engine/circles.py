"""Finds Pods that wait for each other's Services in a circle: none of them is the root, and each blocks all
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unstuck.diagnosis import given
from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, join_texts, who
from unstuck.diagnosis.verdict import DoNot, Step
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.aspects.services import ServicePods
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record, replace
from unstuck.facts.snapshot import Snapshot

say = Messages(__name__)


@record()
class _Wait(Record):
    """One Pod, and the Service that it waits for."""

    pod: Ref
    service: Ref


def tell_circles(told: Sequence[CauseMatch], subject: Ref, snap: Snapshot) -> tuple[CauseMatch, ...]:
    """Return the causes; the first cause of a circle names all members and the way to break the circle."""
    about = [snap.canon(one.via or subject) for one in told]
    waits = {snap.canon(one.via or subject): snap.canon(one.finding.culprit) for one in told if _is_wait(one)}
    # A Pod that is not ready for a reason of its own is the root.
    others = {pod for pod in about if pod.kind == "Pod" and pod not in waits}
    circle = next((c for pod in waits if (c := _find_circle(pod, waits, snap))), ())
    if not circle or any(p in others for w in circle for p in _list_unready(w.service, snap)):
        return tuple(told)
    members = {w.pod for w in circle}
    first = next(i for i, pod in enumerate(about) if pod in members)
    return tuple(_tell(one, circle, snap) if i == first else one for i, one in enumerate(told))


def _is_wait(one: CauseMatch) -> bool:
    return one.finding.culprit.kind == "Service" and (one.via is None or one.via.kind == "Pod")


def _find_circle(start: Ref, waits: Mapping[Ref, Ref], snap: Snapshot) -> tuple[_Wait, ...]:
    """Return the circle that begins at a Pod; empty if its waits do not lead back to it."""
    way: list[_Wait] = []
    pod: Ref | None = start
    while pod is not None:
        way.append(_Wait(pod, waits[pod]))
        behind = _list_unready(waits[pod], snap)
        if start in behind:
            # Equal Pods of one workload wait for their own Service as well as for the other workload's.
            return tuple(way)
        passed = {w.pod for w in way}
        pod = next((p for p in behind if p in waits and p not in passed), None)
    return ()


def _list_unready(service: Ref, snap: Snapshot) -> list[Ref]:
    return [
        snap.canon(Ref("Pod", service.within, b.name))
        for f in snap.of(ServicePods, service)
        for b in f.matched
        if not b.ready
    ]


def _tell(one: CauseMatch, circle: tuple[_Wait, ...], snap: Snapshot) -> CauseMatch:
    steps = [
        say("{pod} waits for {service}", pod=who(_name(w.pod, snap)), service=who(w.service)) for w in circle
    ]
    says: Text = (
        say("; {pod} is behind that Service itself: it waits for itself", pod=who(circle[0].pod))
        if len(circle) == 1
        else say(
            "; this is a circle, in which each waits for the other: {steps}; none of them starts before "
            "the others",
            steps=join_texts(steps),
        )
    )
    break_it = Step(
        say(
            "break the circle at one place: let one of them start without waiting (a program that tries to "
            "connect again needs no such wait), and answer before the others are there"
        ),
        where="source",
        verify=say("that one becomes ready, and the others follow"),
    )
    looks = tuple(
        Step(
            say("see what {pod} waits for, and whether it has to", pod=who(w.pod)),
            command=command("kubectl describe {pod} {space}", pod=given.of(w.pod), space=given.space(w.pod)),
        )
        for w in circle[:2]
    )
    finding = replace(
        one.finding,
        says=one.finding.says + says,
        blocks=unique((*one.finding.blocks, *(w.pod for w in circle))),
        help=(break_it, *looks),
        do_not=(
            DoNot(
                say("restart the Pods"),
                say("they would come up in the same circle"),
            ),
        ),
    )
    return replace(one, finding=finding)


def _name(pod: Ref, snap: Snapshot) -> Ref:
    """Return the Pod's controller, whose other Pods wait for the same Service; the Pod itself if it has
    none.
    """
    return next((f.controller for f in snap.of(Owners, pod) if f.controller), pod)
