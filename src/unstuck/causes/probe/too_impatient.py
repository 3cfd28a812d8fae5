"""A probe kills the container before its program has started

## How it happens

The program needs longer to open its port than its liveness or startup probe allows: on a busy Node, with a
cold cache, after an upgrade with a migration. The kubelet ends the container at the first moment that it may,
and each new start ends the same way.

## How to tell

The kubelet ended the run for the probe as soon as the probe's tries were used up, every answer was
`connection refused`, the container declares the probed port, and the probe's whole allowance after a start is
half a minute or less. Where a CPU limit below one core is set and the Pod has one container, a look at its
node shows whether that is the reason: its cgroup had to wait for processor time in half of its periods or
more (`nr_throttled` of `nr_periods` in `cpu.stat`).

## Known limits

A program that would never have opened that port looks the same in such a short run: this is likely at most,
and its log shows its progress. A probe that the program answers with an error is not covered here.

## References

- Kubernetes documentation "Configure Liveness, Readiness and Startup Probes"; pkg/kubelet/prober/worker.go
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from unstuck.causes.container._ends import Run, find_last_runs, was_ended_by_probe
from unstuck.causes.container._last_words import describe_restarts, quote_last_words
from unstuck.causes.container._probed import PROBES
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, hearsay, only_yes
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cgroup_limits import CgroupLimits
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Handler, LastLines, Life
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_amount
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

Probe = Literal["liveness", "startup"]
_PROBES: tuple[Probe, ...] = ("liveness", "startup")
_OPERATIONS: dict[Probe, Operation] = {"liveness": "probe-liveness", "startup": "probe-startup"}
_SHORT = 30
_CORE = 1000
# Two seconds of processor time; with less, the share is meaningless.
_FEW_PERIODS = 20
_SLACK = timedelta(seconds=15)


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = find_last_runs(pod, snap)
    asked = [
        (r, p)
        for r in runs.hits
        for p in _PROBES
        if _is_hasty(_find_handler(r, p)) and _ended_at_once(pod, r, p, snap)
    ]
    found = [(r, p) for r, p in asked if was_ended_by_probe(pod, snap, r, p).value]
    refused = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.error == "connection-refused" and f.operation in _list_operations(found) else [],
    )
    answered = hearsay(
        snap,
        Failure,
        pod,
        lambda f: (
            [f]
            if f.operation in _list_operations(found) and f.error in ("http-status", "failed", "timeout")
            else []
        ),
    )
    early: Sign[Any] = (
        Sign(True, tuple(found), runs.seen, sure=runs.sure) if found and not answered.value else Sign(None)
    )
    told: Sign[Any] = all_of([early, refused])
    none: Sign[Any] = (
        Sign(False, seen=runs.seen) if runs.value is not None and not asked else Sign(None, wants=runs.wants)
    )
    return Signs(
        decisive={"the program opens its port later": none},
        supporting={
            "it was ended at the first moment for a refused connection to a port that it declares": only_yes(
                told
            )
        },
        finding=lambda: _make_finding(pod, snap, *found[0]),
    )


def _find_handler(run: Run, probe: Probe) -> Handler | None:
    return None if run.spec is None else run.spec.liveness if probe == "liveness" else run.spec.startup


def _list_operations(found: list[tuple[Run, Probe]]) -> tuple[Operation, ...]:
    return tuple(_OPERATIONS[p] for _, p in found)


def _count_allowed_seconds(handler: Handler) -> int:
    return handler.delay + handler.failures * handler.period


def _is_hasty(handler: Handler | None) -> bool:
    """Tell whether the probe asks a port and gives a new container half a minute or less."""
    return (
        handler is not None
        and handler.how in ("http", "tcp", "grpc")
        and _count_allowed_seconds(handler) <= _SHORT
    )


def _ended_at_once(pod: Ref, run: Run, probe: Probe, snap: Facts) -> bool:
    """Tell whether the run ended as soon as the probe allowed it, and the container declares the port. A
    startup probe must not hold the other back.
    """
    handler, end = _find_handler(run, probe), run.end
    if handler is None or run.spec is None or end.started is None or end.finished is None:
        return False
    held = probe == "liveness" and run.spec.startup is not None
    declares = any(handler.port in (name, str(number)) for name, number in run.spec.ports)
    grace = timedelta(seconds=max((f.grace for f in snap.of(Containers, pod)), default=30))
    return (
        declares
        and not held
        and end.finished - end.started <= timedelta(seconds=_count_allowed_seconds(handler)) + grace + _SLACK
    )


def _make_finding(pod: Ref, snap: Facts, run: Run, probe: Probe) -> Finding:
    handler = _find_handler(run, probe)
    seconds = _count_allowed_seconds(handler) if handler else 0
    kind = PROBES[probe]
    words, enrich = quote_last_words(pod, snap, run)
    mend = (
        say(
            "add a startupProbe whose failureThreshold covers its slowest start; the liveness probe waits "
            "for that"
        )
        if probe == "liveness"
        else say("raise failureThreshold of its startupProbe above its slowest start")
    )
    says = say(
        (
            "the {kind} probe of container {run} gives it {seconds} s to open its port, and kills it before "
            "that happens"
        ),
        kind=kind,
        run=run.name,
        seconds=seconds,
    )
    limit = dict(run.spec.limits).get("cpu", "") if run.spec else ""
    slow: tuple[Step, ...] = ()
    # Below one core a start takes longer than on the machine where it was measured.
    if limit and (parse_amount("cpu", limit) or _CORE) < _CORE:
        told, slow = _describe_throttling(pod, limit, snap)
        says += told
        enrich = (*enrich, Want(CgroupLimits, pod))
    return Finding(
        says,
        culprit=Ref("Probe", f"{pod.within}/{pod.name}", f"{run.name} {probe}"),
        blocks=(make_container_ref(pod, run.name), pod),
        notes=(*describe_restarts(run), *words),
        help=(
            Step(say("see in its log how far startup got"), command=run.log(pod)),
            *slow,
            Step(mend, where="source", verify=say("the container stays up after startup")),
        ),
        do_not=(
            DoNot(
                say("permanently raise the liveness probe's period"),
                say("a later hang is then noticed just as late"),
            ),
        ),
        enrich=enrich,
    )


def _describe_throttling(pod: Ref, limit: str, snap: Facts) -> tuple[Text, tuple[Step, ...]]:
    """Return the share of a CPU limit in it, if the Pod's cgroup was seen, and its fix."""
    told = say("; its CPU limit is {limit}", limit=limit)
    seen = _count_throttled(pod, snap)
    if seen is None:
        where = say(
            (
                "if its start is throttled at that limit (nr_throttled in cpu.stat of its cgroup grows), "
                "raise limits.cpu above {limit}"
            ),
            limit=limit,
        )
        return told, (Step(where, where="source"),)
    throttled, periods = seen
    told += say(
        ", at which it is throttled in {throttled} of {periods} periods", throttled=throttled, periods=periods
    )
    if throttled * 2 < periods:
        return told, ()
    return told, (
        Step(
            say("raise limits.cpu above {limit}: the start is slow because it is throttled", limit=limit),
            where="source",
        ),
    )


def _count_throttled(pod: Ref, snap: Facts) -> tuple[int, int] | None:
    """Return the number of its periods in which the Pod's cgroup had to wait, and that of all; None if not
    seen.

    A container's own cgroup goes with its run. The Pod's cgroup has the limits of all its containers
    together; with one container it is that container's.
    """
    if any(len([c for c in f.items if c.kind == "main"]) != 1 for f in snap.of(Containers, pod)):
        return None
    groups = (
        g
        for f in snap.of(CgroupLimits, pod)
        for g in f.items
        if g.pod and g.quota and (g.periods or 0) >= _FEW_PERIODS
    )
    shares = [(g.throttled or 0, g.periods or 0) for g in groups]
    return max(shares, key=lambda s: s[0] / s[1], default=None)


CAUSE = Cause(
    id="probe.too-impatient",
    title=say("a probe kills the container before its program has started"),
    subjects=("Pod",),
    stages=("started", "ready", "stays-up"),
    reads=frozenset({CgroupLimits, ContainerStatuses, Containers, Events, Failure, LastLines, Life}),
    rule=_rule,
)
