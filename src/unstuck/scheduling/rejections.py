"""A Pod's rejections, Node by Node, classified for people: finer than plugins, coarser than the scheduler's
messages.

A kind is a cause's id, without the family if it is `scheduling` (`insufficient-memory`), or "" if no cause
covers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from unstuck.facts.aspects.cluster import Taint
from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import NodeState, Pod
from unstuck.scheduling.reason import Reason
from unstuck.scheduling.required_affinity import RequiredAffinity
from unstuck.scheduling.taints import KEEP_OUT, is_tolerated

NO_STATUS = "no status"
NODE_TAINTS = "node.kubernetes.io/"
_ABSENT = frozenset(("not-ready", "unreachable", "shutdown", "out-of-service"))
_NATIVE = ("cpu", "memory", "ephemeral-storage")
_SHORT, _FULL = "Insufficient ", "Too many pods"
_OUTSIDE = "node(s) didn't satisfy plugin"
# Prefixes of plugin messages, with their kinds.
_KINDS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "NodePorts": (("", "host-port-taken"),),
        "NodeVolumeLimits": (("node(s) exceed", "volume-attach-limit"),),
        "VolumeRestrictions": (("node(s)", "volume-in-use"),),
        "VolumeBinding": (
            ("node(s) didn't match", "volume-node-conflict"),
            ("node(s) didn't find", "storage.claim-unbound"),
            ("node(s) did not have", "storage.claim-unbound"),
            ("pod has unbound", "storage.claim-unbound"),
            ("node(s) unavailable", "storage.volume-missing"),
        ),
        "NodeAffinity": (("", "node-affinity-mismatch"),),
        "SchedulingGates": (("", "gated"),),
        "VolumeZone": (("node(s)", "volume-node-conflict"), ('persistentvolume "', "storage.volume-missing")),
        "PodTopologySpread": (("node(s)", "topology-spread-unsatisfiable"),),
        "InterPodAffinity": (
            ("node(s) didn't match pod affinity", "pod-affinity-unsatisfied"),
            ("node(s)", "pod-anti-affinity-conflict"),
        ),
        "DynamicResources": (
            ("could not find ResourceClaim", "claim-missing"),
            ('pod "', "claim-missing"),
            ("", "dynamic-resource-unavailable"),
        ),
    }
)


@record()
class NodeRejection(Record):
    """One obstacle to placing the Pod on a Node. what: the taint, label or resource; "" if the kind suffices.
    reason: the scheduler's.
    """

    kind: str
    what: str
    reason: Reason


def reject(pod: Pod, node: NodeState | None, reasons: Iterable[Reason]) -> tuple[NodeRejection, ...]:
    """Classify the reasons; unknown ones are left out. node: None for reasons against every Node."""
    rows = (
        r for reason in reasons if reason.outcome != "unknown" for r in _explain_reason(pod, node, reason)
    )
    return tuple({(r.kind, r.what): r for r in reversed(tuple(rows))}.values())[::-1]


def depends_on_node(reasons: Iterable[Reason]) -> bool:
    """Tell whether `reject` reads the Node to classify these reasons."""
    return any(r.plugin == "TaintToleration" or "NodeAffinity" in r.plugin for r in reasons)


def node_key(pod: Pod, node: NodeState) -> object:
    """Return the parts of the Node that `reject` reads: Nodes with equal parts and reasons get equal
    rejections.
    """
    return (
        node.spec.allocatable is None,
        tuple(_list_untolerated_taints(pod, node)),
        _list_missing_labels(pod, node),
    )


def _explain_reason(pod: Pod, node: NodeState | None, reason: Reason) -> Iterable[NodeRejection]:
    words = reason.message
    if reason.plugin == "NodeUnschedulable":
        yield NodeRejection("node-cordoned", "", reason)
    elif reason.plugin == "TaintToleration" and node is not None:
        for taint in _list_untolerated_taints(pod, node):
            kind = kind_of_taint(taint)
            # A cordon appears twice: as the field, and as the taint that follows it.
            yield NodeRejection(kind, "" if kind == "node-cordoned" else format_taint(taint), reason)
    elif "NodeAffinity" in reason.plugin and node is not None:
        yield from _list_unmatched_terms(pod, node, reason)
    elif words.startswith('persistentvolumeclaim "') and words.endswith("not found"):
        yield NodeRejection("storage.claim-missing", words.split('"')[1], reason)
    elif words.startswith('persistentvolumeclaim "') and "bound to non-existent" in words:
        yield NodeRejection("storage.volume-missing", "", reason)
    elif node is not None and node.spec.allocatable is None and (words == _FULL or words.startswith(_SHORT)):
        # No kubelet has reported its resources yet: an empty offer is not the Node's fault.
        yield NodeRejection("node-not-ready-taint", NO_STATUS, reason)
    elif words == _FULL:
        yield NodeRejection("insufficient-pods", "pods", reason)
    elif words.startswith(_SHORT):
        resource = words.removeprefix(_SHORT)
        yield NodeRejection(
            f"insufficient-{resource}" if resource in _NATIVE else "insufficient-extended-resource",
            resource,
            reason,
        )
    else:
        kinds = _KINDS.get(reason.plugin, ())
        yield NodeRejection(next((kind for start, kind in kinds if words.startswith(start)), ""), "", reason)


def _list_untolerated_taints(pod: Pod, node: NodeState) -> list[Taint]:
    return [
        t
        for t in node.spec.taints
        if t.effect in KEEP_OUT and not is_tolerated(pod.shape.spec.tolerations, t)
    ]


def kind_of_taint(taint: Taint) -> str:
    """Classify a taint by the state of its Node: unreachable, under pressure, cordoned, or reserved."""
    name = taint.key.removeprefix(NODE_TAINTS)
    if name == taint.key:
        return "taint-not-tolerated"
    if name in _ABSENT:
        return "node-not-ready-taint"
    if name == "unschedulable":
        return "node-cordoned"
    return (
        "node-pressure-taint"
        if name.endswith("-pressure") or name == "network-unavailable"
        else "taint-not-tolerated"
    )


def format_taint(taint: Taint) -> str:
    """Return `dedicated=gpu:NoSchedule`, as `kubectl taint` takes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _list_unmatched_terms(pod: Pod, node: NodeState, reason: Reason) -> Iterable[NodeRejection]:
    return (NodeRejection(kind, what, reason) for kind, what in _list_missing_labels(pod, node))


def _list_missing_labels(pod: Pod, node: NodeState) -> tuple[tuple[str, str], ...]:
    """Return the Pod's criteria that the Node fails, by kind."""
    spec = pod.shape.spec
    labels = ", ".join(f"{k}={v}" for k, v in spec.node_selector if node.labels.get(k) != v)
    terms = RequiredAffinity.of(spec).terms
    unmet = terms is not None and not terms.matches(node.labels, node.name)
    return (
        *((("node-selector-mismatch", labels),) if labels else ()),
        *((("node-affinity-mismatch", ""),) if unmet else ()),
    )
