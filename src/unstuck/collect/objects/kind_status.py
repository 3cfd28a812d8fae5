"""Fields that show the state of some built-in kinds, and are neither conditions nor phases.

Sources: staging/src/k8s.io/api (core/v1, networking/v1, policy/v1, certificates/v1),
kubernetes-csi/external-snapshotter client/apis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, condition_rows
from unstuck.facts.aspects.reported import StatusWord
from unstuck.facts.quantity import parse_quantity
from unstuck.facts.regex import regex

# kubectl's text for a missing field.
NONE = "<none>"
# A type that a policy's expression was checked against, and did not fit.
_CHECKED_TYPE = regex(r"(\S{1,253}, Kind=\w{1,63}): ERROR")
_MOST_NODES = 500


def read_status_words(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield the fields that show this kind's state; knowledge/status_words.py has their meaning."""
    if reader := _READERS.get(seen.ref.kind):
        yield from reader(seen)


def _read_load_balancer(seen: SeenObject) -> Iterator[StatusWord]:
    if seen.ref.kind == "Ingress" or doc.text(seen.obj, "spec", "type") == "LoadBalancer":
        yield _read_address(seen)
        yield from _find_port_errors(seen)


def _read_allocation(seen: SeenObject) -> Iterator[StatusWord]:
    if doc.section(seen.obj, "spec"):
        allocated = doc.section(seen.obj, "status", "allocation")
        yield StatusWord("status.allocation", "allocated" if allocated else NONE)


def _read_attachment(seen: SeenObject) -> Iterator[StatusWord]:
    if doc.section(seen.obj, "spec"):
        yield StatusWord("status.attached", str(doc.flag(seen.obj, "status", "attached")).lower())


def _read_snapshot(seen: SeenObject) -> Iterator[StatusWord]:
    if doc.section(seen.obj, "spec"):
        yield StatusWord("status.readyToUse", str(doc.flag(seen.obj, "status", "readyToUse")).lower())


def _read_quota(seen: SeenObject) -> Iterator[StatusWord]:
    yield from _find_exhausted(seen)
    yield from _find_other_limits(seen)


def _find_suspended_steps(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield the steps at which a workflow is suspended until it is resumed (argo-workflows workflow_types.go:
    NodeTypeSuspend).
    """
    for node in [*doc.section(seen.obj, "status", "nodes").values()][:_MOST_NODES]:
        if (
            isinstance(node, dict)
            and doc.text(node, "type") == "Suspend"
            and doc.text(node, "phase") == "Running"
        ):
            name = doc.text(node, "displayName") or doc.text(node, "name")
            yield StatusWord("status.nodes[Suspend]", name, since=doc.time(node, "startedAt"))


def _read_changes(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield the progress of a claim's change of attributes, and of its size (core/v1
    PersistentVolumeClaimStatus).
    """
    change = doc.section(seen.obj, "status", "modifyVolumeStatus")
    if word := doc.text(change, "status"):
        target = doc.text(change, "targetVolumeAttributesClassName")
        said = f"targetVolumeAttributesClassName: {target}" if target else ""
        yield StatusWord("status.modifyVolumeStatus.status", word, said)
    if word := doc.text(seen.obj, "status", "allocatedResourceStatuses", "storage"):
        yield StatusWord("status.allocatedResourceStatuses.storage", word)


def _read_address(seen: SeenObject) -> StatusWord:
    rows = doc.rows(seen.obj, "status", "loadBalancer", "ingress")
    first = next((a for r in rows if (a := doc.text(r, "ip") or doc.text(r, "hostname"))), NONE)
    return StatusWord("status.loadBalancer.ingress", first)


def _find_shortage(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield a budget's shortage of healthy Pods; its condition shows since when."""
    healthy, desired, expected = (
        doc.whole_number(seen.obj, "status", name) or 0
        for name in ("currentHealthy", "desiredHealthy", "expectedPods")
    )
    if expected and healthy < desired:
        since = next(
            (c.since for c in condition_rows(seen) if c.type == "DisruptionAllowed" and c.status == "False"),
            None,
        )
        yield StatusWord("status.currentHealthy", f"{healthy} of {desired}", since=since)


def _find_exhausted(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield exhausted resources; a limit of 0 forbids use, and is not counted."""
    used = dict(doc.pairs(seen.obj, "status", "used"))
    for resource, hard in doc.pairs(seen.obj, "status", "hard"):
        most, now = parse_quantity(hard), parse_quantity(used.get(resource, ""))
        if most and now is not None and now >= most:
            yield StatusWord("status.used", f"{resource} {used[resource]} of {hard}")


def _find_other_limits(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield that the counted limits are not those of the spec, or are not there at all."""
    counted = dict(doc.pairs(seen.obj, "status", "hard"))
    wanted = doc.pairs(seen.obj, "spec", "hard")
    if wanted and not counted:
        yield StatusWord("status.hard", NONE)
        return
    for resource, hard in wanted:
        if parse_quantity(counted.get(resource, "")) != parse_quantity(hard):
            yield StatusWord("status.hard", f"{resource} {counted.get(resource, NONE)}, spec.hard {hard}")


def _find_released(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield that a volume still exists whose claim is gone, and whose reclaim policy is Delete."""
    since = doc.time(seen.obj, "status", "lastPhaseTransitionTime")
    policy = doc.text(seen.obj, "spec", "persistentVolumeReclaimPolicy")
    if since and policy == "Delete" and doc.text(seen.obj, "status", "phase") == "Released":
        yield StatusWord("status.lastPhaseTransitionTime", "Released", since=since)


def _find_unscaled(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield that an autoscaler's target has not reached the number that it was last scaled to."""
    status = doc.section(seen.obj, "status")
    current, desired = (doc.whole_number(status, f"{name}Replicas") for name in ("current", "desired"))
    since = doc.time(status, "lastScaleTime")
    if since and current is not None and desired is not None and current < desired:
        yield StatusWord("status.currentReplicas", f"{current} of {desired}", since=since)


def _find_port_errors(seen: SeenObject) -> Iterator[StatusWord]:
    for row in doc.rows(seen.obj, "status", "loadBalancer", "ingress"):
        for port in doc.rows(row, "ports"):
            if error := doc.text(port, "error"):
                number = f"{doc.scalar(port, 'port')}/{doc.text(port, 'protocol') or 'TCP'}"
                yield StatusWord("status.loadBalancer.ingress.ports", f"{number}: {error}")


def _find_no_endpoint(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield that none of the addresses is ready."""
    if seen.ref.kind == "EndpointSlice":
        # An endpoint without a word counts as ready.
        found = [
            doc.maybe_flag(row, "conditions", "ready") is not False for row in doc.rows(seen.obj, "endpoints")
        ]
        field = "endpoints"
    else:
        subsets = doc.rows(seen.obj, "subsets")
        found = [True for row in subsets for _ in doc.rows(row, "addresses")]
        found += [False for row in subsets for _ in doc.rows(row, "notReadyAddresses")]
        field = "subsets"
    if found and not any(found):
        yield StatusWord(field, f"0 of {len(found)} ready")


def _find_failing_expressions(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield the expressions of a policy that fit none of its matched types, so that each of their writes is
    refused.

    A warning for only some of the types may be about a branch that they never reach. No conclusion follows
    from a policy with `failurePolicy: Ignore`, nor from a policy with wildcards in its rules
    (k8s.io/apiserver pkg/admission/plugin/policy/validating/typechecking.go).
    """
    rules = doc.rows(seen.obj, "spec", "matchConstraints", "resourceRules")
    types = {
        (group, version, resource)
        for rule in rules
        for group in doc.strings(rule, "apiGroups")
        for version in doc.strings(rule, "apiVersions")
        for resource in doc.strings(rule, "resources")
    }
    if (
        not types
        or any("*" in part for one in types for part in one)
        or doc.text(seen.obj, "spec", "failurePolicy") == "Ignore"
    ):
        return
    for row in doc.rows(seen.obj, "status", "typeChecking", "expressionWarnings"):
        warning = doc.text(row, "warning")
        if len(set(_CHECKED_TYPE.findall(warning))) >= len(types):
            yield StatusWord(
                "status.typeChecking.expressionWarnings",
                doc.text(row, "fieldRef"),
                mask_message(warning.partition("\n")[0]),
            )


def _read_signing_request(seen: SeenObject) -> Iterator[StatusWord]:
    if not doc.section(seen.obj, "spec"):
        return
    types = {c.type for c in condition_rows(seen) if c.status == "True"}
    if not types & {"Approved", "Denied", "Failed"}:
        yield StatusWord("status.conditions", NONE)
    elif "Approved" in types and not doc.text(seen.obj, "status", "certificate"):
        yield StatusWord("status.certificate", NONE)


_READERS: Mapping[str, Callable[[SeenObject], Iterator[StatusWord]]] = MappingProxyType(
    {
        "Ingress": _read_load_balancer,
        "Service": _read_load_balancer,
        "PodDisruptionBudget": _find_shortage,
        "ResourceQuota": _read_quota,
        "PersistentVolume": _find_released,
        "PersistentVolumeClaim": _read_changes,
        "HorizontalPodAutoscaler": _find_unscaled,
        "EndpointSlice": _find_no_endpoint,
        "Endpoints": _find_no_endpoint,
        "CertificateSigningRequest": _read_signing_request,
        "ValidatingAdmissionPolicy": _find_failing_expressions,
        "ResourceClaim": _read_allocation,
        "VolumeAttachment": _read_attachment,
        "Workflow.argoproj.io": _find_suspended_steps,
        "VolumeSnapshot.snapshot.storage.k8s.io": _read_snapshot,
        "VolumeSnapshotContent.snapshot.storage.k8s.io": _read_snapshot,
    }
)
