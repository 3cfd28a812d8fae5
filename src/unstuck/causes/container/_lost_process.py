"""Containers in which the kernel killed a process beside the first one, and which a probe found unhealthy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from unstuck.causes.container._ends import find_last_runs, was_ended_by_probe
from unstuck.diagnosis.sign import Sign, unique
from unstuck.facts.aspects.objects import Conditions, Failure
from unstuck.facts.aspects.oom import Kill, OomKills
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import Operation

# The difference of the kernel's clock and the kubelet's events, which have whole seconds.
_SLACK = timedelta(seconds=5)


@record()
class Lost(Record):
    """A container in which the kernel killed a process beside the first. id: the container's. began: its
    run. over: a probe ended it.
    """

    name: str
    id: str
    began: datetime | None
    over: bool = False
    kill: Kill | None = None


def find_lost(pod: Ref, snap: Facts) -> Sign[Lost]:
    """Find containers that a probe found unhealthy after the kernel had killed a process in them for a limit.
    Never a no.

    The first process lives where the kernel kills one process alone: cgroup v1, and v2 with the kubelet's
    `singleProcessOOMKill`. If the probe had failed before, cause and effect stay open.
    """
    kills = [(f, k) for f in snap.of(OomKills, pod) for k in f.kills if k.why == "memcg"]
    found = [
        (replace(one, kill=k), (f, *facts))
        for one, facts in list_unhealthy(pod, snap)
        for f, k in kills
        if one.id and k.container == one.id
    ]
    if not found:
        return Sign(None)
    in_order = [(one, facts) for one, facts in found if _precedes(one, pod, snap, [k for _, k in kills])]
    seen = unique(f for _, facts in in_order or found for f in facts)
    hits = unique(one for one, _ in in_order or found)
    return Sign(True if in_order else None, hits, seen, sure=all(snap.sure(f) for f in seen))


def list_unhealthy(pod: Ref, snap: Facts) -> Iterator[tuple[Lost, tuple[Fact, ...]]]:
    """Yield running containers that are not ready, and containers whose last run a liveness probe ended, each
    with its evidence.
    """
    for f in snap.of(ContainerStatuses, pod):
        for s in f.items:
            if s.state == "running" and not s.ready:
                yield Lost(s.name, _strip_runtime(s.container_id), s.since), (f,)
    runs = find_last_runs(pod, snap)
    for run in runs.hits:
        by_probe = was_ended_by_probe(pod, snap, run, "liveness")
        if by_probe.value:
            yield (
                Lost(run.name, _strip_runtime(run.end.container_id), run.end.started, over=True),
                (*runs.seen, *by_probe.seen),
            )


def _strip_runtime(container_id: str) -> str:
    return container_id.rpartition("/")[2]


def _precedes(one: Lost, pod: Ref, snap: Facts, kills: Sequence[Kill]) -> bool:
    """Tell whether no probe of this run failed before the kill, or the Pod was ready until then. Without a
    probe there is no evidence against it.

    One Event may stand for several runs: then each run may have failed alike, if no probe failed before the
    Pod's first kill.
    """
    asked: tuple[Operation, ...] = (
        ("probe-liveness",) if one.over else ("probe-liveness", "probe-readiness", "probe-startup")
    )
    told = [
        (f.first or f.src.at, f.src.at)
        for f in snap.of(Failure, pod)
        if f.operation in asked and f.error != "killed" and f.container in (one.name, None) and f.src.at
    ]
    at = one.kill.at if one.kill else None
    if not told:
        return not one.over
    if at is None:
        return False
    began, earliest = one.began or at, min(k.at for k in kills if k.at)
    lost_since = [
        c.since for f in snap.of(Conditions, pod) if (c := f.get("Ready")) and c.status == "False" and c.since
    ]
    if not one.over and lost_since and min(lost_since) >= at - _SLACK:
        return True
    own = [first for first, _ in told if first >= began - _SLACK]
    folded = [first for first, last in told if first < began - _SLACK and last >= at - _SLACK]
    return (
        bool(own or folded)
        and all(f >= at - _SLACK for f in own)
        and all(f >= earliest - _SLACK for f in folded)
    )
