"""Webhooks and policies that refuse the kubelet's last writes for the Pods of one Namespace. No fault by itself."""

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError
from unstuck_lab.faults import _kit
from unstuck_lab.faults._kit import Object

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"


def namespaced(ns: str) -> Object:
    """A selector of this Namespace alone, so that nothing else in the cluster meets the refusal."""
    return {"matchLabels": {"kubernetes.io/metadata.name": ns}}


def refuse_nodes(lab: Lab, ns: str, resource: str, operation: str) -> None:
    """A policy that denies a write to every Node, and its binding, both named as the Namespace."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": [resource], "operations": [operation]}
    _deny(lab, ns, rule, {"expression": "!request.userInfo.username.startsWith('system:node:')", "message": "people only"})


def keep_finalizers(lab: Lab, ns: str, group: str, plural: str) -> None:
    """A policy that denies taking a finalizer off, and its binding, both named as the Namespace."""
    rule = {"apiGroups": [group], "apiVersions": ["*"], "resources": [plural], "operations": ["UPDATE"]}
    count = "(has({0}.metadata.finalizers) ? size({0}.metadata.finalizers) : 0)"
    expression = f"{count.format('object')} >= {count.format('oldObject')}"
    _deny(lab, ns, rule, {"expression": expression, "message": "finalizers stay"})


def keeps(lab: Lab, path: str) -> bool:
    """Whether the UPDATE that takes an object's finalizers off is denied now. A dry run: nothing is written."""
    try:
        lab.api("PATCH", f"{path}?dryRun=All", {"metadata": {"finalizers": None}}, content_type="application/merge-patch+json")
    except ApiError as error:
        return error.code in (403, 422)
    return False


def _deny(lab: Lab, ns: str, rule: Object, validation: Object) -> None:
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": ns},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {"namespaceSelector": namespaced(ns), "resourceRules": [rule]},
            "validations": [validation],
        },
    }
    binding = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": ns},
        "spec": {"policyName": ns, "validationActions": ["Deny"]},
    }
    lab.apply(policy, binding)


def dead_webhook(lab: Lab, ns: str, resource: str = "pods") -> None:
    """A webhook on the DELETE of a type in this Namespace whose Service does not exist, named as the Namespace."""
    hook = {
        "name": "guard.example.com",
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": [resource], "operations": ["DELETE"]}],
        "clientConfig": {"service": {"namespace": ns, "name": "guard"}},
        "namespaceSelector": namespaced(ns),
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    lab.apply(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": ns},
            "webhooks": [hook],
        }
    )


def forget(lab: Lab, ns: str) -> None:
    """Take all of them away."""
    for plural in ("validatingwebhookconfigurations", "validatingadmissionpolicybindings", "validatingadmissionpolicies"):
        _kit.delete(lab, f"{REGISTRATION}/{plural}/{ns}")


def kubelet_said(lab: Lab, ns: str, name: str, *parts: str) -> str | None:
    """The kubelet's line about this Pod that holds all the parts, while the Pod is being deleted."""
    found = _kit.deleting(lab, ns, name)
    if found is None:
        return None
    text = lab.node(found["spec"]["nodeName"]).kubelet_log.read_text(errors="replace")
    return _kit.log_line(text, f"{ns}/{name}", *parts)
