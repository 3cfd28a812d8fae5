"""The stored data of a ConfigMap cannot be decoded: its Namespace cannot be emptied, and the failing list
names no object.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _etcd, _objects, _steps

NS = "f-configmap-undecodable"
CONFIGMAP = f"/api/v1/namespaces/{NS}/configmaps/settings"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _objects.make_config_map(NS, "settings", {"a": "b"}))
    _etcd.put(lab, f"configmaps/{NS}/settings", "garbage")
    _steps.delete_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    message = _checks.find_namespace_condition(lab, NS, "NamespaceDeletionContentFailure")
    words = _etcd.find_read_error(lab, CONFIGMAP)
    return f"{words}; {message}" if message and words else None


def heal(lab: Lab) -> None:
    _etcd.remove(lab, f"configmaps/{NS}/settings")
    _steps.wait_gone(lab, NS)


FAULT = Fault(
    name="configmap-undecodable",
    summary="a Namespace waits because a ConfigMap in it cannot be decoded",
    scope="cluster",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("apiserver.object-undecodable",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
)
