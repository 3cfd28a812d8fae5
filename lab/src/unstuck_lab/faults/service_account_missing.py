"""The Pods name a missing ServiceAccount; a similarly named one exists."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS = "f-service-account-missing"


def apply(lab: Lab) -> None:
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "builders", "namespace": NS},
    }
    lab.apply(_objects.make_namespace(NS), account)
    lab.apply(
        _owned.make_deployment(NS, serviceAccountName="builder"),
        _owned.make_stateful_set(NS, serviceAccountName="builder"),
    )


FAULT = Fault(
    name="service-account-missing",
    summary="the Pods name a ServiceAccount that does not exist",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.service-account-missing",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_owned.make_refusal_check(NS, "service account"),
    heal=_steps.make_heal(NS),
    also=(f"statefulset/{_owned.DB}",),
)
