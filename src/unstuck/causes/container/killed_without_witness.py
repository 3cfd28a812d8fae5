"""Something killed the container, and nothing says what

## How it happens

The last run ended with code 137 (128 + SIGKILL) or 143 (128 + SIGTERM), and none of the usual senders of these signals says that it did:
no probe failed, the kernel does not report a kill for memory, the Pod was not evicted and is not being deleted. Left over are somebody
with a shell on the Node or in the container, a security or monitoring agent, a restart of the container runtime or of the machine, a kill
for memory of a parent whose report was missed, and a program, often a shell, that returns such a number itself: `exit 137`, or the code
of a child.

## How to tell

Exit code 137 alone is not a kill for memory: the kubelet writes the reason OOMKilled for that. The kernel's log on the Node tells of kills
for memory; the container's last lines tell of a shell that saw a child die.

## Known limits

Nothing that can be read afterwards tells a signal from a program that returns its number, so this is never more than possible, beside
container.exits-by-itself.

## References

- containerd and runc: exit status of a signalled process is 128 + signal; field notes on code 137
"""

from __future__ import annotations

from typing import Any

from unstuck.causes.container._ends import (
    STAGES,
    Run,
    container_title,
    ended_by_probe,
    how_often,
    join_runs,
    kills_of,
    last_runs,
    pod_terminated,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.host import OomKills
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Life
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KILL_OR_TERM = (137, 143)


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = last_runs(pod, snap)
    killed = (
        join_runs([(r, _without_witness(pod, snap, r)) for r in runs.hits], runs.seen)
        if runs.hits
        else Sign(runs.value, seen=runs.seen, wants=runs.wants)
    )

    def finding() -> Finding:
        run = killed.hits[0]
        who = container_title(run.name or None)
        says = say("{who} was killed; the sender left no trace", who=who)
        return Finding(says, make_container_ref(pod, run.name or None), (pod,), how_often(run))

    return Signs(decisive={"its process was killed, and no witness says by whom": killed}, finding=finding)


def _without_witness(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    """Return no for another code, or where a program that ends containers tells of it; never yes."""
    if run.end.code not in _KILL_OR_TERM or run.end.reason not in ("Error", ""):
        return Sign(False)
    witnesses = (
        ended_by_probe(pod, snap, run, "liveness"),
        ended_by_probe(pod, snap, run, "startup"),
        kills_of(pod, snap, run),
        pod_terminated(pod, snap),
    )
    found: Sign[Any] = any_of([w for w in witnesses if w.value])
    if found.value:
        return Sign(False, seen=found.seen)
    wants = tuple(w for s in witnesses if s.value is None for w in s.wants)
    return Sign(None, (run,), (), (*wants, Want(LastLines, make_container_ref(pod, run.name))))


CAUSE = Cause(
    id="container.killed-without-witness",
    title=say("the container was killed (SIGKILL); the sender left no trace"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({ContainerStatuses, Containers, Events, Failure, OomKills, Phase, LastLines, Life}),
    rule=_rule,
)
