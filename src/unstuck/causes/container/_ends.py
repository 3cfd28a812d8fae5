"""Ended runs of a Pod's containers, and who ended them: what every cause of this family begins with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Text, lasting
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatus, ContainerStatuses, Handler, LastLines, Life, Termination
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# A container that has run longer than this again is not in a loop now (the longest back-off is 5 min).
_AGAIN = timedelta(minutes=10)
# The API server keeps events for an hour (`--event-ttl`): within it, no event of a kill says that there was none.
_EVENTS_KEPT = timedelta(minutes=55)
_SLACK = timedelta(seconds=5)
_BURST = 25
# Of a Pod older than the events that are kept, an earlier burst may have been spent: then 12 come through in an hour.
_BURST_LEFT = 10
STAGES = ("init-done", "started", "ready", "stays-up")
SIGNALS = range(129, 193)
# What the kubelet writes for a run that ended by a signal or by the program's answer to one.
_OF_A_KILL = ("Error", "Completed", "")


@record()
class Run(Record):
    """The last ended run of one container. spec: what was asked for, None while the spec was not seen."""

    status: ContainerStatus
    end: Termination
    spec: ContainerSpec | None = None

    @property
    def name(self) -> str:
        """The container's name."""
        return self.status.name


def container_ref(pod: Ref, name: str | None) -> Ref:
    """How a container of this Pod is named as a culprit; the Pod where nothing names the container."""
    return pod if name is None else Ref("Container", f"{pod.within}/{pod.name}" if pod.within else pod.name, name)


def called(name: str | None) -> Text:
    """`container c`, or `a container` where nothing names it."""
    return Text(f"container {name}", f"容器 {name}") if name else Text("a container", "某个容器")


def ended(pod: Ref, snap: Snapshot) -> Sign[Run]:
    """The last ended run of every container that should run and is down, or was a moment ago. No: none ended so."""
    asked = snap.one(Containers, pod)
    specs = {c.name: c for c in asked.items} if asked else {}
    restart = asked.restart if asked else "Always"
    return some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [Run(s, end, specs.get(s.name)) for s in f.items if (end := _end(s, snap)) and _fails(s, end, restart)],
    )


def _end(s: ContainerStatus, snap: Snapshot) -> Termination | None:
    if s.kind == "ephemeral" or s.state == "none":
        return None
    if s.state == "running" and s.since is not None and snap.now - s.since > _AGAIN:
        return None
    return s.ended or s.last


def _fails(s: ContainerStatus, end: Termination, restart: str) -> bool:
    """Whether such an end keeps the Pod from being up: an init container or a Job's may well end with 0."""
    return end.code != 0 or s.kind == "sidecar" or (s.kind == "main" and restart == "Always")


def ended_by_probe(pod: Ref, snap: Snapshot, run: Run, probe: str) -> Sign[Failure]:
    """Whether the kubelet ended this run because a probe failed. probe: `liveness` or `startup`.

    Yes: its own event says so and lies within the run. No: there is no such probe, the run was too short for it to fail, or all
    events were seen, none was dropped, and none says so.
    """
    kills = [
        f for f in snap.of(Failure, pod) if f.operation == f"probe-{probe}" and f.error == "killed" and f.container in (run.name, None)
    ]
    if run.end.reason in _OF_A_KILL and (within := tuple(f for f in kills if _within(f, run.end))):
        return Sign(True, within, within, sure=any(snap.sure(f) for f in within))
    asked = snap.one(Containers, pod)
    handler = None if run.spec is None else run.spec.liveness if probe == "liveness" else run.spec.startup
    # A kill for a probe that the Pod does not show says that not all of the Pod was shown.
    without = not kills if handler is None else _too_short(run, handler)
    if asked is not None and asked.whole and run.spec is not None and without:
        return Sign(False, seen=(asked,))
    if run.end.reason not in _OF_A_KILL:
        return Sign(False)
    events = next((f for f in snap.of(Events, pod) if f.whole), None)
    if events is not None and _complete(events, pod, snap, run):
        return Sign(False, seen=(events,))
    return Sign(None, tuple(kills), tuple(kills), () if events is not None else (Want(Events, pod),))


def _too_short(run: Run, handler: Handler) -> bool:
    """Whether the run ended before the probe could have failed often enough."""
    if run.end.started is None or run.end.finished is None or run.end.finished < run.end.started:
        return False
    lasted = run.end.finished - run.end.started + timedelta(seconds=1)
    return lasted < timedelta(seconds=handler.delay + (handler.failures - 1) * handler.period)


def _complete(events: Events, pod: Ref, snap: Snapshot, run: Run) -> bool:
    """Whether no event of this run can lack: none has aged out, and the kubelet, which drops events beyond a burst, reached none.

    Source: client-go tools/record/events_cache.go (a burst of 25 for one object, then one in 5 min).
    """
    if run.end.finished is None or snap.now - run.end.finished > _EVENTS_KEPT:
        return False
    created = next((f.created for f in snap.of(Life, pod) if f.created), None)
    young = created is not None and snap.now - created <= _EVENTS_KEPT
    return sum(e.count for e in events.items if not e.reporter.startswith("default-scheduler")) < (_BURST if young else _BURST_LEFT)


def turned_out(pod: Ref, snap: Snapshot) -> Sign[str]:
    """Whether the kubelet ended the Pod as a whole: evicted, shut down with its Node, past its active deadline."""
    return some(snap, Phase, pod, lambda f: [f.reason] if f.phase == "Failed" and f.reason else [])


def _within(kill: Failure, end: Termination) -> bool:
    """An event that is folded from several lies within the run if it began before the run's end and was repeated since its start."""
    last, first = kill.src.at, kill.first or kill.src.at
    if last is None or first is None or end.started is None or end.finished is None:
        return False
    return last >= end.started - _SLACK and first <= end.finished + _SLACK


def judged(runs: Sequence[tuple[Run, Sign[Any]]], seen: Iterable[Fact]) -> Sign[Run]:
    """One sign of many runs' signs: yes if any is, no if all are; else unknown, showing the runs for which it is open.

    seen: the statuses that the runs come from; only where these are whole were all runs seen.
    """
    facts = tuple(seen)
    if yes := [(r, s) for r, s in runs if s.value]:
        return Sign(
            True, tuple(r for r, _ in yes), unique((*facts, *(f for _, s in yes for f in s.seen))), sure=any(s.sure for _, s in yes)
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


def how_often(run: Run) -> tuple[Text, ...]:
    """`restarted 4 times; the last run lasted 2 s`."""
    again = run.status.restarts
    times = Text(f"restarted {again} times", f"已重启 {again} 次") if again else Text("not restarted yet", "尚未重启")
    if run.end.started and run.end.finished and run.end.finished >= run.end.started:
        span = lasting(run.end.finished - run.end.started)
        times += Text(f"; its last run lasted {span.en}", f"；上一次运行持续了 {span.zh}")
    return (times,)


def last_words(pod: Ref, snap: Snapshot, run: Run, lines: int = 3) -> tuple[tuple[Text, ...], tuple[Want, ...]]:
    """What the container wrote last, as notes, and what to ask where its log was not read."""
    ref = container_ref(pod, run.name)
    logs = snap.of(LastLines, ref)
    log = next((f for f in logs if f.previous), logs[0] if logs else None)
    if log is None:
        return (), (Want(LastLines, ref),)
    if not log.lines:
        return (Text("its log is empty", "其日志为空"),), ()
    return tuple(Text(f"its log: {line[:200]}", f"其日志：{line[:200]}") for line in log.lines[-lines:]), ()
