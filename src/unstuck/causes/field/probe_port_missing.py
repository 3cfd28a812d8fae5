"""A probe or a hook names a port that its container does not have

## How it happens

A probe with `port: metric` is sent to the container's port of that name. The container calls it `metrics`, or
another container of the Pod has it, and the kubelet finds no port: the probe fails, though the program is
well. The API server does not compare the two.

## How to tell

The port of a probe or of a hook (`httpGet`, `tcpSocket`) is a name, and no port of its container has it.

## Known limits

Numbers are not looked at: a program may listen on a port that no container declares.

## References

- Kubernetes core/v1 HTTPGetAction, TCPSocketAction; pkg/probe/util.go (ResolveContainerPort)
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes.container._ends import name_container
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, list_names
from unstuck.diagnosis.verdict import DoNot, Signs, Step
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatuses, Handler
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import list_statuses, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SHOWN = 6


def _check(pod: Ref, snap: Facts) -> Sign[Misfit]:
    ill = {s.name for s in list_statuses(pod, snap) if not s.ready}
    return some(
        snap,
        Containers,
        pod,
        lambda f: [_find_misfit(pod, *one, f) for c in f.items if c.name in ill for one in _list_lost(c)],
    )


def _list_lost(one: ContainerSpec) -> Iterator[tuple[ContainerSpec, str, Handler]]:
    """Yield the handlers with a port name that no port of the container has, each with its field."""
    names = {name for name, _ in one.ports}
    for field, handler in (
        ("readinessProbe", one.readiness),
        ("livenessProbe", one.liveness),
        ("startupProbe", one.startup),
        ("lifecycle.postStart", one.post_start),
    ):
        if (
            handler
            and handler.how in ("http", "tcp")
            and handler.port
            and not handler.port.isdecimal()
            and handler.port not in names
        ):
            yield one, field, handler


def _find_misfit(pod: Ref, one: ContainerSpec, name: str, handler: Handler, spec: Containers) -> Misfit:
    field = f"containers[{one.name}].{name}.{'httpGet' if handler.how == 'http' else 'tcpSocket'}.port"
    there = tuple(n for n, _ in one.ports if n)
    shown = tuple(f"{n} ({number})" if n else str(number) for n, number in one.ports[:_SHOWN])
    elsewhere = next((c.name for c in spec.items if any(n == handler.port for n, _ in c.ports)), "")
    near = pick_nearest(handler.port, there) or (there if len(there) == 1 else ())
    says = (
        say(
            "{field} of {who} is {port}, and that container has no port of that name, only {ports}",
            field=field,
            who=name_container(one.name),
            port=handler.port,
            ports=list_names(shown),
        )
        if shown
        else say(
            "{field} of {who} is {port}, and that container declares no port",
            field=field,
            who=name_container(one.name),
            port=handler.port,
        )
    )
    if elsewhere:
        says += say("; {port} is a port of container {other}", port=handler.port, other=elsewhere)
    right = (
        say("set {field} to {port}", field=field, port=near[0])
        if near
        else say("give the port a name in the container's ports, or its number in {field}", field=field)
    )
    kind = name.removesuffix("Probe")
    return Misfit(
        of=pod,
        field=field,
        says=says,
        help=(
            Step(
                right,
                where="source",
                verify=say("the kubelet finds the port, and the next probe reaches the program"),
            ),
        ),
        blocks=(
            make_container_ref(pod, one.name),
            Ref("Probe", f"{pod.within}/{pod.name}", f"{one.name} {kind}"),
        ),
        do_not=(
            DoNot(say("raise the probe's times or thresholds"), say("the kubelet does not send it at all")),
        ),
    )


PAIRS = (
    Pair(
        "a port that a probe is sent to is not among the container's",
        "contained",
        ("Pod",),
        _check,
        frozenset({Containers, ContainerStatuses}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.probe-port-missing",
    title=say("a probe or a hook names a port that its container does not have"),
    subjects=("Pod",),
    stages=("init-done", "started", "ready", "stays-up"),
    reads=list_reads(PAIRS),
    rule=_rule,
)
