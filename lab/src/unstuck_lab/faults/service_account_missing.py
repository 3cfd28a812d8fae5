"""The Pods name a ServiceAccount that does not exist; one with a similar name does."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _owned

NS = "f-service-account-missing"


def apply(lab: Lab) -> None:
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "builders", "namespace": NS},
    }
    lab.apply(_kit.namespace(NS), account)
    lab.apply(
        _owned.deployment(NS, serviceAccountName="builder"),
        _owned.stateful_set(NS, serviceAccountName="builder"),
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
    held=_owned.refusal(NS, "service account"),
    heal=_kit.removing(NS),
    also=(f"statefulset/{_owned.DB}",),
)
