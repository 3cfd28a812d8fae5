"""What etcd holds of a ConfigMap is no object any more: a Namespace with it cannot be emptied, and the failing list names no object."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _etcd, _kit

NS = "f-configmap-undecodable"
CONFIGMAP = f"/api/v1/namespaces/{NS}/configmaps/settings"


def apply(lab: Lab) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": NS}, "data": {"a": "b"}}
    lab.apply(_kit.namespace(NS), settings)
    _etcd.put(lab, f"configmaps/{NS}/settings", "garbage")
    _kit.delete(lab, f"/api/v1/namespaces/{NS}")


def held(lab: Lab) -> str | None:
    found = lab.get(f"/api/v1/namespaces/{NS}")
    for condition in found["status"].get("conditions", []) if found else []:
        if condition["type"] == "NamespaceDeletionContentFailure" and condition["status"] == "True":
            words = _etcd.error_of_get(lab, CONFIGMAP)
            return f"{words}; {condition['message']}" if words else None
    return None


def heal(lab: Lab) -> None:
    _etcd.remove(lab, f"configmaps/{NS}/settings")
    lab.wait(lambda: lab.get(f"/api/v1/namespaces/{NS}") is None, 120, f"end of namespace {NS}")


FAULT = Fault(
    name="configmap-undecodable",
    summary="a Namespace waits because a ConfigMap in it is no object any more",
    scope="cluster",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("apiserver.object-undecodable",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=120,
)
