"""A quota limits memory, and the Pods name no limit."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _owned

NS = "f-quota-needs-requests"


def apply(lab: Lab) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "memory", "namespace": NS}}
    lab.apply(_kit.namespace(NS), quota | {"spec": {"hard": {"limits.memory": "4Gi"}}})
    lab.wait(lambda: _counted(lab), 30, f"resourcequota {NS}/memory counted")
    lab.apply(_owned.deployment(NS), _owned.stateful_set(NS))


def _counted(lab: Lab) -> bool:
    found = lab.get(f"/api/v1/namespaces/{NS}/resourcequotas/memory")
    return bool(found and found.get("status", {}).get("used"))


FAULT = Fault(
    name="quota-needs-requests",
    summary="a quota demands a limit that the Pods do not name",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.quota-needs-requests",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=_owned.refusal(NS, "must specify"),
    heal=_kit.removing(NS),
    also=(f"statefulset/{_owned.DB}",),
)
