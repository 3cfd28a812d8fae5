"""A preStop hook sleeps for twenty minutes of a grace period of forty: the advice is to wait."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-pre-stop-running", "drains-slowly"


def apply(lab: Lab) -> None:
    hook = {"preStop": {"exec": {"command": ["sleep", "1200"]}}}
    pod = _objects.make_pod(NS, NAME, container={"lifecycle": hook}, terminationGracePeriodSeconds=2400)
    _steps.run(lab, pod)
    _steps.delete_pod(lab, NS, NAME)


def observe(lab: Lab) -> str | None:
    return _checks.find_hook_line(lab, NS, NAME, "sleep 1200")


def heal(lab: Lab) -> None:
    _steps.release(lab, NS, NAME, "killall sleep")


FAULT = Fault(
    name="pre-stop-running",
    summary="a Pod's preStop hook runs, well inside its grace period",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("deletion.pre-stop-running", "deletion.in-grace-period"),
    consequences=("deletion.in-grace-period",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
