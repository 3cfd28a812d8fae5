"""Webhooks and policies that deny the kubelet's last writes for the Pods of one Namespace. No fault by
itself.
"""

import time
from collections.abc import Callable

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.faults._objects import Object

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
_IN_FORCE = 4  # seconds until an API server enforces a new webhook or policy, at most


def select_namespace(ns: str) -> Object:
    """Return a selector for this Namespace only, so that no other writes are denied."""
    return {"matchLabels": {"kubernetes.io/metadata.name": ns}}


def refuse_nodes(lab: Lab, ns: str, resource: str, operation: str) -> None:
    """Create a policy that denies an operation to all Nodes, and its binding, both named after the
    Namespace.
    """
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": [resource], "operations": [operation]}
    _deny(
        lab,
        ns,
        rule,
        {"expression": "!request.userInfo.username.startsWith('system:node:')", "message": "people only"},
    )


def keep_finalizers(lab: Lab, ns: str, group: str, plural: str) -> None:
    """Create a policy that denies removing finalizers, and its binding, both named after the Namespace."""
    rule = {"apiGroups": [group], "apiVersions": ["*"], "resources": [plural], "operations": ["UPDATE"]}
    count = "(has({0}.metadata.finalizers) ? size({0}.metadata.finalizers) : 0)"
    expression = f"{count.format('object')} >= {count.format('oldObject')}"
    _deny(lab, ns, rule, {"expression": expression, "message": "finalizers stay"})


def is_removal_denied(lab: Lab, path: str) -> bool:
    """Tell whether removing an object's finalizers is denied now. It is a dry run: nothing is written."""
    try:
        lab.request(
            "PATCH",
            f"{path}?dryRun=All",
            {"metadata": {"finalizers": None}},
            content_type="application/merge-patch+json",
        )
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
            "matchConstraints": {"namespaceSelector": select_namespace(ns), "resourceRules": [rule]},
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


def install_dead_webhook(lab: Lab, ns: str, resource: str = "pods") -> None:
    """Create a webhook with a missing Service for the DELETE of a type in this Namespace. It is named after
    the Namespace.
    """
    install_webhook(lab, ns, "guard.example.com", resource, {"service": {"namespace": ns, "name": "guard"}})


def install_webhook(
    lab: Lab, ns: str, name: str, resource: str, client: Object, operation: str = "DELETE"
) -> None:
    """Create a webhook for one operation on a type in this Namespace, named after the Namespace. client: its
    `clientConfig`.
    """
    hook = {
        "name": name,
        "rules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "resources": [resource], "operations": [operation]}
        ],
        "clientConfig": client,
        "namespaceSelector": select_namespace(ns),
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
    """Delete all of these webhooks, policies and bindings."""
    for plural in (
        "validatingwebhookconfigurations",
        "validatingadmissionpolicybindings",
        "validatingadmissionpolicies",
    ):
        _steps.delete(lab, f"{REGISTRATION}/{plural}/{ns}")


def make_refused_kubelet_fault(
    name: str,
    summary: str,
    *,
    pod: str,
    refuse: Callable[[Lab, str], None],
    says: tuple[str, str],
    accepts: tuple[str, ...],
) -> Fault:
    """Return the fault of a deleted Pod for which the kubelet's last writes are denied. It is observed once
    the kubelet reports the denial.
    """
    ns = f"f-{name}"

    def apply(lab: Lab) -> None:
        # The DELETE comes first, since it might be denied too, then the denial, and once that is enforced the
        # Pod's end.
        told = {"command": ["sh", "-c", "trap '' TERM; until [ -e /end ]; do sleep 0.2; done"]}
        _steps.run(lab, _objects.make_pod(ns, pod, container=told))
        _steps.delete_pod(lab, ns, pod, grace=20)
        refuse(lab, ns)
        time.sleep(_IN_FORCE)
        lab.run_kubectl("exec", "-n", ns, pod, "--", "touch", "/end")

    def observe(lab: Lab) -> str | None:
        found = _checks.find_deleting_pod(lab, ns, pod)
        # The kubelet's line about a status update names the Pod without its uid.
        return _checks.find_kubelet_line(lab, found, f"{ns}/{pod}", *says) if found else None

    def heal(lab: Lab) -> None:
        forget(lab, ns)
        _steps.remove_namespace(lab, ns)

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=accepts,
        with_node="proven",
        without_node="undecided",
        needs_node_access=True,
        apply=apply,
        observe=observe,
        heal=heal,
    )
