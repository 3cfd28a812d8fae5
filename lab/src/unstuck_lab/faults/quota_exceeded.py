"""A quota has room for one Pod: a Deployment wants two, and a later StatefulSet gets none."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS = "f-quota-exceeded"


def apply(lab: Lab) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "cpu", "namespace": NS}}
    lab.apply(_objects.make_namespace(NS), quota | {"spec": {"hard": {"requests.cpu": "50m"}}})
    lab.wait(lambda: _is_counted(lab), 30, f"resourcequota {NS}/cpu counted")
    asks = {"resources": {"requests": {"cpu": "40m"}}}
    lab.apply(_owned.make_deployment(NS, container=asks))
    lab.wait(lambda: _owned.make_refusal_check(NS, "exceeded quota")(lab), 30, f"deployment {NS}/web refused")
    lab.apply(_owned.make_stateful_set(NS, container=asks))


def _is_counted(lab: Lab) -> bool:
    found = lab.get(f"/api/v1/namespaces/{NS}/resourcequotas/cpu")
    return bool(found and found.get("status", {}).get("used"))


FAULT = Fault(
    name="quota-exceeded",
    summary="a quota leaves no room for the Pods of a Deployment and a StatefulSet",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.quota-exceeded",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_owned.make_refusal_check(NS, "exceeded quota"),
    heal=_steps.make_heal(NS),
    also=(f"statefulset/{_owned.DB}",),
)
