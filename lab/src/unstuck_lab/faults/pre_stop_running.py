"""A preStop hook sleeps for five minutes of a grace period of ten: wait."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-pre-stop-running", "drains-slowly"


def apply(lab: Lab) -> None:
    hook = {"preStop": {"exec": {"command": ["sleep", "300"]}}}
    pod = _kit.pod(NS, NAME, container={"lifecycle": hook}, terminationGracePeriodSeconds=600)
    lab.apply(_kit.namespace(NS), pod)
    _kit.wait_running(lab, NS, NAME)
    _kit.delete_pod(lab, NS, NAME)


def held(lab: Lab) -> str | None:
    pod = _kit.deleting(lab, NS, NAME)
    if not pod:
        return None
    return _kit.hook_line(lab.node_of(NS, NAME), NS, NAME, "sleep 300")


def heal(lab: Lab) -> None:
    _kit.release(lab, NS, NAME, "killall sleep")


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
    held=held,
    heal=heal,
)
