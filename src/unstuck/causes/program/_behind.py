"""A server that a program could not reach, and the Pods behind its Service: none ready, ready on other nodes
only, or ready all the time.
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._neighbour_log import read_neighbour
from unstuck.causes._told_ports import compare_told_ports
from unstuck.causes.program._plain import NEXT_RUN, mend
from unstuck.causes.program._policies import view_policies
from unstuck.causes.program._service import list_ready_pods
from unstuck.causes.program._told import ProgramMessage, make_finding, write_port
from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.facts.aspects.services import Behind, ServicePods, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts

say = Messages(__name__)

COMPARE = Step(
    say(
        "make the same connection from the Pod's node and from another one: if it fails on one node alone, "
        "look at its routes, firewall and kube-proxy; if it fails everywhere, at the server"
    )
)
_NAMED = 3


def look_at_service(service: Ref) -> Step:
    return Step(say("see the endpoints of the Service"), command=ask_why(service))


def make_ready_server_finding(
    pod: Ref, one: ProgramMessage, means: Text, service: Ref, ready: tuple[Behind, ...], snap: Facts
) -> Finding:
    """Return the finding for a Service with a ready Pod: there is no server to be brought up."""
    behind = list_names(f"{b.name} ({b.node})" if b.node else b.name for b in ready[:_NAMED])
    note = say(
        "behind Service {service} {n:Pod|Pods} {behind} {n:is|are} ready by now",
        service=service.name,
        n=len(ready),
        behind=behind,
    )
    refused = one.complaint.error == "connection-refused"
    way = Step(
        say("see whether a NetworkPolicy keeps the two apart"),
        command=command("kubectl get networkpolicies {space}", space=given.space(service)),
    )
    means += _tell_ranges(one, service, snap)
    if not refused:
        view = view_policies(pod, service, one.complaint.port, ready[0], snap)
        steps = (*(view.help or (way,)), COMPARE)
        return make_finding(pod, one, means + view.says, steps, notes=(note,), enrich=view.wants)
    began = one.run.end.started
    if began is None or not any(b.since and b.since < began for b in ready):
        retry = mend(
            say(
                "let the program try again until the server answers: a backend that is ready now may not "
                "have been ready then"
            )
        )
        return make_finding(pod, one, means, (retry, look_at_service(service)), notes=(note,))
    node = find_node(pod, snap)
    was = say(
        "; behind Service {service} Pod {behind} was ready before that run began",
        service=service.name,
        behind=behind,
    )
    if node is not None and node.name:
        was += say(", and this Pod runs on Node {node}", node=node.name)
    server = Ref("Pod", service.within, next(b.name for b in ready if b.since and b.since < began))
    other = compare_told_ports(service, one.complaint.port, snap, NEXT_RUN)
    if other.help:
        return make_finding(
            pod, one, means + was + other.says, other.help, notes=(note,), culprit=service, seen=other.seen
        )
    told = read_neighbour(server, snap, NEXT_RUN, write_port(one.complaint))
    if told.about:
        return make_finding(
            pod,
            one,
            means + was + told.says,
            told.help,
            notes=(note,),
            culprit=told.culprit,
            seen=told.seen,
        )
    rules = Step(
        say(
            "see which rules of that node match the port: a rule that leads elsewhere refuses in the "
            "server's place"
        ),
        where=place_on_node(node.name if node else None),
        command=command("iptables-save | grep -w -e {port}", port=given.number(one.complaint.port)),
    )
    return make_finding(
        pod,
        one,
        means + was + told.says,
        fitting(*told.help[1:], COMPARE, Remedy(bool(one.complaint.port), rules), look_at_service(service)),
        enrich=told.wants,
        seen=told.seen,
    )


def make_other_nodes_finding(
    pod: Ref, one: ProgramMessage, means: Text, service: Ref, snap: Facts
) -> Finding:
    ready, node = list_ready_pods(service, snap), find_node(pod, snap)
    nodes = list_names(dict.fromkeys(b.node for b in ready[:_NAMED]))
    lacks = say(
        (
            "; Service {service} has internalTrafficPolicy Local, and its Pods that are ready run on "
            "{nodes}, none on {node}"
        ),
        service=service.name,
        nodes=nodes,
        node=node.name if node else "",
    )
    anywhere = mend(
        say(
            (
                "set internalTrafficPolicy: Cluster in Service {service}, or run a Pod of it on each node "
                "with clients (a DaemonSet)"
            ),
            service=service.name,
        )
    )
    return make_finding(pod, one, means + lacks, (anywhere,), culprit=service)


def make_nobody_finding(pod: Ref, one: ProgramMessage, means: Text, service: Ref, snap: Facts) -> Finding:
    behind = tuple(b.name for f in snap.of(ServicePods, service) for b in f.matched)
    lacks = say(
        "; behind Service {service} of Namespace {within} no Pod is ready",
        service=service.name,
        within=service.within,
    )
    if behind:
        first = Ref("Pod", service.within, behind[0])
        look = Step(say("see why that Pod is not ready"), command=ask_why(first))
        notes = (say("behind it: Pod {behind}, not ready", behind=list_names(behind[:3])),)
    else:
        look = Step(say("see why no Pod matches it"), command=ask_why(service))
        notes = (say("no Pod matches its selector"),)
    return make_finding(pod, one, means + lacks, (look,), notes=notes, culprit=service)


def _tell_ranges(one: ProgramMessage, service: Ref, snap: Facts) -> Text:
    """Return the callers that a Service's load balancer admits, if the program asked at that address."""
    specs = [f for f in snap.of(ServiceSpec, service) if f.ranges and one.complaint.name in f.outer]
    return (
        say(
            "; its load balancer takes callers from {ranges} alone (spec.loadBalancerSourceRanges of Service "
            "{service})",
            ranges=list_names(specs[0].ranges),
            service=service.name,
        )
        if specs
        else NO_TEXT
    )
