"""The operator that clears a finalizer was scaled to zero; its Lease is left behind."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _operator, _steps

OPERATOR = _operator.Operator(
    "f-finalizer-owner-down", "backup-operator", "backup.example.com", "BackupPlan", "nightly"
)


def apply(lab: Lab) -> None:
    _operator.install(lab, OPERATOR)
    lab.request(
        "PATCH", OPERATOR.deployment, {"spec": {"replicas": 0}}, content_type="application/merge-patch+json"
    )
    lab.wait(lambda: not _operator.list_pods(lab, OPERATOR), 60, f"end of {OPERATOR.name}")
    _steps.delete(lab, OPERATOR.path)


def observe(lab: Lab) -> str | None:
    return None if _operator.list_pods(lab, OPERATOR) else _operator.find_deletion(lab, OPERATOR)


def heal(lab: Lab) -> None:
    _operator.remove(lab, OPERATOR)


FAULT = Fault(
    name="finalizer-owner-down",
    summary="an object stays because its operator was scaled to zero",
    scope="pod",
    subject=OPERATOR.subject,
    namespace=OPERATOR.ns,
    accepts=("finalizer.controller-gone",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
