"""DynamicResources: the Pod's ResourceClaims exist, and are or can be allocated within the Node's reach
(plugins/dynamicresources).

Known limits: the devices that match a selector are given in CEL, which is not evaluated. If a claim restricts
the devices of a class further, a Node without a free device is rejected, and the result for any other Node is
unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from unstuck.facts.aspects.placing import ResourceClaimInput, ResourceClaimUse
from unstuck.scheduling.claims import explain_absent, explain_illegible
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.devices import Pools
from unstuck.scheduling.filter import (
    Filter,
    Outcome,
    PreparedFilter,
    Reason,
    bind_state,
    reject,
    skip,
    unlisted_reasons,
    unread,
)
from unstuck.scheduling.selectors import NodeSelector, node_selector

_NAME = "DynamicResources"
_ELSEWHERE = Reason(_NAME, "resourceclaim not available on the node")
_CANNOT = Reason(_NAME, "cannot allocate all claims")
_MOST_OF_A_CLAIM = 32


@dataclass(frozen=True, slots=True)
class ClaimNeeds:
    """The pending allocation. claims: by name. least: the minimum number of free devices. whichever: whether
    any device will do.

    stop: the reason to try no Node, or the fact unknown for all Nodes.
    """

    claims: tuple[str, ...]
    least: int
    whichever: bool
    stop: Reason | None


@dataclass(frozen=True, slots=True)
class Allocation:
    """allocated: for each allocated claim, the Nodes with access to its devices. needs: of the unallocated
    claims, None if there are none.
    """

    allocated: tuple[NodeSelector, ...]
    needs: ClaimNeeds | None
    pools: Pools


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[Allocation]:
    if bad := unread(_NAME, pod.shape.spec.unreadable, "spec.resourceClaims"):
        return reject(bad[0])
    claims = claims_of(pod, cluster)
    if isinstance(claims, Reason):
        return reject(claims)
    if not claims:
        return skip()
    selectors = []
    for c in claims:
        if c.allocated and c.nodes is not None:
            nodes = node_selector(c.nodes)
            if nodes.fault:
                return reject(Reason(_NAME, nodes.fault, "error"))
            selectors.append(nodes)
        elif not c.allocated and (refusal := _find_missing_class_reason(c, cluster)):
            return reject(refusal)
    waiting = [c for c in claims if not c.allocated]
    held = {d for c in cluster.inputs.resource_claims for d in c.devices} if waiting else set()
    pools = Pools.of(cluster.inputs.slices if waiting else (), held)
    return bind_state(Allocation(tuple(selectors), _needs(waiting, cluster) if waiting else None, pools))


def claims_of(pod: Pod, cluster: ClusterView) -> tuple[ResourceClaimInput, ...] | Reason:
    """Return the Pod's ResourceClaims, or the reason not to try the Pod."""
    claims = []
    for use in pod.shape.spec.resource_claims:
        if use.needless:
            continue
        found = _claim(pod, cluster, use)
        if isinstance(found, Reason):
            return found
        claims.append(found)
    return tuple(claims)


def _claim(pod: Pod, cluster: ClusterView, use: ResourceClaimUse) -> ResourceClaimInput | Reason:
    namespace = pod.namespace
    if not use.claim:
        if use.template:
            return Reason(_NAME, f'pod "{namespace}/{pod.name}": ResourceClaim not created yet')
        return Reason(
            _NAME,
            (
                f'pod "{namespace}/{pod.name}", spec.resourceClaim "{use.name}": none of the supported '
                "fields are set"
            ),
        )
    claim = cluster.resource_claims.get((namespace, use.claim))
    if claim is None:
        return explain_absent(
            _NAME, cluster, "ResourceClaim", f'could not find ResourceClaim "{namespace}/{use.claim}"'
        )
    if bad := explain_illegible(_NAME, f"ResourceClaim {claim.name}", claim):
        return bad
    if claim.terminating:
        return Reason(_NAME, f'resourceclaim "{claim.name}" is being deleted')
    if use.template and (not claim.owner or claim.owner != pod.uid):
        words = (
            f"ResourceClaim {namespace}/{claim.name} was not created for pod {namespace}/{pod.name} (pod is "
            "not owner)"
        )
        return Reason(_NAME, words)
    return claim


def _find_missing_class_reason(claim: ResourceClaimInput, cluster: ClusterView) -> Reason | None:
    known = {c.name for c in cluster.inputs.device_classes}
    for r in claim.requests:
        if r.device_class is None and not r.alternatives:
            return Reason(
                _NAME,
                f"resource claim {claim.namespace}/{claim.name}, request {r.name}: unknown request type",
            )
        named = ((f"{r.name}/{name}", class_) for name, class_ in r.alternatives)
        for name, class_ in ((r.name, r.device_class),) if r.device_class is not None else named:
            if not class_:
                return Reason(_NAME, f"request {name}: unsupported request type", "error")
            if class_ not in known:
                return explain_absent(
                    _NAME, cluster, "DeviceClass", f"request {name}: device class {class_} does not exist"
                )
    return None


def _needs(waiting: list[ResourceClaimInput], cluster: ClusterView) -> ClaimNeeds:
    every = {c.name for c in cluster.inputs.device_classes if c.every}
    requests = [r for c in waiting for r in c.requests]
    # If one request is uncertain, no count proves the others impossible: the uncertain request may stop the
    # scheduler first.
    least = sum(r.least for r in requests) if all(r.least for r in requests) else 0
    whichever = all(r.whichever and r.device_class in every for r in requests)
    stop = next(iter(unlisted_reasons(_NAME, cluster, "ResourceSlice", "ResourceClaim")), None)
    return ClaimNeeds(
        tuple(c.name for c in waiting),
        least,
        whichever,
        stop or next(filter(None, map(_find_excess_reason, waiting)), None),
    )


def _find_excess_reason(claim: ResourceClaimInput) -> Reason | None:
    count = sum(r.least for r in claim.requests)
    words = (
        f"claim {claim.namespace}/{claim.name}: number of requested devices {count} exceeds the claim limit "
        f"of {_MOST_OF_A_CLAIM}"
    )
    # For mode All or with admin access the scheduler counts more than is known here, so its message has
    # another number.
    outcome: Outcome = "error" if all(r.least for r in claim.requests) else "unknown"
    return Reason(_NAME, words, outcome) if count > _MOST_OF_A_CLAIM else None


def _check(state: Allocation, node: NodeState) -> tuple[Reason, ...]:
    elsewhere = any(not nodes.matches(node.labels, node.name) for nodes in state.allocated)
    if state.needs is not None and (first := _find_allocation_reason(state.needs, state.pools, node)):
        return (first,)
    return (_ELSEWHERE,) if elsewhere else ()


def _find_allocation_reason(needs: ClaimNeeds, pools: Pools, node: NodeState) -> Reason | None:
    """Return the reason against allocating the claims on this Node; an unknown reason if undecided."""
    if pools.fault:
        return Reason(
            _NAME,
            f"gather pool information: failed to perform node selection for slice {pools.fault}",
            "error",
        )
    if needs.stop:
        return needs.stop
    free = pools.free(node)
    names = ", ".join(needs.claims)
    if free.broken:
        return Reason(_NAME, f"whether {names} can be allocated: {free.broken}", "unknown")
    if needs.whichever and free.sure >= needs.least:
        return None
    if free.sure + free.more < (needs.least if needs.whichever else min(needs.least, 1)):
        return _CANNOT
    return Reason(
        _NAME,
        f"whether {names} can be allocated depends on which of {free.sure + free.more} free devices qualify",
        "unknown",
    )


FILTER = Filter(_NAME, _prepare, _check)
