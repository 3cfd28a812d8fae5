"""The Pods that a claim waits for: it gets its devices, or a volume with late binding, once a Pod that uses
it is placed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from unstuck.diagnosis.answer import State, StateName
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.facts.aspects.objects import Events, Phase, Presence
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.protection import Users
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, is_terminal
from unstuck.facts.lookup import Facts
from unstuck.knowledge.status_words import NONE
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)
ALLOCATION = "status.allocation"


def find_waiting_consumers(claim: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the Pods that use the claim and have no Node yet."""
    mine = snap.canon(claim)
    told = (r for f in snap.of(Users, claim) for r in f.waiting)
    seen = (
        f.about
        for f in snap.every(Needs)
        if any(n.by == "claim" and snap.canon(n.object) == mine for n in f.items)
    )
    pods = unique(snap.canon(r) for r in (*told, *seen) if r.kind == "Pod")
    return tuple(p for p in pods if find_node_of_pod(p, snap) is None and not is_terminal(p, snap))


def judge_waiting_claim(
    claim: Ref,
    says: Text,
    since: datetime | None,
    evidence: tuple[Fact, ...],
    snap: Facts,
    state_of_pod: Callable[[Ref], State],
) -> State:
    """Return the state of a claim that is bound once a Pod is placed: stuck if a consumer is stuck, else
    within its time.

    says, since, evidence: the claim's own message, time and facts.
    """
    word = next((f.phase for f in snap.of(Phase, claim)), "")
    states = [(pod, state_of_pod(pod)) for pod in find_waiting_consumers(claim, snap)]
    for pod, state in states:
        if state.name == "stuck":
            says += say("; it is bound once {pod} is scheduled, and that is stuck", pod=who(pod))
            return add_headline(claim, "stuck", says, since, unique((*evidence, *state.evidence)), word=word)
    wants = (Want(Users, claim),)
    says += say("; it is bound once a Pod that uses it is scheduled (WaitForFirstConsumer)")
    if states:
        pod, state = states[0]
        says += say(": {pod} waits for that", pod=who(pod))
        return replace(
            add_headline(claim, "progressing", says, state.since or since, evidence, word=word), wants=wants
        )
    seen = tuple(f for f in snap.of(Users, claim) if f.whole and snap.sure(f))
    # Its scheduler has a claim bound before it gives a Pod its Node.
    placed = next((pod for f in seen for pod in f.refs), None)
    if placed:
        says += say("; {pod}, which uses it, has its Node already, past the scheduler", pod=who(placed))
    elif seen:
        says += say(", and no Pod uses it yet")
    # Past the scheduler, nothing will ever have it bound.
    named: StateName = "stuck" if placed else "progressing"
    found = add_headline(claim, named, says, since, (*evidence, *seen), word=word)
    # By its class it waits as long as it is unused.
    return replace(found, wants=wants, granted=placed is None)


def wait_event(claim: Ref, snap: Facts) -> Events | None:
    """Return the controller's latest Event about the claim if it reports late binding (pv_controller.go,
    syncUnboundClaim).
    """
    told = [
        (e.last is not None, e.last or snap.now, n, e, f)
        for f in snap.of(Events, claim)
        for n, e in enumerate(f.items)
    ]
    newest = max(told, key=lambda t: t[:3], default=None)
    return (
        newest[4] if newest and newest[3].reason in ("WaitForFirstConsumer", "WaitForPodScheduled") else None
    )


def judge_device_claim(claim: Ref, snap: Facts, state_of_pod: Callable[[Ref], State]) -> State | None:
    """Return the state of a claim without devices: stuck if a waiting Pod is stuck, well while unused; None
    for a claim with devices.

    The scheduler allocates devices together with the Pod's Node
    (pkg/scheduler/framework/plugins/dynamicresources).
    """
    told = next(
        (
            f
            for f in snap.of(Reported, claim)
            if any(w.field == ALLOCATION and w.value == NONE for w in f.words)
        ),
        None,
    )
    if told is None:
        return None
    since = next((f.created for f in snap.of(Presence, claim) if f.created), None)
    says = say("not allocated")
    waiting = [(pod, state_of_pod(pod)) for pod in find_waiting_consumers(claim, snap)]
    stuck = next(((pod, state) for pod, state in waiting if state.name == "stuck"), None)
    for pod, state in (stuck,) if stuck else waiting[:1]:
        says += say("; {pod} waits for that", pod=who(pod))
        name: StateName = "stuck" if stuck else "progressing"
        found = add_headline(claim, name, says, state.since or since, unique((told, *state.evidence)))
        return replace(found, wants=(Want(Users, claim),))
    seen = tuple(f for f in snap.of(Users, claim) if f.whole and snap.sure(f) and not f.refs)
    if not seen:
        return replace(add_headline(claim, "unknown", says, since, (told,)), wants=(Want(Users, claim),))
    says += say("; no Pod uses it yet, and it gets its devices when such a Pod is scheduled")
    return replace(add_headline(claim, "progressing", says, since, (told, *seen)), granted=True)
