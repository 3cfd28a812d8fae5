"""The program ends because it cannot resolve a host name

## How it happens

The program connects to a host by its name, the name has no address, and the program gives up: the name of the
Service is misspelled or was changed, the Service is in another Namespace (a short name is looked up in the
Pod's own), it has not been created, a headless Service has no Pod that is ready, or a name outside of the
cluster does not exist.

## How to tell

The run ended with an error and was not ended from outside, and its last lines have its language's message:
`no such host` (Go), `UnknownHostException` (Java), `getaddrinfo ENOTFOUND` (Node.js), `Name or service not
known` (glibc), `host not found in upstream` (nginx). It is proven if the name is that of a Service in this
cluster and the whole list of its Namespace has none of that name.

## Known limits

`NAME.NAMESPACE` may mean the cluster or the outside world: it stays likely, as every public name does. A line
that the program wrote some time before it ended for another reason reads the same; the last few lines alone
are read. A missing answer (`EAI_AGAIN`, `server misbehaving`) is no evidence about the name, and is reported
by program.dns-unanswered.

## References

- Documentation "DNS for Services and Pods"; Go src/net/dnsclient_unix.go; glibc posix/gai_strerror-strs.h;
  nginx ngx_http_upstream.c
"""

from __future__ import annotations

from unstuck.causes import _addresses
from unstuck.causes._addresses import AddressSource, find_address_source
from unstuck.causes.program._client import RESOLVE, is_of_client, look_at_kubeconfig, mend_client
from unstuck.causes.program._plain import make_no_unknown, mend
from unstuck.causes.program._resolver import SEE_CLUSTER_DNS, ask_for_name
from unstuck.causes.program._service import find_near_services, find_service, is_service_absent
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_lone_messages,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Names
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# So many Services of a Namespace are named.
_FEW = 3
_ASK_CLUSTER = mend(
    say(
        "set dnsPolicy: ClusterFirst in the Pod's spec, with hostNetwork: ClusterFirstWithHostNet, so that "
        "it asks the cluster's DNS"
    )
)
# A name server's answer that the name does not exist.
_FIRM = regex(
    r"NXDOMAIN|nxdomain|no such host|ENOTFOUND|not known|Non-existent domain|does not resolve|UnknownHost"
)
# pkg/controller/statefulset: a Pod's host name below its StatefulSet's serviceName.
_OF_A_SET = regex(
    r"(?P<pod>[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?-\d{1,5})\.(?P<service>[a-z0-9-]{1,63})\."
    r"(?P<space>[a-z0-9-]{1,63})\.svc(?:\.|$)"
)
_ASKED = regex(r"\blookup \S{1,253} on (?P<server>[\d.]{7,15}|\[[0-9a-f:]{2,45}\]):\d")
# Daemons of a node, as its journal names them.
_ON_NODES = ("kubelet", "kube-proxy", "containerd", "dockerd", "docker", "crio", "kubeadm", "k3s", "rke2")


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = find_program_messages(pod, snap, "name-unresolved")
    services = (
        [s for t in said.hits if (s := find_service(t.complaint.name, pod))] if pod.kind == "Pod" else []
    )
    missing: Sign[Ref] = any_of([is_service_absent(s, snap) for s in services]) if services else Sign(None)
    lone = find_lone_messages(pod, snap, "name-unresolved")
    return Signs(
        necessary={"the last lines of a run that ended badly say that a name was not resolved": said},
        decisive={"the Namespace has no Service of this name": make_no_unknown(missing)},
        supporting={"its message is that of a resolver": said if said.value else lone},
        finding=lambda: _make_finding(pod, said.hits[0], missing, snap),
    )


def _make_finding(pod: Ref, one: ProgramMessage, missing: Sign[Ref], snap: Facts) -> Finding:
    name = one.complaint.name
    if pod.kind == "Text":
        return _make_in_text_finding(pod, one)
    service = find_service(name, pod)
    what = say("it cannot resolve the name {name}", name=name) if name else say("it cannot resolve a name")
    source = find_address_source(pod, one.run.name or None, one.complaint, snap)
    what += source.says
    correct = (
        mend(say("correct the host in {place}", place=source.place))
        if source.place.en
        else mend(say("correct the name in the program's settings"))
    )
    if "_" in name and "." not in name:
        return _make_underscore_finding(pod, one, what, source, snap)
    if service is not None and service not in missing.hits and (policy := _find_policy(pod, snap)):
        return make_finding(pod, one, what + policy, (_ASK_CLUSTER,), enrich=source.wants)
    if service is None or service not in missing.hits:
        return make_finding(pod, one, what, (*_look(service), correct), enrich=source.wants)
    alike = find_near_services(service, snap)
    lacks = say(
        "; there is no Service {service} in Namespace {within}", service=service.name, within=service.within
    )
    namesakes = _find_namesakes(service, pod, snap)
    if namesakes.hits:
        there = namesakes.hits[0]
        lacks += say("; Namespace {within} has a Service {service}", within=there.within, service=there.name)
        place = source.place if source.place.en else say("the program's settings")
        correct = mend(
            say(
                "set the host in {place} to {host}, if that is meant",
                place=place,
                host=f"{there.name}.{there.within}",
            )
        )
    elif alike:
        lacks += say("; Service {alike} is there", alike=alike[0])
        place = source.place if source.place.en else say("the program's settings")
        correct = mend(
            say("set the host in {place} to {alike}, if that is meant", place=place, alike=alike[0])
        )
    elif others := _list_others(service, pod, snap):
        lacks += say("; its {n:Service is|Services are} {others}", n=len(others), others=list_names(others))
        if len(others) == 1:
            place = source.place if source.place.en else say("the program's settings")
            correct = mend(
                say("set the host in {place} to {alike}, if that is meant", place=place, alike=others[0])
            )
    return make_finding(
        pod,
        one,
        what + lacks,
        (*_look(service), correct),
        culprit=service,
        enrich=(*source.wants, *namesakes.wants),
    )


def _make_underscore_finding(
    pod: Ref, one: ProgramMessage, what: Text, source: AddressSource, snap: Facts
) -> Finding:
    """Return the finding for a name that no Service can have: Compose names its services so."""
    meant = Ref("Service", pod.within, one.complaint.name.replace("_", "-").lower())
    what += say("; no Service can have this name: it has an underscore")
    listed = any(meant.name in f.names for f in snap.of(Names, Ref("ServiceList", pod.within)))
    known = listed or bool(snap.of(ServiceSpec, meant))
    if known:
        what += say("; Service {alike} is there", alike=meant.name)
    place = source.place if source.place.en else say("the program's settings")
    correct = (
        mend(say("set the host in {place} to {alike}, if that is meant", place=place, alike=meant.name))
        if known
        else mend(say("correct the host in {place}", place=place))
    )
    asked = Want(Names, Ref("ServiceList", pod.within))
    wants = () if known or snap.answered(asked) else (asked,)
    return make_finding(pod, one, what, (correct,), enrich=unique((*source.wants, *wants)))


def _find_namesakes(service: Ref, pod: Ref, snap: Facts) -> Sign[Ref]:
    """Return the Services of this name in other Namespaces, for a name without a Namespace."""
    if service.within != pod.within:
        return Sign(None)
    about = Ref("ServiceName", None, service.name)
    return some(snap, ServicesAt, about, lambda f: [s for s in f.services if s.within != pod.within])


def _find_policy(pod: Ref, snap: Facts) -> Text | None:
    """Return the setting by which the Pod asks its node's name servers, which know no Service; None without
    it.
    """
    host = any(f.host_network for f in snap.of(Containers, pod))
    policy = next((f.dns_policy for f in snap.of(PodSettings, pod)), "")
    if policy == "Default":
        return say(
            "; the Pod has dnsPolicy: Default: it asks the name servers of its node, which know no Service"
        )
    if host and policy == "ClusterFirst":
        return say(
            "; the Pod has hostNetwork and dnsPolicy: ClusterFirst: it asks the name servers of its node, "
            "which know no Service"
        )
    return None


def _list_others(service: Ref, pod: Ref, snap: Facts) -> tuple[str, ...]:
    """Return the Services of another Namespace that the name means, if they are few: one of them is meant."""
    if service.within == pod.within:
        return ()
    names = sorted({n for f in snap.of(Names, Ref("ServiceList", service.within)) for n in f.names})
    return tuple(names) if len(names) <= _FEW else ()


def _make_in_text_finding(text: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a resolver's message in a text."""
    name, line = one.complaint.name, one.complaint.line
    asked = _ASKED.search(line)
    server = say(" at DNS server {server}", server=asked["server"]) if asked else NO_TEXT
    if name and not _FIRM.search(line):
        means = say(
            "the name {name} is not resolved: nothing has that name, or no name server answers", name=name
        )
    else:
        means = say("the name {name} has no address", name=name) if name else say("a name has no address")
    if is_of_client(line):
        return make_finding(text, one, means + server, (look_at_kubeconfig(), mend_client(RESOLVE)))
    if name and one.by in _ON_NODES:
        return make_finding(text, one, means + server, _resolve_on_node(name))
    correct = mend(say("correct the name in the program's settings"))
    if member := _OF_A_SET.match(name):
        service = Ref("Service", member["space"], member["service"])
        whose = say(
            ": it is that of Pod {pod} under its headless Service {service}",
            pod=member["pod"],
            service=service.name,
        )
        of_pod = _look_at_member(Ref("Pod", member["space"], member["pod"]))
        return make_finding(
            text,
            one,
            means + whose + server,
            (of_pod, *_look_at_headless(service), *ask_for_name(name), SEE_CLUSTER_DNS),
        )
    return make_finding(text, one, means + server, (*ask_for_name(name), SEE_CLUSTER_DNS, correct))


def _resolve_on_node(name: str) -> tuple[Step, ...]:
    """Return the steps for a name that a node's daemon asks for: by the machine's own resolver."""
    return (
        Step(
            say("on that node: ask for the name; a node's daemon does not ask the cluster's DNS"),
            command=command("getent hosts -- {name}", name=given.host(name)),
        ),
        Step(
            say(
                "give it an address there, in /etc/hosts or on the name server of /etc/resolv.conf, or "
                "correct the name where it is set; for a node's own name --hostname-override"
            )
        ),
    )


def _look_at_member(pod: Ref) -> Step:
    """Return the step that shows the Pod with that name: it has an address there only while it is ready."""
    return Step(
        say("see whether this Pod is there and ready: a headless Service names ready Pods only"),
        command=command("kubectl get {pod} {space} -o wide", pod=given.of(pod), space=given.space(pod)),
    )


def _look_at_headless(service: Ref) -> tuple[Step, ...]:
    """Return the step that shows a StatefulSet's Service: without publishNotReadyAddresses no Pod finds
    its own name as it starts.
    """
    return (
        Step(
            say(
                "see whether this Service is there, and publishes Pods that are not "
                "ready yet (publishNotReadyAddresses)"
            ),
            command=command(
                "kubectl get {service} {space} -o yaml", service=given.of(service), space=given.space(service)
            ),
        ),
    )


def _look(service: Ref | None) -> tuple[Step, ...]:
    if service is None:
        return ()
    return (
        Step(
            say("see which Services there are"),
            command=command("kubectl get services {space}", space=given.space(service)),
        ),
    )


CAUSE = Cause(
    id="program.cannot-resolve-name",
    title=say("the program ends because it cannot resolve a host name"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | _addresses.READS | {Names, ServicesAt, ServiceSpec},
    rule=_rule,
)
