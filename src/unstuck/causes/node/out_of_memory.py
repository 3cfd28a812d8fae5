"""The kernel killed a process because the whole Node had no memory left

## How it happens

The programs on the Node wanted more memory than the machine has, faster than the kubelet could evict. The
kernel's OOM killer then chooses by score: Pods without requests first, no matter which process used up the
memory. A container that is killed so may be far below its own limit, or have none.

## How to tell

The kernel says `Out of memory: Killed process` (`constraint=CONSTRAINT_NONE`) of a process in this container,
and the container ended with 137: with the reason Error, or with OOMKilled where the kernel killed nothing in
it for a limit. For the Node: such kills, and a recent SystemOOM Event of the kubelet; with its condition
MemoryPressure alone it is likely, as the kills may be older. Kills of a quarter of an hour or more before
that condition do not count.

## Known limits

Kernels before 4.19 name no cgroup in such a line, and a pasted one may tell no time that can be placed: a
kill that is not of this container's cgroup or of the time of its end is at most possible. A kill at the
container's own limit is container.out-of-memory; one at a limit that many Pods share, as that of `kubepods`,
is cgroup.shared-limit.

## References

- Linux mm/oom_kill.c; Kubernetes pkg/kubelet/oom/oom_watcher_linux.go; documentation "Node-pressure
  Eviction", node out of memory behavior
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from unstuck.causes._commands import show_usage_on
from unstuck.causes.container._ends import (
    Run,
    find_last_runs,
    was_ended_by_probe,
    was_killed_by_machine,
)
from unstuck.causes.container._last_words import describe_restarts
from unstuck.causes.container._shared_memory import find_machine_kills
from unstuck.causes.node._pressure import find_kubelet_events, is_under_pressure
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, any_of, negate, only_yes, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Condition, Conditions, Events, Failure
from unstuck.facts.aspects.oom import Kill, OomKills
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KILLED = 137
# The shortage behind a kill precedes the kubelet's measurement by less than an hour.
_LONG_BEFORE = timedelta(minutes=15)


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind == "Node":
        kills = some(snap, OomKills, subject, lambda f: [k for k in f.kills if _of_machine(k)])
        short: Sign[Any] = any_of([is_under_pressure(subject, snap, "MemoryPressure")])
        noticed = find_kubelet_events(subject, snap, "SystemOOM")
        # A line may lack a time: a Node short of memory now does not date it. An old line does not count.
        about_now = some(
            snap,
            OomKills,
            subject,
            lambda f: [k for k in f.kills if _of_machine(k) and _of_now(k, short.hits)],
        )
        pressed_too = all_of([short, about_now])
        lately: Sign[Any] = (
            noticed
            if noticed.value
            else Sign(
                False if short.value is False else None, pressed_too.hits, short.seen, pressed_too.wants
            )
        )
        return Signs(
            decisive={
                "the kernel killed for want of memory, and the kubelet saw it lately": all_of([lately, kills])
            },
            supporting={
                "the kubelet saw the kernel kill lately": noticed,
                "the node is short of memory, and the kernel has killed": only_yes(pressed_too),
            },
            finding=lambda: _make_finding(subject, None, subject, kills.hits, noticed.hits),
        )
    runs = find_last_runs(subject, snap)
    told = [
        (r, find_machine_kills(subject, snap, r), _judge_without_probe(subject, snap, r))
        for r in runs.hits
        if _is_kill(subject, snap, r)
    ]
    mine = _find_one_of([(r, all_of([unprobed, kill])) for r, kill, unprobed in told], runs)
    at_all = [
        (r, kill) for r, kill, unprobed in told if kill.value and r.spec and unprobed.value is not False
    ]
    loose = [
        (r, kill)
        for r, kill, unprobed in told
        if kill.value is None and kill.hits and unprobed.value is not False
    ]

    def finding() -> Finding:
        run, kill = at_all[0] if at_all else next((r, k) for r, k, _ in told if r in mine.hits)
        return _make_finding(subject, run, find_node_of_pod(subject, snap), kill.hits, ())

    if mine.value is None and loose:
        mine = Sign(None, tuple(r for r, _ in loose), unique(f for _, k in loose for f in k.seen), mine.wants)
    supporting: Sign[Run] = Sign(None)
    if at_all:
        seen = unique((*runs.seen, *(f for _, k in at_all for f in k.seen)))
        supporting = Sign(True, tuple(r for r, _ in at_all), seen)
    return Signs(
        decisive={
            (
                "a container ended with 137, for no probe, and the kernel killed in it for the Node's memory"
            ): mine
        },
        supporting={
            "a container ended with 137, and the kernel killed in it for the Node's memory": supporting
        },
        finding=finding,
    )


def _of_machine(kill: Kill) -> bool:
    return kill.why == "none" and not kill.bound


def _of_now(kill: Kill, short: Sequence[Condition]) -> bool:
    """Tell whether the kill is not known to be long before the Node became short of memory."""
    return kill.at is None or any(c.since is None or c.since - kill.at <= _LONG_BEFORE for c in short)


def _is_kill(pod: Ref, snap: Facts, run: Run) -> bool:
    return run.end.code == _KILLED and (
        run.end.reason != "OOMKilled" or was_killed_by_machine(pod, snap, run).value is True
    )


def _judge_without_probe(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    return all_of([negate(was_ended_by_probe(pod, snap, run, p)) for p in ("liveness", "startup")])


def _find_one_of(signs: Sequence[tuple[Run, Sign[Any]]], runs: Sign[Run]) -> Sign[Run]:
    """Return yes with the runs that are among them; no if none of all runs that were seen is."""
    if not signs:
        return (
            Sign(False, seen=runs.seen)
            if runs.value is not None
            else Sign(None, seen=runs.seen, wants=runs.wants)
        )
    yes = [(r, s) for r, s in signs if s.value]
    if yes:
        return Sign(
            True,
            tuple(r for r, _ in yes),
            unique(f for _, s in yes for f in s.seen),
            sure=any(s.sure for _, s in yes),
        )
    if all(s.value is False for _, s in signs) and all(f.whole for f in runs.seen):
        return Sign(False, seen=unique((*runs.seen, *(f for _, s in signs for f in s.seen))))
    return Sign(None, seen=runs.seen, wants=unique(w for _, s in signs for w in s.wants))


def _make_finding(
    subject: Ref, run: Run | None, node: Ref | None, kills: tuple[Kill, ...], noticed: tuple[str, ...]
) -> Finding:
    name = node.name if node and node.name else "NODE"
    who = say("container {run} was killed", run=run.name) if run else say("processes were killed")
    said = tuple(say("the kernel killed {comm} ({pid})", comm=k.comm, pid=k.pid) for k in kills[-3:])
    told = tuple(say("kubelet: {m}", m=m) for m in noticed[:1])
    of = make_container_ref(subject, run.name) if run else subject
    return Finding(
        who + say(" because Node {name} had no memory left", name=name),
        culprit=node or Ref("Node"),
        blocks=tuple(dict.fromkeys((of, subject))) if run else (),
        notes=(*said, *told, *(describe_restarts(run) if run else ())),
        help=(
            Step(
                say("see which Pods on the node use more than they request"),
                command=show_usage_on(name),
            ),
            Step(
                say(
                    "give every Pod a memory request close to its usage, and reserve memory for the system "
                    "(systemReserved, kubeReserved)"
                ),
                where="source",
                verify=say("no more SystemOOM Events on the node"),
            ),
        ),
        do_not=(
            DoNot(
                say("raise the limit of the killed container"),
                say("it was not killed for its limit, and the node would run short again"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.out-of-memory",
    title=say("the kernel killed a process because the whole node was out of memory"),
    subjects=("Pod", "Node"),
    stages=("init-done", "started", "ready", "stays-up"),
    reads=frozenset({OomKills, Conditions, Events, Failure, Containers, ContainerStatuses, Life, Placement}),
    rule=_rule,
)
