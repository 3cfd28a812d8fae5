"""Shared parts of the five causes `scheduling.insufficient-…`: a Node must offer what the Pod requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from unstuck.causes import _kubelet_settings, _writers
from unstuck.causes._kubelet_settings import tell_kept_back
from unstuck.causes._node_config import add_node_words
from unstuck.causes._writers import add_writer
from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._said import Reason, find_condition, find_shapes, find_statement_reasons
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeNames, NodeShape, Unschedulable
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.pod import Containers, ContainerSpec, Demands, Life
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_amount, parse_amount

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.rejections import NodeRejection

READS = (
    frozenset({Unschedulable, Demands, Containers, NodeNames, NodeShape, Conditions, Life})
    | _placed.READS
    | _writers.READS
    | _kubelet_settings.READS
)
COMMON = ("cpu", "memory", "ephemeral-storage", "pods")
_BLOCKING = ("NoSchedule", "NoExecute")
_SHOWN = 3
_SEVERAL = 2
_MOST_PODS = say(
    "a node's Pod limit is its kubelet's maxPods; in clouds it often follows from the number of addresses "
    "the node can have"
)
_BEYOND = DoNot(
    say("raise maxPods beyond the number of addresses the node can have"),
    say("Pods would be scheduled there and hang without an address"),
)
_WHILE_PLUGIN = say("a node offers a device only while its device plugin is running there")
_RETRIES = say("the scheduler retries automatically")
_REQUESTED = say("other Pods' requests count, not their usage: `kubectl top` does not show this")


def name_resource(reason: str) -> str:
    """Return the resource that a reason of the scheduler speaks of; "" for a reason of another kind."""
    if reason == "Too many pods":
        return "pods"
    return reason.removeprefix("Insufficient ") if reason.startswith("Insufficient ") else ""


def make_insufficient_signs(pod: Ref, snap: Facts, mine: Callable[[str], bool]) -> Signs:
    """Return the signs for the resources that `mine` accepts."""

    def pick(reason: str) -> bool:
        return mine(name_resource(reason))

    named = find_statement_reasons(pod, snap, pick)
    short = [name_resource(text) for text, _ in named.hits]
    too_big: Sign[NodeShape] = _is_too_big(pod, snap, short[0]) if short else Sign(None)

    def lacks(r: NodeRejection) -> bool:
        return r.kind.startswith("insufficient-") and mine(r.what)

    counted = _placed.find_rejections(pod, snap, lacks)

    def finding() -> Finding:
        reason = _reason(pod, snap, counted.hits, named.hits)
        resource = name_resource(reason[0])
        told = _make_finding(pod, snap, reason, counted.hits, too_big)
        told = _add_kept_back(told, pod, snap, counted.hits, too_big)
        told = replace(told, says=told.says + _tell_largest(pod, snap, resource))
        told = add_writer(told, pod, snap, resource, "request")
        return _placed.add_scalers(_placed.add_rest(told, pod, snap, pick), pod, snap)

    return Signs(
        necessary={"the scheduler says so": _placed.combine_words_and_objects(named, counted)},
        decisive={
            "no Node that is left to it has or offers that much": _placed.fall_back_on(counted, too_big)
        },
        supporting={"the scheduler says so of a Node": _placed.find_current_reasons(named, pod, snap, lacks)},
        finding=finding,
    )


def _add_kept_back(
    finding: Finding, pod: Ref, snap: Facts, counted: tuple[NodeRejection, ...], bigger: Sign[NodeShape]
) -> Finding:
    """Return the finding with what the kubelet of the largest eligible Node keeps back of the resource."""
    resource = finding.culprit.name or ""
    most, host = _find_most(pod, snap, resource, counted, bigger)
    asked = _find_request(pod, snap, resource)
    lacks = resource == "pods" or (asked is not None and most < asked)
    if not host or not lacks:
        return finding
    told = tell_kept_back(Ref("Node", None, host), resource, asked, snap, _RETRIES)
    return add_node_words(finding, told)


def _find_request(pod: Ref, snap: Facts, resource: str) -> int | None:
    asked = (n for f in snap.of(Demands, pod) for r, n in [*f.requests, ("pods", 1)] if r == resource)
    return next(asked, None)


def _reason(pod: Ref, snap: Facts, counted: tuple[NodeRejection, ...], said_: tuple[Reason, ...]) -> Reason:
    """Return the reason with the number of Nodes, as counted from the objects if they were read."""
    at = _placed.find_known_analysis(pod, snap)
    if not counted or at is None:
        return said_[0]
    return counted[0].reason.message, len(at.blamed[counted[0].kind])


def _is_too_big(pod: Ref, snap: Facts, resource: str) -> Sign[NodeShape]:
    """Return yes if the request exceeds the capacity of each Node that the statement's other reasons do not
    exclude.

    Never a no: if one of them would fit when empty, other Pods may fill it.
    """
    statement = find_condition(pod, snap)
    if statement is None:
        return Sign(None, wants=(Want(Conditions, pod),))
    asked = some(snap, Demands, pod, lambda f: [n for r, n in [*f.requests, ("pods", 1)] if r == resource])
    every = find_shapes(snap)
    if not asked.hits or not every.value:
        return Sign(None, seen=every.seen, wants=(*(asked.wants if not asked.hits else ()), *every.wants))
    selector = next((f.selector for f in snap.of(Demands, pod)), ())
    left = [n for n in every.hits if not _is_excluded(n, statement, selector, every.hits)]
    if not left:
        return Sign(None, seen=every.seen)
    roomy = tuple(n for n in left if offers(n, resource) >= asked.hits[0])
    if roomy:
        return Sign(None, seen=roomy[:_SHOWN])
    largest = sorted(left, key=lambda n: (-offers(n, resource), n.about.key))[:_SHOWN]
    return Sign(True, tuple(left), unique((statement, *asked.seen, *every.seen[:1], *largest)))


def _is_excluded(
    node: NodeShape,
    statement: Unschedulable,
    selector: tuple[tuple[str, str], ...],
    every: tuple[NodeShape, ...],
) -> bool:
    """Tell whether the statement's other reasons hold for this Node.

    It is cordoned, or not selected, or tainted where the statement counts as many taints as there are tainted
    Nodes.
    """
    if node.cordoned:
        return _count(statement, "were unschedulable") > 0
    if not set(selector) <= set(node.labels):
        return _count(statement, "selector") > 0
    tainted = sum(_is_tainted(n) and not n.cordoned for n in every)
    return _is_tainted(node) and _count(statement, "taint") >= tainted


def _is_tainted(node: NodeShape) -> bool:
    return any(t.effect in _BLOCKING for t in node.taints)


def _count(statement: Unschedulable, word: str) -> int:
    return sum(n for text, n in statement.reasons if word in text)


def offers(node: NodeShape, resource: str) -> int:
    """Return the total that a Node offers, 0 if it does not know the resource."""
    return dict(node.allocatable).get(resource, 0)


def _find_most(
    pod: Ref, snap: Facts, resource: str, counted: tuple[NodeRejection, ...], bigger: Sign[NodeShape]
) -> tuple[int, str]:
    """Return the most that a Node that matters offers in all, and its name: among the blamed Nodes, else the
    rest, else all that were seen.
    """
    at = _placed.find_known_analysis(pod, snap)
    if counted and at is not None:
        return at.most_offered(counted[0].kind, resource)
    return max(
        ((offers(n, resource), n.about.name or "") for n in bigger.hits or find_shapes(snap).hits),
        default=(0, ""),
    )


def _find_offered_elsewhere(
    pod: Ref, snap: Facts, resource: str, counted: tuple[NodeRejection, ...], bigger: Sign[NodeShape]
) -> tuple[str, ...]:
    """Return the Nodes that offer it and exclude the Pod for another reason."""
    at = _placed.find_known_analysis(pod, snap)
    if counted and at is not None:
        mine = at.blamed[counted[0].kind]
        return tuple(
            sorted(
                n
                for n, node in at.cluster.nodes.items()
                if n not in mine and node.allocatable.get(resource, 0)
            )
        )
    return tuple(
        sorted(
            n.about.name or "?"
            for n in find_shapes(snap).hits
            if bigger.hits and n not in bigger.hits and offers(n, resource)
        )
    )


def _make_finding(
    pod: Ref, snap: Facts, reason: Reason, counted: tuple[NodeRejection, ...], bigger: Sign[NodeShape]
) -> Finding:
    resource = name_resource(reason[0])
    amount = _find_request(pod, snap, resource)
    what = format_amount(resource, amount) if amount is not None else resource
    most_of_all, host = _find_most(pod, snap, resource, counted, bigger)
    too_big = bool(bigger.value) or bool(counted and amount is not None and most_of_all < amount)
    most = format_amount(resource, most_of_all) if host else ""
    total = next((f.nodes for f in snap.of(Unschedulable, pod) if f.nodes), 0)
    if only := _placed.find_only_node(pod, snap):
        return _make_one_node_finding(pod, only, resource, what, most_of_all, too_big=too_big)
    if too_big and host and most_of_all == 0:
        says = say("no node offers {resource}; the Pod requests {what}", resource=resource, what=what)
        if elsewhere := _find_offered_elsewhere(pod, snap, resource, counted, bigger):
            says = say(
                (
                    "none of the nodes that the Pod may run on offers {resource}, and it requests {what}; "
                    "{elsewhere} {n:does|do}"
                ),
                resource=resource,
                what=what,
                elsewhere=list_names(elsewhere[:_SHOWN]),
                n=len(elsewhere),
            )
    elif too_big:
        says = say("the Pod requests {what}, more than any eligible node offers", what=what)
    elif resource == "pods":
        says = say("{reason} of {total} nodes are at their Pod limit", reason=reason[1], total=total or "?")
    else:
        of = (
            say("{reason} of {total} Nodes", reason=reason[1], total=total)
            if total
            else say("{reason} Nodes", reason=reason[1])
            if reason[1]
            else say("Nodes")
        )
        says = say("{of} have not enough {resource} left", of=of, resource=resource)
        if amount is not None:
            # Chinese names the resource where the amount does not; English never (`:.0` shows nothing of it).
            says = say("{of} have less than {what}{resource:.0} left", of=of, what=what, resource=resource)
            if what.endswith(f" {resource}"):
                says = say("{of} have less than {what} left", of=of, what=what)
    notes = [say("the largest node, {host}, offers {most}", host=host, most=most)] if most_of_all else []
    if not too_big:
        notes += (
            [_MOST_PODS]
            if resource == "pods"
            else _plugin(resource, snap)
            if _is_extended(resource)
            else [_REQUESTED]
        )
    steps = _help(resource, what, too_big, host or "NODE")
    return Finding(says, Ref("Resource", None, resource), (pod,), tuple(notes), steps, _do_not(resource))


def _make_one_node_finding(
    pod: Ref, node: str, resource: str, what: str, offered: int, *, too_big: bool
) -> Finding:
    """Return the finding about a Pod that may go to one Node alone, as each of a DaemonSet's: other Nodes do
    not matter.
    """
    amount = format_amount(resource, offered)
    if too_big and not offered:
        says = say(
            "Node {node}, the only one allowed for the Pod, offers no {resource}; it requests {what}",
            node=node,
            resource=resource,
            what=what,
        )
    elif too_big:
        says = say(
            "the Pod requests {what}, and Node {node}, the only one allowed for it, offers {amount}",
            what=what,
            node=node,
            amount=amount,
        )
    else:
        says = say(
            "Node {node}, the only one allowed for the Pod, does not have {what} left", node=node, what=what
        )
    look = Step(
        say("see what is already requested there"),
        command=command("kubectl describe {node}", node=given.obj("node", node)),
    )
    lower = Step(say("lower the {resource} request", resource=resource), where="source", verify=_RETRIES)
    keep_off = Step(
        say(
            "or keep such Pods off this Node by the template's nodeSelector or affinity, if they are not "
            "meant to run there"
        ),
        where="source",
        verify=say("no Pod is made for that Node any more"),
    )
    notes = (_WHILE_PLUGIN,) if _is_extended(resource) else (_REQUESTED,)
    help_ = (*(() if too_big else (look,)), lower, keep_off)
    return Finding(says, Ref("Resource", node, resource), (pod,), notes, help_, _do_not(resource))


def _tell_largest(pod: Ref, snap: Facts, resource: str) -> Text:
    """Return the container with the largest request: an init container that exceeds the others is easily
    overlooked.

    An init container runs alone, so the largest request of one counts, or the sum of the others.
    """
    items = [c for f in snap.of(Containers, pod) for c in f.items]
    asked = [(amount, c) for c in items if (amount := _amount(c, resource))]
    if len(items) < _SEVERAL or not asked:
        return NO_TEXT
    amount, most = max(asked, key=lambda one: (one[0], one[1].name))
    together = sum(n for n, c in asked if c.kind != "init")
    what = format_amount(resource, amount)
    if most.kind == "init":
        return (
            say("; init container {name} alone asks for {what}", name=most.name, what=what)
            if amount > together
            else NO_TEXT
        )
    return (
        say("; container {name} asks for {what} of it", name=most.name, what=what)
        if 2 * amount > together
        else NO_TEXT
    )


def _amount(one: ContainerSpec, resource: str) -> int:
    text = dict(one.requests).get(resource) or dict(one.limits).get(resource, "")
    return parse_amount(resource, text) or 0 if text else 0


def _is_extended(resource: str) -> bool:
    """Tell whether a device plugin offers it, or another writer of the Node's status."""
    return resource not in COMMON and not resource.startswith("hugepages-")


def _plugin(resource: str, snap: Facts) -> list[Text]:
    """Return a note that a Node offers a device only while its plugin runs, with the Nodes seen that do
    not offer it.
    """
    without = [
        n.about.name or "?" for n in snap.every(NodeShape) if n.allocatable and not offers(n, resource)
    ]
    names = ", ".join(without[:_SHOWN])
    seen = [say("{names} offers none of it", names=names)] if names else []
    return [*seen, _WHILE_PLUGIN]


def _help(resource: str, what: str, too_big: bool, node: str) -> tuple[Step, ...]:
    verify = _RETRIES
    extended = _is_extended(resource)
    lower = say("lower the {resource} request", resource=resource)
    if resource == "pods":
        lower = say("scale down or remove unneeded Pods")
    add = say("or add a node with {what} free", what=what)
    if resource == "pods":
        add = say("or add a node, or raise the kubelet's maxPods")
    if extended:
        add = say(
            "or add a node that offers {resource}; on a node that should, check its device plugin",
            resource=resource,
        )
    look = Step(
        say("see what is already requested there"),
        command=command("kubectl describe {node}", node=given.obj("node", node)),
        where="cluster",
    )
    if extended:
        look = Step(
            say("see which nodes offer it, and how much"),
            command=command(
                "kubectl get nodes -o custom-columns=NAME:.metadata.name,OFFERS:.status.allocatable.{field}",
                field=given.field(resource),
            ),
        )
    return (
        *(() if too_big else (look,)),
        Step(lower, where="source", verify=verify),
        Step(add, where="source", verify=verify),
    )


def _do_not(resource: str) -> tuple[DoNot, ...]:
    if resource == "pods":
        return (_BEYOND,)
    return (
        DoNot(
            say("remove the request as a workaround"),
            say(
                "the Pod would be scheduled where there is no room, and it and its neighbors be throttled, "
                "killed or evicted"
            ),
        ),
    )
