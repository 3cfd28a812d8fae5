"""The container needed more memory than its limit

## How it happens

The processes of the container, with the files they write to memory-backed volumes, reached `limits.memory`,
and the kernel killed one of them: the limit is too low for the program's peak, the program does not know its
limit (a heap sized by the machine's memory), or it leaks.

## How to tell

The kubelet gives the reason OOMKilled for the last run, and the container has a memory limit: that makes it
likely, as containerd gives it for a kill for lack of the machine's memory, too (cgroup v2 counts every kill
in `oom_kill`). The kernel's log proves it if it reports a kill in this container's cgroup for its limit. Exit
code 137 without that reason is no proof (see container.killed-without-witness), unless the kernel reports it
for this container. Init containers and sidecars have their own limits. Where the kernel killed another
process than the first (cgroup v1; v2 with the kubelet's `singleProcessOOMKill`), the container runs on
without a restart, and may never become ready again, or a liveness probe ends it: only the kernel's line for
its cgroup shows that. A probe's result follows from it if the kernel killed in this container, before the
probe failed.

## Known limits

A kill in an earlier run of the container, without a matching cgroup or time, or after the probe had failed
already, is at most possible. For a container that is not ready the loss of the killed process is likely and
no more. A limit below 1 MiB is a wrong unit and found as resources.memory-unit-wrong instead. Without its own
limit a container was killed because the Node, or the Pod as a whole, had no memory left: not covered here.

## References

- Linux Documentation/admin-guide/cgroup-v2.rst (memory.max), cgroup-v1/memory.rst; containerd: reason
  OOMKilled from the cgroup's OOM event
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unstuck.causes._writers import READS, add_writer
from unstuck.causes.container._ends import (
    STAGES,
    Run,
    find_last_runs,
    join_runs,
    kills_of,
    name_container,
    was_ended_by_probe,
    was_killed_by_machine,
)
from unstuck.causes.container._last_words import describe_restarts
from unstuck.causes.container._lost_process import Lost, find_lost, list_unhealthy
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, negate, only_yes, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Conditions, Events, Failure
from unstuck.facts.aspects.oom import Kill, OomKills
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Life
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_amount

say = Messages(__name__)

_NO_MORE = say("the container's status shows no new OOMKilled")
_LEAST = 1 << 20
_KILLED = 137


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = find_last_runs(pod, snap)
    oom = tuple(r for r in runs.hits if r.end.reason == "OOMKilled")
    machine = [s for r in oom if (s := was_killed_by_machine(pod, snap, r)).value]
    killed = () if machine else oom
    limited = join_runs([(r, _has_limit(pod, snap, r)) for r in killed], runs.seen) if killed else _deny(runs)
    if machine:
        whole = all(f.whole for s in machine for f in s.seen) and all(s.sure for s in machine)
        limited = Sign(False if whole else None, seen=unique(f for s in machine for f in s.seen))
    by_limit = _find_kernel_kills(pod, snap, limited)
    by_kernel = _find_by_kernel(pod, snap, runs)
    child, lacking, alone = find_lost(pod, snap), _lacks_limit(pod, snap), _judge_unseen(pod, snap)

    def finding() -> Finding:
        if dead := (*by_limit.hits, *by_kernel.hits, *killed):
            return add_writer(_make_finding(pod, dead[0]), pod, snap, "memory", "limit", dead[0].name)
        return (
            _make_child_finding(pod, child.hits[0], snap)
            if child.hits
            else _make_kernel_finding(pod, alone.hits[-1])
        )

    return Signs(
        decisive={
            (
                "the kubelet reports OOMKilled, the container has a limit, and the kernel killed in its "
                "container for one"
            ): by_limit,
            "it ended with 137, and the kernel killed a process in its container for a limit": by_kernel,
            "a container is ill for want of a process that the kernel killed": lacking,
        },
        supporting={
            "the kubelet reports OOMKilled": Sign(True, killed, runs.seen) if killed else Sign(None),
            "a container is unhealthy since a kill for its limit; its first process survived": child,
            "a process was killed for a limit in one of its containers, whose state was not seen": alone,
        },
        finding=finding,
    )


def _find_kernel_kills(pod: Ref, snap: Facts, limited: Sign[Run]) -> Sign[Run]:
    """Find runs with a kernel log entry: only it distinguishes a kill for the limit from one for the machine.
    A log without it is not a no.
    """
    if not limited.value:
        return limited
    kills = [(r, kills_of(pod, snap, r, "memcg")) for r in limited.hits]
    if yes := [(r, s) for r, s in kills if s.value]:
        seen = unique((*limited.seen, *(f for _, s in yes for f in s.seen)))
        return Sign(True, tuple(r for r, _ in yes), seen, sure=limited.sure and any(s.sure for _, s in yes))
    return Sign(None, limited.hits, limited.seen, unique(w for _, s in kills for w in s.wants))


def _find_by_kernel(pod: Ref, snap: Facts, runs: Sign[Run]) -> Sign[Run]:
    """Find the kernel's own line of this container, where the runtime missed the kill (an old docker, a
    child that was killed first).
    """
    dead = tuple(r for r in runs.hits if r.end.code == _KILLED and r.end.reason in ("Error", ""))
    signs = [(r, _find_one_by_kernel(pod, snap, r)) for r in dead]
    if yes := [(r, s) for r, s in signs if s.value]:
        seen = unique((*runs.seen, *(f for _, s in yes for f in s.seen)))
        return Sign(True, tuple(r for r, _ in yes), seen, sure=any(s.sure for _, s in yes))
    return any_of([s for _, s in signs]) if signs else _deny(runs)


def _find_one_by_kernel(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    others = [negate(was_ended_by_probe(pod, snap, run, p)) for p in ("liveness", "startup")]
    return all_of([*others, _has_limit(pod, snap, run), kills_of(pod, snap, run, "memcg")])


def _judge_unseen(pod: Ref, snap: Facts) -> Sign[Kill]:
    """Find the kernel's report alone. Never a no: the containers' states are the better evidence."""
    if snap.of(ContainerStatuses, pod):
        return Sign(None)
    return only_yes(some(snap, OomKills, pod, lambda f: [k for k in f.kills if k.why == "memcg"]))


def _lacks_limit(pod: Ref, snap: Facts) -> Sign[Any]:
    """Return no if no such container has a limit, or the kernel killed in none for one; never yes: the loss
    of a process affects each program differently.
    """
    ill = {one.name for one, _ in list_unhealthy(pod, snap)}
    shown = some(
        snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.kind != "init" and s.name in ill]
    )
    if not shown.value:
        return shown
    limited = some(
        snap,
        Containers,
        pod,
        lambda f: [c for c in f.items if c.name in ill and any(k == "memory" for k, _ in c.limits)],
    )
    kills = some(snap, OomKills, pod, lambda f: [k for k in f.kills if k.why == "memcg"])
    sign = all_of([limited, kills])
    return sign if sign.value is False else Sign(None, seen=sign.seen, wants=sign.wants)


def _deny(runs: Sign[Run]) -> Sign[Run]:
    return Sign(False, seen=runs.seen) if runs.value is not None else runs


def _limit(run: Run) -> str:
    return next((v for k, v in run.spec.limits if k == "memory"), "") if run.spec else ""


def _has_limit(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    def enough(f: Containers) -> list[str]:
        return [
            v
            for c in f.items
            if c.name == run.name
            for k, v in c.limits
            if k == "memory" and (parse_amount(k, v) or 0) >= _LEAST
        ]

    return some(snap, Containers, pod, enough)


def _make_finding(pod: Ref, run: Run) -> Finding:
    limit = _limit(run)
    who = name_container(run.name or None)
    of = say(" of {limit}", limit=limit) if limit else NO_TEXT
    says = say("{who} exceeded its memory limit{of} and was killed", who=who, of=of)
    measure, *other = _help(pod)
    if heap := _heap_beyond(run, limit):
        says += say("; {heap} lets its heap alone grow to that", heap=heap)
        fit = say(
            (
                "set {heap} well below limits.memory, as a program needs memory beside its heap; or raise "
                "limits.memory above it"
            ),
            heap=heap,
        )
        other = [Step(fit, where="source", verify=_NO_MORE)]
    return Finding(
        says,
        make_container_ref(pod, run.name or None),
        (pod,),
        describe_restarts(run),
        (measure, *other),
        (_UNLIMITED,),
    )


def _heap_beyond(run: Run, limit: str) -> str:
    """Return the option that lets the program use as much as its limit for its heap alone; "" if none is
    known.
    """
    most = parse_amount("memory", limit) if limit else None
    return (
        next((option for option, size in run.spec.heap if most is not None and size >= most), "")
        if run.spec
        else ""
    )


def _make_kernel_finding(pod: Ref, kill: Kill) -> Finding:
    """Return the finding from the kernel's log alone, which identifies the container only by an id."""
    who = (
        say("container {container}", container=kill.container[:12])
        if kill.container
        else name_container(None)
    )
    return Finding(
        say(
            "the kernel killed a process of {who} at its memory limit: {comm} ({pid})",
            who=who,
            comm=kill.comm,
            pid=kill.pid,
        ),
        Ref(
            "MemoryLimit",
            f"{pod.within}/{pod.name}" if pod.within else pod.name or pod.uid,
            kill.container or None,
        ),
        (pod,),
        (),
        _help(pod),
        (_UNLIMITED,),
    )


def _make_child_finding(pod: Ref, lost: Lost, snap: Facts) -> Finding:
    """Return the finding that only the kernel's log shows: there is no exit code, and no restart but a
    probe's.
    """
    kill = lost.kill
    when = say(" at {at:%H:%M:%S} UTC", at=kill.at) if kill and kill.at else NO_TEXT
    after = say("; the container keeps running without it")
    lived = say("its first process is alive, so nothing is restarted, and the Pod's status does not show it")
    if lost.over:
        after = say("; the container kept running without it until its liveness probe failed")
        lived = say("its first process stayed alive, so the Pod's status shows only the probe")
    return Finding(
        say("the kernel killed a process of container {lost} at its memory limit", lost=lost.name) + after,
        # The probe finds this container unhealthy.
        Ref("MemoryLimit", f"{pod.within}/{pod.name}" if pod.within else pod.name, lost.name),
        (make_container_ref(pod, lost.name), *_list_ports(pod, lost.name, snap), pod),
        (
            *(
                (say("killed: {comm} ({pid}){when}", comm=kill.comm, pid=kill.pid, when=when),)
                if kill
                else ()
            ),
            lived,
        ),
        _help(pod),
        (_UNLIMITED,),
    )


def _list_ports(pod: Ref, name: str, snap: Facts) -> Iterator[Ref]:
    """Yield the port numbers of the container's probes: a killed process answers on none."""
    if (spec := find_container_spec(pod, name, snap)) is None:
        return
    declared = {named: str(number) for named, number in spec.ports if named}
    for probe in filter(None, (spec.liveness, spec.readiness, spec.startup)):
        if (port := declared.get(probe.port, probe.port)).isdecimal():
            yield Ref("Port", f"{pod.within}/{pod.name}", port)


_UNLIMITED = DoNot(
    say("remove the limit"),
    say("a leak would then use up the node's memory, and the kernel would kill other Pods' processes"),
)


def _help(pod: Ref) -> tuple[Step, ...]:
    return (
        Step(
            say("measure its peak memory usage while it runs"),
            command=command(
                "kubectl top pod {space} --containers -- {pod}",
                pod=given.bare("Pod", pod.name),
                space=given.space(pod),
            ),
        ),
        Step(
            say(
                "raise limits.memory (and the request) above that peak, or make the program stay below it "
                "(heap size)"
            ),
            where="source",
            verify=_NO_MORE,
        ),
    )


CAUSE = Cause(
    id="container.out-of-memory",
    title=say("the container exceeded its memory limit"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({ContainerStatuses, Containers, OomKills, Conditions, Events, Failure, Life}) | READS,
    rule=_rule,
)
