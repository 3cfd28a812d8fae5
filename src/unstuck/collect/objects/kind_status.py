"""Fields that show the state of some built-in kinds, and are neither conditions nor phases.

Sources: staging/src/k8s.io/api (core/v1, networking/v1, policy/v1, certificates/v1),
kubernetes-csi/external-snapshotter client/apis.
"""

from __future__ import annotations

from collections.abc import Iterator

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
_SNAPSHOTS = ("VolumeSnapshot.snapshot.storage.k8s.io", "VolumeSnapshotContent.snapshot.storage.k8s.io")


def read_status_words(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield the fields that show this kind's state; knowledge/status_words.py has their meaning."""
    kind = seen.ref.kind
    if kind == "Ingress" or (kind == "Service" and doc.text(seen.obj, "spec", "type") == "LoadBalancer"):
        yield _read_address(seen)
    elif kind == "PodDisruptionBudget":
        yield from _find_shortage(seen)
    elif kind == "ResourceQuota":
        yield from _find_exhausted(seen)
    elif kind == "CertificateSigningRequest" and doc.section(seen.obj, "spec"):
        yield from _read_signing_request(seen)
    elif kind == "ValidatingAdmissionPolicy":
        yield from _find_failing_expressions(seen)
    elif kind == "ResourceClaim" and doc.section(seen.obj, "spec"):
        yield StatusWord(
            "status.allocation", "allocated" if doc.section(seen.obj, "status", "allocation") else NONE
        )
    elif kind == "VolumeAttachment" and doc.section(seen.obj, "spec"):
        yield StatusWord("status.attached", str(doc.flag(seen.obj, "status", "attached")).lower())
    elif kind == "Workflow.argoproj.io":
        yield from _find_suspended_steps(seen)
    elif kind == "PersistentVolumeClaim":
        yield from _read_changes(seen)
    elif kind in _SNAPSHOTS and doc.section(seen.obj, "spec"):
        yield StatusWord("status.readyToUse", str(doc.flag(seen.obj, "status", "readyToUse")).lower())


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
    types = {c.type for c in condition_rows(seen) if c.status == "True"}
    if not types & {"Approved", "Denied", "Failed"}:
        yield StatusWord("status.conditions", NONE)
    elif "Approved" in types and not doc.text(seen.obj, "status", "certificate"):
        yield StatusWord("status.certificate", NONE)
