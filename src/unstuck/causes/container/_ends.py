"""Ended runs of a Pod's containers, and the component that ended them: the starting point of every cause of
this family.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from unstuck.causes._commands import logs, show_previous_log
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.oom import Kill, OomKills
from unstuck.facts.aspects.pod import (
    Containers,
    ContainerSpec,
    ContainerStatus,
    ContainerStatuses,
    Handler,
    Life,
    Termination,
)
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.events import make_nameless_ref
from unstuck.facts.derive.pods import SHUT_DOWN, ended_well
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.stages import StageId

say = Messages(__name__)

# A container that has run longer than this again is not in a loop now (the longest back-off is 5 min).
_AGAIN = timedelta(minutes=10)
# The API server keeps events for an hour (`--event-ttl`): within it, a missing Event means that there was no
# kill.
_EVENTS_KEPT = timedelta(minutes=55)
_SLACK = timedelta(seconds=5)
# The kernel counts its own seconds since the boot, which drift from the wall clock, and a shim needs some to
# report an end.
_ONE_TIME = timedelta(seconds=30)
# A probe's first failure alone is waited for a second, and then the container's answer to TERM.
_AT_ONCE = timedelta(seconds=2)
_BURST = 25
# For a Pod older than the kept Events, an earlier burst may be spent: then 12 come through in an hour.
_BURST_LEFT = 10
STAGES: tuple[StageId, ...] = ("init-done", "started", "ready", "stays-up")
SIGNALS = range(129, 193)
# 128 and the signal that a program's own fault raises; an outsider sends others. Source: signal(7).
CRASHES = MappingProxyType(
    {
        132: say("SIGILL, an instruction the CPU does not support"),
        133: say("SIGTRAP, an internal check failed"),
        134: say("SIGABRT, it aborted itself"),
        135: say("SIGBUS, missing memory (a truncated file, a full /dev/shm)"),
        136: say("SIGFPE, division by zero or similar"),
        139: say("SIGSEGV, invalid memory access"),
        159: say("SIGSYS, a system call blocked by its seccomp profile"),
    }
)
# The kubelet's reasons for a run that ended by a signal or by the program's answer to one.
_OF_A_KILL = ("Error", "Completed", "")


@record()
class Run(Record):
    """The last ended run of one container. spec: the container's spec, None if it was not read."""

    status: ContainerStatus
    end: Termination
    spec: ContainerSpec | None = None

    @property
    def name(self) -> str:
        """The container's name."""
        return self.status.name

    def log(self, pod: Ref) -> Command:
        """Return the command for the log of this run: that before the container's present one, unless this is
        still the present one.
        """
        present = self.status.state == "terminated" and self.status.ended == self.end
        return logs(pod, self.name) if present else show_previous_log(pod, self.name)


def name_container(name: str | None) -> Text:
    """Return `container c`, or `a container` if the name is unknown."""
    return say("container {name}", name=name) if name else say("a container")


def find_last_runs(pod: Ref, snap: Facts) -> Sign[Run]:
    """Return the last ended run of every container that should run and is down, or was a moment ago. No:
    none ended so.
    """
    asked = snap.one(Containers, pod)
    specs = {c.name: c for c in asked.items} if asked else {}
    restart = asked.restart if asked else "Always"
    # No description shows the restartPolicy: a successful end without a restart is no evidence of a fault.
    told = asked is not None and asked.whole
    return some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [
            Run(s, end, specs.get(s.name))
            for s in f.items
            if (end := _end(s, snap)) and _fails(s, end, restart) and (told or not ended_well(s))
        ],
    )


def _end(s: ContainerStatus, snap: Facts) -> Termination | None:
    # A piece of a description may show how the last run ended and not the present state.
    if s.kind == "ephemeral" or (s.state == "none" and s.last is None):
        return None
    if s.state == "running" and s.since is not None and snap.now - s.since > _AGAIN:
        return None
    return s.ended or s.last


def _fails(s: ContainerStatus, end: Termination, restart: str) -> bool:
    """Tell whether such an end keeps the Pod from being up: an init container or a Job's may well end with 0.

    Not so after an OOM kill: since 1.23 the kubelet counts such an init container as failed, despite its
    code. Source: pkg/kubelet/kuberuntime/helpers.go (isInitContainerFailed).
    """
    return (
        end.code != 0
        or end.reason == "OOMKilled"
        or s.kind == "sidecar"
        or (s.kind == "main" and restart == "Always")
    )


def was_ended_by_probe(pod: Ref, snap: Facts, run: Run, probe: str) -> Sign[Failure]:
    """Tell whether the kubelet ended this run because a probe failed. probe: `liveness` or `startup`.

    Yes: its own Event reports it and lies within the run. No: there is no such probe, the run was too short
    for it to fail, or all Events were seen, none was dropped, and none reports it, not even one that names no
    Pod.
    """
    kills = _probe_kills(pod, snap, run, probe)
    unnamed = _probe_kills(make_nameless_ref(pod.within), snap, run, probe)
    if run.end.reason in _OF_A_KILL and (within := tuple(f for f in kills if _lies_within(f, run.end))):
        return Sign(True, within, within, sure=any(snap.sure(f) for f in within))
    asked = snap.one(Containers, pod)
    handler = None if run.spec is None else run.spec.liveness if probe == "liveness" else run.spec.startup
    # A kill for an unknown probe means that only a part of the Pod was shown.
    without = not kills and not unnamed if handler is None else was_too_short(run, handler)
    if asked is not None and asked.whole and run.spec is not None and without:
        return Sign(False, seen=(asked,))
    if run.end.reason not in _OF_A_KILL:
        return Sign(False)
    # Ages in a paste count from when it was made, and are read later: an event that seems to come after the
    # run may be of it.
    if run.end.finished is not None and any(
        (at := _began(f)) and at > run.end.finished + _SLACK for f in kills
    ):
        return Sign(None, kills, kills)
    if unnamed:
        return Sign(None, seen=unnamed)
    events = next((f for f in snap.of(Events, pod) if f.whole), None)
    if events is not None and _complete(events, pod, snap, run):
        return Sign(False, seen=(events,))
    unseen = () if run.spec else (Want(Containers, pod),)
    return Sign(None, kills, kills, unseen if events is not None else (Want(Events, pod), *unseen))


def _probe_kills(about: Ref, snap: Facts, run: Run, probe: str) -> tuple[Failure, ...]:
    """Return the kills of this container for its probe in Events about this object."""
    said = (f for f in snap.of(Failure, about) if f.operation == f"probe-{probe}" and f.error == "killed")
    return tuple(f for f in said if f.container in (run.name, None))


def stop_requested(pod: Ref, snap: Facts, run: Run) -> Sign[Events]:
    """Tell whether the kubelet was asked to stop this run, because its Pod is deleted or evicted: it reported
    that after the container's last start.

    Events are compared with each other alone: their ages in a paste count from its making. Source:
    pkg/kubelet/kuberuntime, killContainer (`Stopping container NAME` since 1.15, `Killing container with id
    …://NAME:Need to kill Pod` before).
    """
    for f in snap.of(Events, pod):
        starts = [
            e.last for e in f.items if e.last and e.reason == "Started" and run.name in e.message.split()
        ]
        stops = [e for e in f.items if e.reason == "Killing" and _asks_to_stop(e.message, run.name)]
        if any(not starts or (e.last is not None and e.last >= max(starts)) for e in stops):
            return Sign(True, (f,), (f,), sure=snap.sure(f))
    return Sign(False)


def _asks_to_stop(message: str, name: str) -> bool:
    return message == f"Stopping container {name}" or f"://{name}:Need to kill Pod" in message


def was_ended_by_hook(pod: Ref, snap: Facts, run: Run) -> Sign[Failure]:
    """Tell whether the kubelet ended this run because its postStart hook failed. No: there is no hook, or all
    Events were seen and none reports it.
    """
    said = tuple(
        f for f in snap.of(Failure, pod) if f.operation == "post-start" and f.container in (run.name, None)
    )
    if said:
        return Sign(True, said, said, sure=any(snap.sure(f) for f in said))
    asked = snap.one(Containers, pod)
    if asked is not None and asked.whole and run.spec is not None and run.spec.post_start is None:
        return Sign(False, seen=(asked,))
    events = next((f for f in snap.of(Events, pod) if f.whole), None)
    return Sign(False, seen=(events,)) if events is not None else Sign(None, wants=(Want(Events, pod),))


def list_other_ends(pod: Ref, snap: Facts, run: Run) -> Iterator[Sign[Any]]:
    """Yield a sign for each way in which Kubernetes itself may have ended this run."""
    yield was_ended_by_probe(pod, snap, run, "liveness")
    yield was_ended_by_probe(pod, snap, run, "startup")
    yield was_ended_by_hook(pod, snap, run)
    yield was_pod_terminated(pod, snap)
    yield was_changed_in_place(pod, snap, run)
    yield stop_requested(pod, snap, run)


def was_changed_in_place(pod: Ref, snap: Facts, run: Run) -> Sign[Any]:
    """Tell whether the kubelet ended this run because the container was changed in place (its image): it
    starts the next one at once.

    No: it is down or waits for its back-off, or all Events were seen and none reports it. Source:
    pkg/kubelet/kuberuntime/kuberuntime_manager.go (`Container c definition changed, will be restarted`).
    """
    if run.status.state == "terminated" or run.status.reason == "CrashLoopBackOff":
        return Sign(False, seen=tuple(snap.of(ContainerStatuses, pod)))
    said = f"Container {run.name} definition changed"
    changed = some(
        snap,
        Events,
        pod,
        lambda f: [e for e in f.items if e.reason == "Killing" and e.message.startswith(said)],
    )
    if (
        changed.hits
        and run.end.started
        and all(e.last and e.last < run.end.started - _SLACK for e in changed.hits)
    ):
        return Sign(False, seen=changed.seen)
    return changed


def has_ended_at_once(run: Run) -> bool:
    """Tell whether the run ended sooner than any probe that people set ends one."""
    end = run.end
    return (
        end.started is not None
        and end.finished is not None
        and timedelta(0) <= end.finished - end.started <= _AT_ONCE
    )


def was_too_short(run: Run, handler: Handler) -> bool:
    """Tell whether the run ended before the probe could have failed often enough."""
    if run.end.started is None or run.end.finished is None or run.end.finished < run.end.started:
        return False
    lasted = run.end.finished - run.end.started + timedelta(seconds=1)
    return lasted < timedelta(seconds=handler.delay + (handler.failures - 1) * handler.period)


def _complete(events: Events, pod: Ref, snap: Facts, run: Run) -> bool:
    """Tell whether no Event of this run can be missing: none has aged out, and the kubelet, which drops
    events beyond a burst, reached none.

    Source: client-go tools/record/events_cache.go (a burst of 25 for one object, then one in 5 min).
    """
    if run.end.finished is None or snap.now - run.end.finished > _EVENTS_KEPT:
        return False
    created = next((f.created for f in snap.of(Life, pod) if f.created), None)
    young = created is not None and snap.now - created <= _EVENTS_KEPT
    return sum(e.count for e in events.items if not e.reporter.startswith("default-scheduler")) < (
        _BURST if young else _BURST_LEFT
    )


def was_pod_terminated(pod: Ref, snap: Facts) -> Sign[str]:
    """Tell whether the kubelet ended the Pod as a whole: evicted, shut down with its Node, past its active
    deadline.

    That of a Node's shutdown may be written while the phase still is Running (kubernetes/kubernetes#104531).
    """
    return some(
        snap,
        Phase,
        pod,
        lambda f: [f.reason] if f.reason and (f.phase == "Failed" or f.reason in SHUT_DOWN) else [],
    )


def kills_of(pod: Ref, snap: Facts, run: Run, *why: str) -> Sign[Kill]:
    """Find Kernel kills for memory (`why`: `memcg`, `none`, …; none given: any) in this run's container.

    Yes: the victim's cgroup is this container's, or, if one of the two is unknown, the kill and the run's end
    coincide. Unknown, with hits: the Pod's kills that cannot be assigned to a container. No: all of the
    kernel's log was seen, and none is of this run.
    """
    facts = snap.of(OomKills, pod)
    told = [(f, k, _is_of_run(k, run)) for f in facts for k in f.kills if not why or k.why in why]
    for value in (True, None):
        if found := [(f, k) for f, k, mine in told if mine is value]:
            sure = any(snap.sure(f) for f, _ in found)
            return Sign(value, unique(k for _, k in found), unique(f for f, _ in found), sure=sure)
    whole = tuple(f for f in facts if f.whole and snap.sure(f))
    return Sign(False, seen=whole) if whole else Sign(None, seen=facts, wants=(Want(OomKills, pod),))


def _is_of_run(kill: Kill, run: Run) -> bool | None:
    container = run.end.container_id or (run.status.container_id if run.status.state != "running" else "")
    if kill.container and container:
        return kill.container == container.rpartition("/")[2]
    if kill.at is None or run.end.finished is None:
        return None
    return abs(kill.at - run.end.finished) <= _ONE_TIME


def was_killed_by_machine(pod: Ref, snap: Facts, run: Run) -> Sign[Kill]:
    """Tell whether the kernel killed in this run for the machine's own memory, and not for a limit.

    containerd reports OOMKilled for both: on cgroup v2 `oom_kill` in memory.events counts every kill. Never a
    no.
    """
    kills = kills_of(pod, snap, run)
    return kills if kills.value and all(k.why == "none" for k in kills.hits) else Sign(None)


def _began(kill: Failure) -> datetime | None:
    """Return the time of its first report."""
    return kill.first or kill.src.at


def _lies_within(kill: Failure, end: Termination) -> bool:
    """Tell whether an event lies within the run. A folded one does if it began before the run's end and
    was repeated since its start.
    """
    last, first = kill.src.at, _began(kill)
    if last is None or first is None or end.started is None or end.finished is None:
        return False
    return last >= end.started - _SLACK and first <= end.finished + _SLACK


def join_runs(runs: Sequence[tuple[Run, Sign[Any]]], seen: Iterable[Fact]) -> Sign[Run]:
    """Return one sign for many runs: yes if any is yes, no if all are no; else unknown, with the open runs.

    seen: the statuses that the runs come from; only whole ones show all runs.
    """
    facts = tuple(seen)
    if yes := [(r, s) for r, s in runs if s.value]:
        return Sign(
            True,
            tuple(r for r, _ in yes),
            unique((*facts, *(f for _, s in yes for f in s.seen))),
            sure=any(s.sure for _, s in yes),
        )
    if all(s.value is False for _, s in runs):
        if not all(f.whole for f in facts):
            return Sign(None, seen=facts)
        return Sign(False, seen=unique((*facts, *(f for _, s in runs for f in s.seen))))
    open_ = [(r, s) for r, s in runs if s.value is None]
    return Sign(
        None,
        tuple(r for r, _ in open_),
        unique((*facts, *(f for _, s in open_ for f in s.seen))),
        unique(w for _, s in open_ for w in s.wants),
    )
