"""A Pod's rejections in plain language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.facts.quantity import format_amount
from unstuck.scheduling.analysis import PlacementAnalysis
from unstuck.scheduling.preemption import NEVER, NO_VICTIMS, WAITING, Preemption
from unstuck.scheduling.queue import free_amount, nominated_pods
from unstuck.scheduling.rejections import NO_STATUS, NodeRejection

say = Messages(__name__)

_SAYS: Mapping[str, Callable[[str], Text]] = MappingProxyType(
    {
        "node-cordoned": lambda _: say("cordoned"),
        "taint-not-tolerated": lambda t: say("taint {t} is not tolerated", t=t),
        "node-not-ready-taint": lambda t: (
            say("has no status yet, so offers nothing") if t == NO_STATUS else say("not ready ({t})", t=t)
        ),
        "node-pressure-taint": lambda t: say("short of something itself ({t})", t=t),
        "node-selector-mismatch": lambda t: say("lacks label {t} of the nodeSelector", t=t),
        "node-affinity-mismatch": lambda _: say("does not meet the required node affinity"),
        "host-port-taken": lambda _: say("a host port that the Pod wants is taken"),
        "volume-in-use": lambda _: say("a volume is in use by another Pod"),
        "volume-attach-limit": lambda _: say("has reached its volume attach limit"),
        "volume-node-conflict": lambda _: say("a volume of the Pod cannot be reached from there"),
        "storage.claim-unbound": lambda _: say("no volume for a PVC of the Pod is available there"),
        "storage.claim-missing": lambda t: say("PVC {t} does not exist", t=t),
        "storage.volume-missing": lambda _: say("the volume bound to a PVC of the Pod does not exist"),
        "topology-spread-unsatisfiable": lambda _: say("would break a topology spread constraint"),
        "pod-affinity-unsatisfied": lambda _: say("does not meet the required Pod affinity"),
        "pod-anti-affinity-conflict": lambda _: say("is excluded by Pod anti-affinity"),
        "dynamic-resource-unavailable": lambda _: say("devices that the Pod claims are not there"),
        "insufficient-pods": lambda _: say("has reached its Pod limit"),
    }
)


_BARRED: Mapping[str, Text] = MappingProxyType(
    {
        NEVER: say("is ruled out by preemptionPolicy: Never"),
        WAITING: say("is under way"),
    }
)


def refusal_text(refusal: NodeRejection, found: PlacementAnalysis, nodes: Sequence[str]) -> Text:
    """Describe a rejection. nodes: the rejecting Nodes, to tell how close they come."""
    if refusal.kind.startswith("insufficient-") and refusal.what != "pods":
        return _describe_shortage(refusal.what, found, nodes)
    if refusal.kind == "storage.claim-unbound" and (missing := _find_classless_text(found)):
        claim, class_ = missing
        return say(
            "PVC {claim} names StorageClass {class_}, which does not exist", claim=claim, class_=class_
        )
    if worded := _SAYS.get(refusal.kind):
        return worded(refusal.what)
    return same_in_both(refusal.reason.message)


def _find_classless_text(found: PlacementAnalysis) -> tuple[str, str] | None:
    """Return a claim of the Pod with a missing StorageClass, and the class."""
    if "StorageClass" in found.cluster.unlisted:
        return None
    claims = (
        found.cluster.claims.get((found.pod.namespace, v.claim))
        for v in found.pod.shape.spec.volumes
        if v.claim
    )
    waiting = ((c.name, c.storage_class) for c in claims if c and not c.volume and c.storage_class)
    return next(((name, class_) for name, class_ in waiting if class_ not in found.cluster.classes), None)


def _describe_shortage(resource: str, found: PlacementAnalysis, nodes: Sequence[str]) -> Text:
    asked = found.pod.shape.requests.get(resource, 0)
    left, host = max(
        (free_amount(found.pod, found.cluster, found.cluster.nodes[n], resource), n) for n in nodes
    )
    offered = max(found.cluster.nodes[n].allocatable.get(resource, 0) for n in nodes)
    if offered == 0:
        return say("offers no {resource}", resource=resource)
    want, have = format_amount(resource, asked), format_amount(resource, max(left, 0))
    if offered < asked:
        most = format_amount(resource, offered)
        return say("offers {most} in all, the Pod asks for {want}", most=most, want=want)
    on = say(" (at most, on {host})", host=host) if len(nodes) > 1 else NO_TEXT
    kept = [n for n in nominated_pods(host, found.pod, found.cluster) if n.shape.requests.get(resource, 0)]
    names = ", ".join(f"{n.namespace}/{n.name}" for n in kept[:3])
    held = say(", without what is kept for {names}, nominated there", names=names)
    asks = say(", the Pod asks for {want}", want=want)
    return say("{have} free", have=have) + on + (held if kept else NO_TEXT) + asks


def preemption_text(p: Preemption, found: PlacementAnalysis) -> Text:
    """Describe whether preemption would make room, the reasons against it, and the nominated Node."""
    return _describe_preempts(p) + _describe_nominated(found)


def _describe_nominated(found: PlacementAnalysis) -> Text:
    name = found.pod.nominated
    if not name:
        return NO_TEXT
    node = found.cluster.nodes.get(name)
    if node is None:
        return say("; it is nominated for {name}, which does not exist", name=name)
    leaving = sum(p.count for p in node.placed if p.shape.spec.terminating)
    more = say(", where {leaving} Pods are being deleted", leaving=leaving) if leaving else NO_TEXT
    return say("; it is nominated for {name}{more}", name=name, more=more)


def _describe_preempts(p: Preemption) -> Text:
    if p.barred:
        return _BARRED[p.barred]
    if p.opens:
        named = ", ".join(p.opens[:3])
        return say(
            "helps on {count} of {nodes} Nodes ({named}): the scheduler removes Pods of lower priority there",
            count=len(p.opens),
            nodes=p.nodes,
            named=named,
        )
    refused = (p.refused or {}).values()
    alone = sum(NO_VICTIMS in reasons for reasons in refused)
    parts = [
        (p.unhelpful, say("other Pods are not the reason")),
        (alone, say("no Pod has a lower priority")),
        (len(refused) - alone, say("it would not make enough room")),
        (p.untried, say("it was not tried here")),
    ]
    told = [say("on {count} of {nodes} nodes ", count=n, nodes=p.nodes) + why for n, why in parts if n]
    out = say("does not help")
    for i, one in enumerate(told):
        out += say("; ") + one if i else say(": ") + one
    return out
