"""A preStop hook never returns. Within the grace period it cannot be distinguished from a working one: the
answer names the hook, and the time to wait for.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-pre-stop-hanging", "never-drains"
# Reads a pipe without a writer, like a hook that waits for a dead peer.
HOOK = "mkfifo /tmp/peer; read -r answer < /tmp/peer"


def apply(lab: Lab) -> None:
    hook = {"preStop": {"exec": {"command": ["sh", "-c", HOOK]}}}
    pod = _objects.make_pod_with_volume(
        NS,
        NAME,
        {"name": "tmp", "emptyDir": {}},
        container={"lifecycle": hook},
        terminationGracePeriodSeconds=900,
    )
    _steps.run(lab, pod)
    _steps.delete_pod(lab, NS, NAME)


def observe(lab: Lab) -> str | None:
    return _checks.find_hook_line(lab, NS, NAME, "sh -c " + HOOK)


def heal(lab: Lab) -> None:
    _steps.release(lab, NS, NAME, "echo well > /tmp/peer")


FAULT = Fault(
    name="pre-stop-hanging",
    summary="a Pod's preStop hook never returns, and its grace period is not over",
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
