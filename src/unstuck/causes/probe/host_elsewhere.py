"""A probe connects to another host than its Pod

## How it happens

`httpGet.host` or `tcpSocket.host` of the probe is set, usually to `127.0.0.1` or `localhost`, in the belief
that it means the container. The kubelet makes the connection itself, from the node: there this is the node's
own loopback, and another name is another host.

## How to tell

The probe's `host` is in the Pod's own spec, the Pod does not share the node's network (`hostNetwork`), and
the kubelet reports that this probe has failed since the container started. For the node's own loopback that
is proof: the probe never reaches the Pod.

## Known limits

Another host than the node itself may be intended: then it is likely at most, since the fault may be that
host's. If a program of the node happens to answer, the probe succeeds regardless of the container; this is
not looked for.

## References

- Kubernetes API reference: HTTPGetAction `host` ("defaults to the pod IP"); pkg/probe/http/request.go,
  pkg/kubelet/prober/prober.go
"""

from __future__ import annotations

from unstuck.causes.container._ends import name_container
from unstuck.causes.container._probed import PROBES, probe_answers
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, only_yes, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerSpec, Handler
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_LOOPBACK = regex(r"127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[?::1\]?")
# Container, which probe, and the probe.
Asked = tuple[str, str, Handler]


def _rule(pod: Ref, snap: Facts) -> Signs:
    elsewhere = some(
        snap,
        Containers,
        pod,
        lambda f: [] if f.host_network else [a for c in f.items for a in _list_elsewhere(c)],
    )
    said = hearsay(snap, Failure, pod, lambda f: [a for a in elsewhere.hits if _fails(f, a)])
    own = tuple(a for a in said.hits if _LOOPBACK.fullmatch(a[2].host))
    node: Sign[Asked] = Sign(True, own, said.seen, sure=said.sure) if own else Sign(None, wants=said.wants)
    return Signs(
        necessary={"a probe of its spec names a host": elsewhere},
        decisive={"that host is the node's own loopback, and the probe fails": node},
        supporting={"the kubelet says that this probe fails": only_yes(said)},
        finding=lambda: _make_finding(pod, (*own, *said.hits)[0], snap),
    )


def _list_elsewhere(c: ContainerSpec) -> list[Asked]:
    probes = (("liveness", c.liveness), ("readiness", c.readiness), ("startup", c.startup))
    return [(c.name, which, probe) for which, probe in probes if probe and probe.host]


def _fails(f: Failure, asked: Asked) -> bool:
    return (
        f.operation == f"probe-{asked[1]}"
        and f.container in (asked[0], None)
        and f.error not in ("killed", "container-stopped")
    )


def _make_finding(pod: Ref, asked: Asked, snap: Facts) -> Finding:
    name, which, probe = asked
    who, kind, field = (
        name_container(name),
        PROBES[which],
        f"{which}Probe.{'httpGet' if probe.how == 'http' else 'tcpSocket'}.host",
    )
    if _LOOPBACK.fullmatch(probe.host):
        says = say(
            (
                "the {kind} probe of {who} asks {host}:{port}, which is the node itself and not the Pod: "
                "{field} is set"
            ),
            kind=kind,
            who=who,
            host=probe.host,
            port=probe.port,
            field=field,
        )
    else:
        says = say(
            "the {kind} probe of {who} asks {host}:{port} instead of the Pod: {field} is set",
            kind=kind,
            who=who,
            host=probe.host,
            port=probe.port,
            field=field,
        )
    return Finding(
        says,
        culprit=Ref("Probe", f"{pod.within}/{pod.name}", f"{name}/{which}"),
        blocks=(make_container_ref(pod, name), pod),
        notes=probe_answers(pod, snap, name, which),
        help=(
            Step(
                say("remove {field}: without it the kubelet asks the Pod's own address", field=field),
                where="source",
                verify=say("the probe succeeds within its period"),
            ),
        ),
        do_not=(
            DoNot(
                say("set hostNetwork so that the probe meets the program"),
                say("the program would listen on the node, for everybody who reaches it"),
            ),
        ),
    )


CAUSE = Cause(
    id="probe.host-elsewhere",
    title=say("a probe connects to another host than its Pod"),
    subjects=("Pod",),
    stages=("started", "ready", "stays-up"),
    reads=frozenset({Failure, Containers}),
    rule=_rule,
)
