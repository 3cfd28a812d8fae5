"""The API server denies the kubelet's reports on its Node

## How it happens

The kubelet runs and reaches the API server, and its writes to its Node or its Lease are denied: a
ValidatingAdmissionPolicy or an admission webhook was made for people, or for a quarantine that is over, and
meets the user `system:node:NODE`; or a permission was taken from the group system:nodes. The Node stops
reporting, as if the machine were down.

## How to tell

The Node is not heard of, and the kubelet's log repeats, up to now, `Error updating node status, will retry`
or `Failed to update lease` with the denial: `ValidatingAdmissionPolicy '…' with binding '…' denied request:
…`, `admission webhook "…" denied the request: …` or `… is forbidden: …`. They name who denies it, and are
quoted.

## Known limits

A refusal in other words is quoted, and makes it likely. Credentials that are rejected (401), a Node's name
that is not the kubelet's, and an API server that does not answer are other causes.

## References

- Kubernetes pkg/kubelet/kubelet_node_status.go, component-helpers/apimachinery/lease/controller.go (1.34)
- Kubernetes documentation: Validating Admission Policy; Using Node Authorization
"""

from __future__ import annotations

from unstuck.causes.admission._refused import Denial, read_denials
from unstuck.causes.kubelet._silent import GIVE_THE_NODE_UP, find_report_failures
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import Sign, only_yes
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)

_DENIED: tuple[ErrorWord, ...] = ("admission-denied", "forbidden", "webhook-unreachable")
_OTHER: tuple[ErrorWord, ...] = ("other", "failed", "server-error", "not-found", "http-status")
_READY = say("the node becomes Ready within a minute")


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    denied: Sign[Failure] = find_report_failures(node, snap, *_DENIED) if node else Sign(None)
    other: Sign[Failure] = find_report_failures(node, snap, *_OTHER) if node else Sign(None)
    said = denied if denied.hits else other
    return Signs(
        applies=is_quiet(subject, snap),
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
        },
        decisive={"its own log repeatedly says who denies its reports": denied},
        supporting={"its own log repeatedly says that its reports fail": only_yes(other)},
        finding=lambda: _make_finding(
            subject, node or Ref("Node"), max(said.hits, key=lambda f: (f.count, f.message))
        ),
    )


def _make_finding(subject: Ref, node: Ref, said: Failure) -> Finding:
    name = node.name or "NODE"
    quote = said.src.quote or said.message
    denial = next(iter(read_denials(quote)), None)
    by = denial.name if denial else said.object.name if said.object else None
    kind = denial.kind if denial else said.object.kind if said.object else ""
    if by and said.error == "webhook-unreachable":
        says = say(
            "the API server accepts no report from the kubelet of Node {name}: webhook {by} cannot be called",
            name=name,
            by=by,
        )
    elif by:
        says = say(
            "{kind} {by} denies what the kubelet of Node {name} reports of its Node and its Lease",
            kind=kind,
            by=by,
            name=name,
        )
        why = denial.why.strip('\\" ') if denial else ""
        says += say("; its reason: “{why}”", why=why) if why else NO_TEXT
    else:
        says = say(
            "the API server refuses what the kubelet of Node {name} reports: “{message}”",
            name=name,
            message=said.message or quote,
        )
    return Finding(
        says,
        culprit=Ref(kind, None, by) if by else Ref("Refusal", node.name, "kubelet"),
        blocks=tuple(dict.fromkeys((node, subject, Ref("Kubelet", node.name, "kubelet")))),
        notes=(say("the kubelet said so {n} times", n=said.count),) if said.count > 1 else (),
        help=_help(denial, by, kind, name),
        do_not=(GIVE_THE_NODE_UP,),
    )


def _help(denial: Denial | None, by: str | None, kind: str, node: str) -> tuple[Step, ...]:
    if kind == "ValidatingAdmissionPolicy" and by:
        binding = denial.binding if denial else ""
        lift = Step(
            say(
                "once its purpose is over and its owner agrees, delete its binding; meanwhile whatever else "
                "it denied passes too"
            ),
            command=_delete_binding(binding),
            risk="disrupts",
            verify=_READY,
        )
        look = command("kubectl get {policy} -o yaml", policy=given.obj("validatingadmissionpolicy", by))
        spare = Step(
            say("else exclude the user system:node:{node} from its rules", node=node),
            where="source",
            verify=_READY,
        )
        return (Step(say("check what it denies, and why"), command=look), lift, spare)
    if kind == "Webhook" and by:
        see = command("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml")
        return (
            Step(say("see which configuration has webhook {by}, and who owns it", by=by), command=see),
            Step(
                say("exclude the user system:node:{node}, or nodes and leases, from its rules", node=node),
                where="source",
                verify=_READY,
            ),
        )
    may = command(
        (
            "kubectl auth can-i update leases.coordination.k8s.io -n kube-node-lease "
            "--as=system:node:{node} --as-group=system:nodes"
        ),
        node=given.bare("Node", node),
    )
    return (
        Step(say("see whether it may write its Lease"), command=may),
        Step(
            say("fix what these words name; the kubelet retries automatically"), where="source", verify=_READY
        ),
    )


def _delete_binding(binding: str) -> Command:
    if not binding:
        return command("kubectl get validatingadmissionpolicybindings")
    return command("kubectl delete {binding}", binding=given.obj("validatingadmissionpolicybinding", binding))


CAUSE = Cause(
    id="kubelet.report-denied",
    title=say("the API server denies the kubelet's reports"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_lost_node,
    reads=frozenset({Conditions, Failure, Lease, LogSeen, Placement, Phase, Deletion, ContainerStatuses}),
    rule=_rule,
)
