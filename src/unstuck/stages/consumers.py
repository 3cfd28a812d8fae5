"""The Pods that a claim waits for: if its class binds at the first consumer, it is bound once a Pod that uses it is placed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.facts.aspects.objects import Events, Phase
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, is_terminal
from unstuck.facts.lookup import Facts
from unstuck.stages.state_wording import state_with_headline

say = Messages(__name__)


def find_waiting_consumers(claim: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the Pods that use the claim and have no Node yet."""
    mine = snap.canon(claim)
    told = (r for f in snap.of(Users, claim) for r in f.waiting)
    seen = (f.about for f in snap.every(Needs) if any(n.by == "claim" and snap.canon(n.object) == mine for n in f.items))
    pods = unique(snap.canon(r) for r in (*told, *seen) if r.kind == "Pod")
    return tuple(p for p in pods if find_node_of_pod(p, snap) is None and not is_terminal(p, snap))


def judge_waiting_claim(
    claim: Ref, says: Text, since: datetime | None, evidence: tuple[Fact, ...], snap: Facts, state_of_pod: Callable[[Ref], State]
) -> State:
    """Return the state of a claim that is bound once a Pod is placed: stuck as its consumer is, else within its time.

    says, since, evidence: what is known of the claim itself.
    """
    word = next((f.phase for f in snap.of(Phase, claim)), "")
    states = [(pod, state_of_pod(pod)) for pod in find_waiting_consumers(claim, snap)]
    for pod, state in states:
        if state.name == "stuck":
            says += say("; it is bound once {pod} is scheduled, and that is stuck", pod=who(pod))
            return state_with_headline(claim, "stuck", says, since, unique((*evidence, *state.evidence)), word=word)
    wants = (Want(Users, claim),)
    says += say("; it is bound once a Pod that uses it is scheduled (WaitForFirstConsumer)")
    if states:
        pod, state = states[0]
        says += say(": {pod} waits for that", pod=who(pod))
        return replace(state_with_headline(claim, "progressing", says, state.since or since, evidence, word=word), wants=wants)
    seen = tuple(f for f in snap.of(Users, claim) if f.whole and snap.sure(f))
    if seen:
        says += say(", and no Pod uses it yet")
    found = state_with_headline(claim, "progressing", says, since, (*evidence, *seen), word=word)
    # Its class says that it waits, for as long as nobody uses it.
    return replace(found, wants=wants, granted=True)


def wait_event(claim: Ref, snap: Facts) -> Events | None:
    """Return the controller's latest Event about it if that says that its class binds once a Pod is placed (pv_controller.go,
    syncUnboundClaim).
    """
    told = [(e.last is not None, e.last or snap.now, n, e, f) for f in snap.of(Events, claim) for n, e in enumerate(f.items)]
    newest = max(told, key=lambda t: t[:3], default=None)
    return newest[4] if newest and newest[3].reason in ("WaitForFirstConsumer", "WaitForPodScheduled") else None
