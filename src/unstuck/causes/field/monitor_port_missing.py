"""A monitor names a port that the objects it selects do not have

## How it happens

A ServiceMonitor or a PodMonitor names the port that Prometheus is to scrape. The name belongs to the
container's port and not to the Service's, it was renamed, or the chart has another default. Prometheus finds
the Services, makes no target of them, and neither it nor the operator reports an error.

## How to tell

The selector matches Services (or Pods) of the Namespaces that it looks at, and none of them has a port of the
name in `endpoints[].port` (or `podMetricsEndpoints[].port`). If the selector matches none, the ports of those
are compared that have the labels in another Namespace, or nearly have them: that is likely at most.

## Known limits

Ports given by number (`targetPort`) are not looked at. A monitor that no Prometheus selects is
field.labels-unselected, and a selector without any match is reference.selects-nothing.

## References

- prometheus-operator monitoring/v1 (Endpoint.port, PodMetricsEndpoint.port)
"""

from __future__ import annotations

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Signs, Step
from unstuck.facts.aspects.references import Selects
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace

say = Messages(__name__)

_MONITORS = ("ServiceMonitor.monitoring.coreos.com", "PodMonitor.monitoring.coreos.com")


def _check(monitor: Ref, snap: Facts) -> Sign[Misfit]:
    return some(
        snap, Selects, monitor, lambda f: [_make_misfit(monitor, f)] if f.whole and f.lost and f.count else []
    )


def _check_nearest(monitor: Ref, snap: Facts) -> Sign[Misfit]:
    """Find a port that those lack, too, which the selector would have to select."""
    return some(
        snap,
        Selects,
        monitor,
        lambda f: [_make_misfit(monitor, f)] if f.whole and f.lost and f.ports and not f.count else [],
    )


def _make_misfit(monitor: Ref, found: Selects) -> Misfit:
    port = found.lost[0]
    near = pick_nearest(port, found.ports) or (found.ports if len(found.ports) == 1 else ())
    field = "spec.endpoints[].port" if found.of == "Service" else "spec.podMetricsEndpoints[].port"
    right = (
        say("set {field} to {near}", field=field, near=near[0])
        if near
        else say(
            "give the port the name {port} in the {of}, or correct {field}",
            port=port,
            of=found.of,
            field=field,
        )
    )
    look = (
        command("kubectl get services {space} -o yaml", space=given.space(monitor))
        if found.of == "Service"
        else command("kubectl get pods {space} -o yaml", space=given.space(monitor))
    )
    return Misfit(
        of=monitor,
        field=field,
        says=_tell(monitor, found) if found.count else _tell_nearest(monitor, found),
        help=(
            Step(right, where="source", verify=say("Prometheus lists the targets")),
            Step(say("see the names of their ports"), command=look),
        ),
    )


def _tell(monitor: Ref, found: Selects) -> Text:
    if not found.ports:
        return say(
            "{monitor} asks for port {port}, and no {of} that it selects ({n}) has a port with "
            "a name: nothing is scraped",
            monitor=who(monitor),
            port=found.lost[0],
            n=found.count,
            of=found.of,
        )
    return say(
        "{monitor} asks for port {port}, and no {of} that it selects ({n}) has a port of that name, only "
        "{ports}: nothing is scraped",
        monitor=who(monitor),
        port=found.lost[0],
        n=found.count,
        of=found.of,
        ports=list_names(found.ports),
    )


def _tell_nearest(monitor: Ref, found: Selects) -> Text:
    port, ports = found.lost[0], list_names(found.ports)
    if found.elsewhere:
        return say(
            "{monitor} asks for port {port}, and {it}, which has the labels that it selects, "
            "has only {ports}",
            monitor=who(monitor),
            port=port,
            it=who(found.elsewhere[0]),
            ports=ports,
        )
    return say(
        "{monitor} asks for port {port}, and the {of}s with nearly the labels that it selects "
        "have only {ports}",
        monitor=who(monitor),
        port=port,
        of=found.of,
        ports=ports,
    )


PAIRS = (
    Pair(
        "a port that it asks for by name is none of the nearest objects'",
        "offered",
        _MONITORS,
        _check_nearest,
        frozenset({Selects}),
        proves=False,
    ),
    Pair(
        "a port that it asks for by name is none of those that it selects",
        "offered",
        _MONITORS,
        _check,
        frozenset({Selects}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    signs = judge_pairs(PAIRS, subject, snap)
    # Where nothing is selected, the ports of what would be are likely at most.
    near = any(s.value for s in signs.supporting.values())
    return replace(signs, decisive={}) if near else signs


CAUSE = Cause(
    id="field.monitor-port-missing",
    title=say("a monitor names a port that the objects it selects do not have"),
    subjects=_MONITORS,
    reads=list_reads(PAIRS),
    rule=_rule,
)
