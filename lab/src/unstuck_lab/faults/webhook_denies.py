"""A webhook answers, and denies every DELETE of ConfigMaps in a Namespace that is being deleted."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _guard, _kit

NS, GUARD = "f-webhook-denies", "f-webhook-denies-guard"


def apply(lab: Lab) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": NS}, "data": {"a": "b"}}
    lab.apply(_kit.namespace(NS), settings)
    client = _guard.install(lab, GUARD)
    hook = {
        "name": "keep.example.com",
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["DELETE"]}],
        "clientConfig": client,
        "namespaceSelector": _admission.namespaced(NS),
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    lab.apply(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": NS},
            "webhooks": [hook],
        }
    )
    _kit.delete(lab, f"/api/v1/namespaces/{NS}")


def held(lab: Lab) -> str | None:
    found = lab.get(f"/api/v1/namespaces/{NS}")
    for condition in found["status"].get("conditions", []) if found else []:
        if condition["type"] == "NamespaceDeletionContentFailure" and "denied the request" in condition["message"]:
            return str(condition["message"])
    return None


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    lab.wait(lambda: lab.get(f"/api/v1/namespaces/{NS}") is None, 120, f"end of namespace {NS}")
    _kit.remove_namespace(lab, GUARD)


FAULT = Fault(
    name="webhook-denies",
    summary="a Namespace waits because a webhook denies the deletion of what is in it",
    scope="pod",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("admission.webhook-denies",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
    settle=90,
)
