"""A policy denies the UPDATE with which an operator removes its finalizer: the operator runs and retries
forever.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _checks, _operator, _steps

OPERATOR = _operator.Operator(
    ns="f-finalizer-removal-rejected",
    name="vane-operator",
    group="vane.lab.example.com",
    kind="Vane",
    obj="v1",
)


def apply(lab: Lab) -> None:
    _operator.install(lab, OPERATOR, clears=True)
    _admission.keep_finalizers(lab, OPERATOR.ns, OPERATOR.group, OPERATOR.plural)
    _steps.delete(lab, OPERATOR.path)


def observe(lab: Lab) -> str | None:
    if not _operator.find_deletion(lab, OPERATOR):
        return None
    for name in _operator.list_pods(lab, OPERATOR):
        text = lab.run_kubectl("logs", "-n", OPERATOR.ns, name, "--tail=50")
        if line := _checks.find_log_line(text, "ValidatingAdmissionPolicy", "denied request"):
            return line
    return None


def heal(lab: Lab) -> None:
    _admission.forget(lab, OPERATOR.ns)
    _operator.remove(lab, OPERATOR)


FAULT = Fault(
    name="finalizer-removal-rejected",
    summary="an operator cannot take its finalizer off because a policy denies it",
    scope="pod",
    subject=OPERATOR.subject,
    namespace=OPERATOR.ns,
    accepts=("finalizer.removal-rejected",),
    consequences=("finalizer.controller-slow",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
