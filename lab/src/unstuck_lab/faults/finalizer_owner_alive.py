"""A running operator keeps its object until clients have disconnected: it is slow, not gone."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _operator, _steps

OPERATOR = _operator.Operator(
    "f-finalizer-owner-alive", "cache-operator", "cache.example.com", "CacheCluster", "sessions"
)


def apply(lab: Lab) -> None:
    _operator.install(lab, OPERATOR)
    _steps.delete(lab, OPERATOR.path)


def observe(lab: Lab) -> str | None:
    found = lab.get(OPERATOR.path) or {"metadata": {}}
    # The operator itself records that it has seen the deletion.
    says = str(found["metadata"].get("annotations", {}).get(f"{OPERATOR.group}/state", ""))
    return _operator.find_deletion(lab, OPERATOR) and (says if "waiting" in says else None)


def heal(lab: Lab) -> None:
    _operator.remove(lab, OPERATOR)


FAULT = Fault(
    name="finalizer-owner-alive",
    summary="an object stays because its running operator has not finished",
    scope="pod",
    subject=OPERATOR.subject,
    namespace=OPERATOR.ns,
    accepts=("finalizer.controller-slow",),
    with_node="undecided",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
