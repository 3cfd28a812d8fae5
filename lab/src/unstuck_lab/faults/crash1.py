"""A container says why and exits with status 1, repeatedly."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-crash1", "no-database"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "echo 'FATAL: DATABASE_URL not set'; exit 1"]
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"command": command}))


def held(lab: Lab) -> str | None:
    ended = _kit.crashing(lab, NS, NAME)
    return lab.run_kubectl("logs", "-n", NS, NAME).strip() if ended and ended["exitCode"] == 1 else None


FAULT = Fault(
    name="crash1",
    summary="a container exits with status 1 by itself",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    # That it exits on its own is true as well; its log says why.
    accepts=("program.variable-missing", "container.exits-by-itself"),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
