"""Finds the parts of a healthy-looking object that its description leaves out, to be looked at next
(docs/why/next.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unstuck.diagnosis.answer import Diagnosis, Question, State
from unstuck.diagnosis.text import Messages, Text
from unstuck.engine import outputs
from unstuck.facts.aspects.objects import Below, Conditions
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.kinds import CREATORS

say = Messages(__name__)

# An event shows one moment of a Pod, not its state.
_TOLD_OF_PODS = (ContainerStatuses, Conditions)


def find_questions_of_healthy(d: Diagnosis, snap: Snapshot) -> Mapping[str, Sequence[Question]]:
    """Return by cause the open questions about a described object that looks healthy; none if there is
    nothing left to look at.

    For a fine object only the questions that still arise: most causes are ruled out because it is fine.
    """
    if (
        d.causes
        or any(s.startswith("live:") for s in snap.sources)
        or "describe" not in outputs.find_read_outputs(d.subject, snap)
    ):
        return {}
    if d.state.name == "progressing":
        return {o.id: o.questions for o in d.undecided}
    # Nothing is asked about a stopped workload; a cordoned Node may still hold Pods that are to leave it.
    if d.state.name != "fine" and not (d.state.name == "held" and d.subject.kind == "Node"):
        return {}
    arise = {e.id for e in d.explained if not e.out and e.signs.applies.value}
    return {o.id: o.questions for o in d.undecided if o.id in arise}


def qualify_state(d: Diagnosis, snap: Snapshot) -> State:
    """Return the state of a healthy-looking object with the parts that its description leaves out;
    unchanged if no look is left.
    """
    tail = _describe_unread(d, snap) if d.next and not d.causes else None
    if tail is None:
        return d.state
    return replace(
        d.state, headline=d.state.headline + tail, says=(d.state.says + tail) if d.state.says else None
    )


def _describe_unread(d: Diagnosis, snap: Snapshot) -> Text | None:
    if d.state.name in ("fine", "held"):
        node = d.subject.kind == "Node"
        return (
            say(", as it reports itself; the node was not looked at")
            if node
            else say("; nothing is wrong in what was read")
        )
    return (
        say("; its Pods were not read")
        if d.state.name == "progressing" and find_unread_pods(d.subject, snap)
        else None
    )


def find_unread_pods(workload: Ref, snap: Snapshot) -> bool:
    """Tell whether only events are known of a workload's Pods."""
    if workload.kind not in CREATORS:
        return False
    made = {snap.canon(r) for f in snap.of(Below, workload) if f.kind == "Pod" for r in f.refs}
    named = {
        r
        for r in snap.subjects("Pod")
        if r.within == workload.within and (r.name or "").startswith(f"{workload.name}-")
    }
    return not any(snap.of(kind, pod) for pod in made | named for kind in _TOLD_OF_PODS)
