"""An init container logs a reason and exits with status 3, repeatedly; the main container never starts."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps
from unstuck_lab.images import BUSYBOX

NS, NAME = "f-init-fails", "waits-for-schema"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "echo 'schema is older than 7'; exit 3"]
    first = {"name": "migrate", "image": BUSYBOX, "command": command}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, initContainers=[first]))


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    for status in found["status"].get("initContainerStatuses", []) if found else []:
        waiting = status["state"].get("waiting", {}).get("reason", "")
        ended = status.get("lastState", {}).get("terminated", {})
        if waiting == "CrashLoopBackOff" and ended.get("exitCode") == 3:
            return f"{status['name']}: {waiting}, exit code 3"
    return None


FAULT = Fault(
    name="init-fails",
    summary="an init container exits with status 3 on its own",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.exits-by-itself", "container.init-failing"),
    consequences=("container.init-failing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
