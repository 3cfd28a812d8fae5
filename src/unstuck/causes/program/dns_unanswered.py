"""The program ends because its DNS queries get no answer

## How it happens

The program connects to a host by its name, its name server gives no answer or only a failure, and the program
gives up: the Pods of the cluster's DNS do not run or are not ready, the server that they ask outside does not
answer, or the way there is cut (a NetworkPolicy, kube-proxy, the node's firewall). This does not mean that
the name is wrong.

## How to tell

The run ended with an error and was not ended from outside, and its last lines have its language's message:
`EAI_AGAIN` (Node.js), `Temporary failure in name resolution` (glibc, Python), `Try again` (musl), `server
misbehaving`, or `lookup …: i/o timeout` (Go). It is proven if the Service of the cluster's DNS has no ready
endpoint. That Service is the one with the name server's address, if the line has it, else
`kube-system/kube-dns`. In CoreDNS' own log (`plugin/errors: … read udp A->B:53: i/o timeout`) it is B that
does not answer: the server to which it forwards.

## Known limits

With its own name server (`dnsPolicy`, `dnsConfig`) a program does not query the cluster's: the endpoints of
that are reported all the same, if the line does not name the server. Whether the way there is open is not
looked up.

## References

- Documentation "DNS for Services and Pods", "Debugging DNS Resolution"; getaddrinfo(3), EAI_AGAIN; Go
  src/net/dnsclient_unix.go
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.causes.program import _policies
from unstuck.causes.program._plain import make_no_unknown, mend
from unstuck.causes.program._policies import view_name_queries
from unstuck.causes.program._resolver import SEE_CLUSTER_DNS, ask_for_name
from unstuck.causes.program._service import find_name_service, lacks_ready_pods
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
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.objects_named import find_name_server
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.sign import Sign, all_of, any_of, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.services import ServicePods, ServicesAt, ServiceSpec
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node, find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_ERROR: ProgramError = "name-unanswered"
_NAMED = 3
_LOOPBACK = regex(r"127\.|::1$")
# CoreDNS' prefixes of an upstream server's error: plugin/errors; `unreachable backend` up to 1.4
# (plugin/proxy).
_FORWARDS = regex(r"\bplugin/errors: |\bunreachable backend: |^\[ERROR\] \d \S")
# Name of CoreDNS' own question at its start: plugin/loop/setup.go.
_RANDOM = regex(r"\d{6,20}\.\d{6,20}")
# RFC 1035, section 4.1.1: RCODE 2; for Go (src/net/dnsclient_unix.go, checkHeader) this is an answer, too,
# and no silence.
_FAILED = regex(r"\bSERVFAIL\b|\bserver misbehaving\b")
_SETTINGS = Step(
    say("check which servers CoreDNS forwards to: those of its Corefile, or of its Node's /etc/resolv.conf"),
    command=command("kubectl get configmap/coredns -n kube-system -o yaml"),
)
_OWN_QUESTION = say(
    "HINFO of such a name is CoreDNS' own query at its start, to detect loops; some servers never answer "
    "it: check whether they answer for ordinary names"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = find_program_messages(pod, snap, _ERROR)
    nobody = (
        any_of([_judge_nobody(t, pod, snap) for t in said.hits])
        if said.hits and pod.kind == "Pod"
        else Sign[Ref](None)
    )
    lone = find_lone_messages(pod, snap, _ERROR)
    return Signs(
        necessary={"the last lines of a run that ended badly say that no answer came about a name": said},
        decisive={"the Service of its name server has no ready endpoint": make_no_unknown(nobody)},
        supporting={"its message is that of a resolver": said if said.value else lone},
        finding=lambda: _make_finding(pod, said.hits, nobody, snap),
    )


def _judge_nobody(one: ProgramMessage, pod: Ref, snap: Facts) -> Sign[Ref]:
    service = find_name_service(one.complaint.line, pod, snap)
    return all_of((service, lacks_ready_pods(service.hits[0], snap))) if service.value else service


def _make_finding(pod: Ref, all_: tuple[ProgramMessage, ...], nobody: Sign[Ref], snap: Facts) -> Finding:
    one = all_[0]
    name, server = one.complaint.name, find_name_server(one.complaint.line)
    at = say(" from name server {server}", server=server) if server else NO_TEXT
    means = (
        say("a query for the name {name} got no answer{at}", at=at, name=name)
        if name
        else say("a DNS query got no answer{at}", at=at)
    )
    if one.complaint.resource and _FORWARDS.search(one.complaint.line):
        return _make_forwarding_finding(
            pod, one, unique(other.complaint.resource for other in all_ if other.complaint.resource)
        )
    if pod.kind == "Text" and _FAILED.search(one.complaint.line):
        return make_finding(
            pod,
            one,
            _describe_could_not_tell(name, server),
            (_SETTINGS, *ask_for_name(name), SEE_CLUSTER_DNS),
        )
    if pod.kind == "Text":
        return make_finding(pod, one, means, (*ask_for_name(name), SEE_CLUSTER_DNS))
    if _LOOPBACK.match(server) and _has_resolver_of_node(pod, snap):
        return _make_own_finding(pod, one, means, server, snap)
    if not nobody.value:
        service = next(iter(find_name_service(one.complaint.line, pod, snap).hits), None)
        view = view_name_queries(pod, snap)
        found = make_finding(
            pod,
            one,
            means + _tell_ready(service, server, snap) + view.says,
            (*view.help, *_list_looks(service, server, pod, snap), *ask_for_name(name)),
            enrich=view.wants,
        )
        # A server that is no Service's was given to the Pod by its Node, or by its own dnsConfig.
        own = () if service or not server else (server,)
        return add_node_words(found, tell_config(find_node_of_pod(pod, snap), own, snap))
    service = nobody.hits[0]
    return make_finding(
        pod, one, means + _lacks(service, snap), _list_looks(service, server, pod, snap), culprit=service
    )


def _has_resolver_of_node(pod: Ref, snap: Facts) -> bool:
    """Tell whether the Pod asks its Node's name servers from a network of its own."""
    apart = any(not f.host_network for f in snap.of(Containers, pod))
    return apart and any(f.dns_policy == "Default" for f in snap.of(PodSettings, pod))


def _make_own_finding(pod: Ref, one: ProgramMessage, means: Text, server: str, snap: Facts) -> Finding:
    """Return the finding for a name server that is the Pod itself: its Node's resolver listens on the Node's
    loopback, and the Pod has its own.
    """
    inside = say(
        "; {server} is the Pod itself, where no name server listens: its /etc/resolv.conf is its Node's "
        "(dnsPolicy Default), which names a resolver that only the Node reaches",
        server=server,
    )
    change = mend(
        say(
            "let the Pod ask the cluster's DNS (dnsPolicy ClusterFirst), or name servers that Pods reach "
            "(dnsConfig)"
        )
    )
    node = find_node_of_pod(pod, snap)
    kubelet = Step(
        say(
            "for all Pods of the Node: let resolvConf of its kubelet name the file with the real servers "
            "(/run/systemd/resolve/resolv.conf), and restart the kubelet"
        ),
        where=place_on_node(node.name if node else None),
        command=command("cat /etc/resolv.conf /run/systemd/resolve/resolv.conf"),
    )
    found = make_finding(pod, one, means + inside, (change, kubelet))
    told = tell_config(node, (server,), snap)
    return add_node_words(found, replace(told, help=()))


def _make_forwarding_finding(pod: Ref, one: ProgramMessage, servers: tuple[str, ...]) -> Finding:
    """Return the finding for a name server that gets no answer from its upstream."""
    name, server = one.complaint.name, servers[0]
    means = say(
        "CoreDNS gets no answer from name server {servers}, its upstream for other names",
        servers=list_names(servers[:_NAMED]),
    )
    ask = Step(
        say("ask that server yourself, from a Node and from a Pod"),
        command=command(
            "nslookup {name} {server}", name=given.host("kubernetes.io"), server=given.host(server)
        ),
    )
    step = Step(
        say(
            "if no answer comes: allow UDP 53 to it (firewall, routes, NAT of the Pods' addresses), or name "
            "a server that answers"
        )
    )
    notes = (_OWN_QUESTION,) if _RANDOM.fullmatch(name) else ()
    return make_finding(pod, one, means, (ask, _SETTINGS, step), notes=notes)


def _describe_could_not_tell(name: str, server: str) -> Text:
    whose = say("name server {server}", server=server) if server else say("the name server")
    return whose + say(
        " answers, but could not resolve the name {name} (SERVFAIL): its upstream servers do not answer, "
        "or CoreDNS does not reach the API server",
        name=name,
    )


def _lacks(service: Ref, snap: Facts) -> Text:
    behind = [b.name for f in snap.of(ServicePods, service) for b in f.matched]
    if not behind:
        return say("; {service}, the cluster's DNS, has no Pods", service=who(service))
    return say(
        "; {service}, the cluster's DNS, has no ready Pods ({pods})",
        service=who(service),
        pods=list_names(behind[:_NAMED]),
    )


def _is_ready(service: Ref | None, snap: Facts) -> bool | None:
    """Tell whether the Service has a ready endpoint; None if that was not seen."""
    seen = snap.of(ServicePods, service) if service else ()
    return any(b.ready for f in seen for b in f.matched) if seen else None


def _tell_ready(service: Ref | None, server: str, snap: Facts) -> Text:
    if service is None or not _is_ready(service, snap):
        return NO_TEXT
    if server:
        return say("; {service} has ready Pods by now: the Pod did not get there", service=who(service))
    return say(
        "; {service} has ready Pods by now: the Pod asks another server, or did not get there",
        service=who(service),
    )


def _list_looks(service: Ref | None, server: str, pod: Ref, snap: Facts) -> tuple[Step, ...]:
    """Return the look at the name server and, if that is known to be ready, at the Pod's name server and the
    route to it.

    server: the address that the line names.
    """
    if service is None:
        return (SEE_CLUSTER_DNS,)
    ready, node = _is_ready(service, snap), find_node(pod, snap)
    address = next((a for f in snap.of(ServiceSpec, service) for a in f.addresses), "its clusterIP")
    look = Step(
        say("see the state of {service}, and its endpoints", service=who(service)),
        command=ask_why(service),
        verify=say("the next run gets past this line"),
    )
    return fitting(
        Remedy(not ready, look),
        Remedy(
            bool(ready) and not server and node is not None,
            Step(
                say(
                    (
                        "compare clusterDNS of the kubelet of that node with the address of {service}, "
                        "{address}: Pods there ask what it names"
                    ),
                    service=who(service),
                    address=address,
                ),
                command=command(
                    "kubectl get --raw=/api/v1/nodes/{node}/proxy/configz",
                    node=given.bare("Node", node.name if node else None),
                ),
            ),
        ),
        Remedy(
            ready,
            Step(
                say("check which NetworkPolicies keep the Pod from sending queries to port 53"),
                command=command("kubectl get networkpolicies {space} -o yaml", space=given.space(pod)),
            ),
        ),
    )


CAUSE = Cause(
    id="program.dns-unanswered",
    title=say("the program ends because its DNS queries get no answer"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | _policies.READS | {PodSettings, ServicePods, ServicesAt, ServiceSpec},
    rule=_rule,
)
