r"""A probe uses HTTPS where the program serves plain HTTP, or the other way round

## How it happens

An httpGet probe has `scheme: HTTPS` for a program that serves plain HTTP on that port (TLS was switched off
or ends at the Ingress, or the probe was copied); TLS was switched on in the program and its probe still asks
over HTTP; or the port is that of the other of two listeners. A program may also answer the probe with a
redirect to `https://` on a port where it speaks plain HTTP.

## How to tell

The kubelet reports the answer: `server gave HTTP response to HTTPS client`, or a TLS alert in place of an
answer (`malformed HTTP response "\x15\x03…"`); and the probe in the Pod's own spec asks with the scheme that
does not fit. The kubelet is the authority: it probes.

## Known limits

A TLS server that answers a plain request in words (`Client sent an HTTP request to an HTTPS server`) gives
the status code 400, as many other faults do: the kubelet does not report the text. The intended side, the
scheme or the program's TLS, cannot be seen from here. After an answer with another status code the earlier
refusal no longer counts: the scheme fits by then.

## References

- Kubernetes API reference: HTTPGetAction `scheme`; pkg/probe/http/http.go; Go src/net/http/transport.go,
  response.go
"""

from __future__ import annotations

from unstuck.causes.container._ends import name_container
from unstuck.causes.container._probed import PROBES, probe_answers
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerSpec, Handler
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_REFUSED: dict[ErrorWord, str] = {"plain-http": "HTTPS", "tls-expected": "HTTP"}
# Container, which probe, and the probe.
Asked = tuple[str, str, Handler]


def _rule(pod: Ref, snap: Facts) -> Signs:
    probed = some(snap, Containers, pod, lambda f: [a for c in f.items for a in _list_over_http(c)])
    latest = [
        f
        for f in snap.of(Failure, pod)
        if f.operation.startswith("probe-") and f.error == "http-status" and f.src.at
    ]

    def overcome(f: Failure) -> bool:
        return any(
            o.operation == f.operation and o.container == f.container and f.src.at and o.src.at > f.src.at
            for o in latest
            if o.src.at
        )

    def refused(f: Failure) -> list[Failure]:
        return [f] if f.operation.startswith("probe-") and f.error in _REFUSED and not overcome(f) else []

    said = hearsay(snap, Failure, pod, refused)
    asked = tuple(
        a for f in said.hits for a in probed.hits if _is_of(f, a) and a[2].scheme == _REFUSED[f.error]
    )
    fits: Sign[Asked] = (
        Sign(True, asked, (*said.seen, *probed.seen))
        if asked
        else Sign(False if probed.value is False else None, wants=probed.wants)
    )
    return Signs(
        decisive={
            "the probe of its spec has the scheme that the kubelet says does not fit": all_of([said, fits])
            if said.value
            else fits
        },
        supporting={"the kubelet says that the program speaks the other protocol": said},
        finding=lambda: _make_finding(pod, said.hits[-1], asked, snap),
    )


def _list_over_http(c: ContainerSpec) -> list[Asked]:
    probes = (("liveness", c.liveness), ("readiness", c.readiness), ("startup", c.startup))
    return [(c.name, which, probe) for which, probe in probes if probe and probe.how == "http"]


def _is_of(f: Failure, asked: Asked) -> bool:
    return f.operation == f"probe-{asked[1]}" and f.container in (asked[0], None)


def _make_finding(pod: Ref, failure: Failure, asked: tuple[Asked, ...], snap: Facts) -> Finding:
    which = failure.operation.partition("-")[2]
    one = next((a for a in asked if _is_of(failure, a)), None)
    name = one[0] if one else failure.container
    other = "HTTP" if failure.error == "plain-http" else "HTTPS"
    says = _says(failure, name_container(name), which, one[2].port if one else "")
    field = f"{which}Probe.httpGet.scheme"
    mend = (
        say("set {field} to {other}, or have the program serve TLS on that port", field=field, other=other)
        if other == "HTTP"
        else say("set {field} to {other}", field=field, other=other)
    )
    if not one and failure.error == "plain-http":
        mend = say(
            "have the program answer the probe's path itself, without a redirect to https://, or probe a "
            "path that is not redirected"
        )
    return Finding(
        says,
        culprit=Ref("Probe", f"{pod.within}/{pod.name}", f"{name}/{which}"),
        blocks=(make_container_ref(pod, name), pod),
        notes=(*probe_answers(pod, snap, name, which), *_list_other_ports(pod, name, one, snap)),
        help=(Step(mend, where="source", verify=say("the probe succeeds within its period")),),
        do_not=(
            DoNot(
                say("remove the probe"),
                say("nothing would notice that the program does not answer"),
            ),
        ),
    )


def _says(failure: Failure, who: Text, which: str, port: str) -> Text:
    kind = PROBES[which]
    if failure.error == "tls-expected":
        return say(
            "the {kind} probe of {who} asks over plain HTTP{port}, where the program speaks TLS",
            kind=kind,
            who=who,
            port=_describe_port(port),
        )
    return say(
        "the {kind} probe of {who} asks over HTTPS{port}, where the program speaks plain HTTP",
        kind=kind,
        who=who,
        port=_describe_port(port),
    )


def _describe_port(port: str) -> Text:
    return say(" on port {port}", port=port) if port else NO_TEXT


def _list_other_ports(pod: Ref, name: str | None, asked: Asked | None, snap: Facts) -> tuple[Text, ...]:
    """List the further ports that the container declares: the other protocol may be served there."""
    spec = find_container_spec(pod, name, snap)
    others = [
        f"{number} ({port})" if port else str(number)
        for port, number in (spec.ports if spec else ())
        if asked and asked[2].port not in (port, str(number))
    ]
    return (say("it declares {others}, too", others=list_names(others[:4])),) if others else ()


CAUSE = Cause(
    id="probe.scheme-wrong",
    title=say("a probe uses HTTPS where the program serves plain HTTP, or the other way round"),
    subjects=("Pod",),
    stages=("started", "ready", "stays-up"),
    reads=frozenset({Failure, Containers}),
    rule=_rule,
)
