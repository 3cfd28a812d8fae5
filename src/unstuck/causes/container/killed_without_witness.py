"""Something ended the container by a signal, and nothing says what

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

Nothing that can be read afterwards tells a signal from a program that returns its number. Of 143 this is likely where it ended so more than
once, where of everybody whom Kubernetes lets end containers it is known that they did not, and where the log names no failure. Of 137,
which scripts return as well, it is never more than possible, beside container.exits-by-itself.

## References

- containerd and runc: exit status of a signalled process is 128 + signal; field notes on code 137
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unstuck.causes._commands import on_node
from unstuck.causes.container._ends import (
    STAGES,
    Run,
    changed_in_place,
    container_title,
    ended_by_hook,
    ended_by_probe,
    how_often,
    join_runs,
    kills_of,
    last_runs,
    pod_terminated,
    stop_requested,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, only_yes
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.host import OomKills
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Life, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KILL, _TERM = 137, 143
_SIGNAL: Mapping[int, str] = MappingProxyType({_KILL: "SIGKILL", _TERM: "SIGTERM"})
# Once somebody may have restarted a daemon; again and again it has a sender.
_MANY = 2


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = last_runs(pod, snap)
    killed = (
        join_runs([(r, _without_witness(pod, snap, r)) for r in runs.hits], runs.seen)
        if runs.hits
        else Sign(runs.value, seen=runs.seen, wants=runs.wants)
    )
    again = tuple(r for r in killed.hits if killed.value is None and _comes_from_outside(pod, snap, r))

    def finding() -> Finding:
        return _finding(pod, (*again, *killed.hits)[0], snap)

    return Signs(
        decisive={"its process was killed, and no witness says by whom": killed},
        supporting={
            "SIGTERM ends it again and again, and nobody that Kubernetes knows sent it": only_yes(Sign(bool(again), again, runs.seen))
        },
        finding=finding,
    )


def _finding(pod: Ref, run: Run, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    says = say(
        "{who} ends with code {code}, that of {signal}, and no probe, hook, deletion or eviction asked for it: a process of its node or in"
        " the container sends it",
        who=container_title(run.name or None),
        code=run.end.code,
        signal=_SIGNAL[run.end.code],
    )
    if node is not None and node.name:
        says += say("; the Pod runs on Node {node}", node=node.name)
    look = Step(
        say("see which program of that node writes that it sent a signal: an agent for security or monitoring, a script"),
        where=on_node(node.name if node else None),
        command=command("grep -rIiE -e 'sig(term|kill)|sent signal|kill(ed|ing) process' /var/log | tail -n 20"),
    )
    log = Step(say("read what it wrote before: a shell tells of a child that died so"), command=run.log(pod))
    return Finding(says, make_container_ref(pod, run.name or None), (pod,), how_often(run), (look, log))


def _comes_from_outside(pod: Ref, snap: Facts, run: Run) -> bool:
    """Tell whether a run of many ended by SIGTERM, and whoever of Kubernetes ends containers is known not to have done it."""
    others = [
        ended_by_probe(pod, snap, run, "liveness"),
        ended_by_probe(pod, snap, run, "startup"),
        ended_by_hook(pod, snap, run),
        pod_terminated(pod, snap),
        changed_in_place(pod, snap, run),
        stop_requested(pod, snap, run),
    ]
    told = any(f.complaint for f in snap.of(LastLines, make_container_ref(pod, run.name)) if f.previous or run.status.state != "running")
    none = all(other.value is False for other in others) and not kills_of(pod, snap, run).value
    return run.end.code == _TERM and run.status.restarts >= _MANY and not told and none


def _without_witness(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    """Return no for another code, or where a program that ends containers tells of it; never yes."""
    if run.end.code not in _SIGNAL or run.end.reason not in ("Error", ""):
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
    title=say("the container was ended by a signal; the sender left no trace"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({ContainerStatuses, Containers, Events, Failure, OomKills, Phase, LastLines, Life, Placement}),
    rule=_rule,
)
