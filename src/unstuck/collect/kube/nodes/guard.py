"""Checks that the chart's policy and its binding keep other commands out of one-shot Pods in a Namespace.

Either alone forbids nothing. A policy that cannot be read, or differs from the chart's, counts as no guard.
Source: the API reference of 1.34 (ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding);
charts/unstuck/templates/policy-look.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.kube.nodes.probe_pod import PREFIX
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.objects import doc
from unstuck.collect.objects.segments import escape_segment

POLICY = "unstuck-look"
_GROUP = "/apis/admissionregistration.k8s.io/v1"
_PLURALS = ("validatingadmissionpolicies", "validatingadmissionpolicybindings")
_SECONDS = 3.0
# Requests that run a command in an existing Pod, or change its containers.
_HELD = (
    ("CONNECT", "pods/exec"),
    ("CONNECT", "pods/attach"),
    ("CONNECT", "pods/portforward"),
    ("UPDATE", "pods"),
    ("UPDATE", "pods/ephemeralcontainers"),
)
_CONDITION = f"request.name.startsWith('{PREFIX}')"


def is_guarded(client: Client, namespace: str) -> bool:
    """Tell whether both are in force for one-shot Pods in this Namespace; False if the user may not list
    them. Errors: AccessError.
    """
    policy, binding = run_each(lambda plural: _find_named(client, f"{_GROUP}/{plural}"), _PLURALS)
    labels = _labels(client, namespace) if policy and binding else None
    return _forbids(policy, labels) and _binds(binding, labels)


def _find_named(client: Client, path: str) -> doc.Doc:
    """Return the object with the policy's name from this list, an empty one if it is not there: readers
    may list these but not get one.
    """
    found = client.get(path, {"fieldSelector": f"metadata.name={POLICY}"}, retries=0, seconds=_SECONDS)
    items = doc.rows(found.doc, "items") if found.ok else []
    return next((i for i in items if doc.text(i, "metadata", "name") == POLICY), doc.EMPTY)


def _labels(client: Client, namespace: str) -> dict[str, str] | None:
    """Return None if they are unknown."""
    found = client.get(f"/api/v1/namespaces/{escape_segment(namespace)}", retries=0, seconds=_SECONDS)
    return dict(doc.pairs(found.doc, "metadata", "labels")) if found.ok else None


def _forbids(policy: doc.Doc, labels: Mapping[str, str] | None) -> bool:
    spec, matched = doc.section(policy, "spec"), doc.section(policy, "spec", "matchConstraints")
    conditions = [doc.text(c, "expression") for c in doc.rows(spec, "matchConditions")]
    held = {
        (operation, resource)
        for rule in doc.rows(matched, "resourceRules")
        if not doc.strings(rule, "resourceNames")
        and "" in doc.strings(rule, "apiGroups")
        and doc.text(rule, "scope") != "Cluster"
        for operation in doc.strings(rule, "operations")
        for resource in doc.strings(rule, "resources")
    }
    return (
        _stays(policy)
        and doc.text(spec, "failurePolicy") != "Ignore"
        and not doc.section(spec, "paramKind")
        and bool(doc.rows(spec, "validations"))
        and all(c == _CONDITION for c in conditions)
        and held.issuperset(_HELD)
        and _covers(matched, labels)
    )


def _binds(binding: doc.Doc, labels: Mapping[str, str] | None) -> bool:
    spec, matched = doc.section(binding, "spec"), doc.section(binding, "spec", "matchResources")
    return (
        _stays(binding)
        and doc.text(spec, "policyName") == POLICY
        and "Deny" in doc.strings(spec, "validationActions")
        and not doc.section(spec, "paramRef")
        and not doc.rows(matched, "resourceRules")
        and _covers(matched, labels)
    )


def _stays(item: doc.Doc) -> bool:
    return bool(item) and not doc.text(item, "metadata", "deletionTimestamp")


def _covers(matched: doc.Doc, labels: Mapping[str, str] | None) -> bool:
    """Tell whether the match covers a Namespace with these labels, and the Pod."""
    if doc.section(matched, "objectSelector") or doc.rows(matched, "excludeResourceRules"):
        return False
    selector = doc.section(matched, "namespaceSelector")
    if not selector:
        return True
    return labels is not None and _selects(selector, labels)


def _selects(selector: doc.Doc, labels: Mapping[str, str]) -> bool:
    wanted = dict(doc.pairs(selector, "matchLabels"))
    rows = doc.rows(selector, "matchExpressions")
    return all(labels.get(k) == v for k, v in wanted.items()) and all(_holds(row, labels) for row in rows)


def _holds(row: doc.Doc, labels: Mapping[str, str]) -> bool:
    key, values = doc.text(row, "key"), doc.strings(row, "values")
    match doc.text(row, "operator"):
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return False
