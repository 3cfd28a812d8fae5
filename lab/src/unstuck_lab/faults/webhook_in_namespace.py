"""A Namespace is deleted with the backend of its own webhook on DELETE: what is left in it can no longer be deleted."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _kit

NS = "f-webhook-in-namespace"


def apply(lab: Lab) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": NS}, "data": {"a": "b"}}
    lab.apply(_kit.namespace(NS), settings)
    _admission.dead_webhook(lab, NS, resource="configmaps")
    _kit.delete(lab, f"/api/v1/namespaces/{NS}")


def held(lab: Lab) -> str | None:
    found = lab.get(f"/api/v1/namespaces/{NS}")
    for condition in found["status"].get("conditions", []) if found else []:
        if condition["type"] == "NamespaceDeletionContentFailure" and "failed calling webhook" in condition["message"]:
            return str(condition["message"])
    return None


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    lab.wait(lambda: lab.get(f"/api/v1/namespaces/{NS}") is None, 120, f"end of namespace {NS}")


FAULT = Fault(
    name="webhook-in-namespace",
    summary="a Namespace waits because the webhook on its content went first",
    scope="pod",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("admission.webhook-unreachable",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
