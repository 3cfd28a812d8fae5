"""A quota limits memory, and the Pods set no limit."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS = "f-quota-needs-requests"


def apply(lab: Lab) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "memory", "namespace": NS}}
    lab.apply(_objects.make_namespace(NS), quota | {"spec": {"hard": {"limits.memory": "4Gi"}}})
    lab.wait(lambda: _is_counted(lab), 30, f"resourcequota {NS}/memory counted")
    lab.apply(_owned.make_deployment(NS), _owned.make_stateful_set(NS))


def _is_counted(lab: Lab) -> bool:
    found = lab.get(f"/api/v1/namespaces/{NS}/resourcequotas/memory")
    return bool(found and found.get("status", {}).get("used"))


FAULT = Fault(
    name="quota-needs-requests",
    summary="a quota requires a limit that the Pods do not set",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.quota-needs-requests",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_owned.make_refusal_check(NS, "must specify"),
    heal=_steps.make_heal(NS),
    also=(f"statefulset/{_owned.DB}",),
)
