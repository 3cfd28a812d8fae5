"""A container logs a reason and exits with status 1, repeatedly."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-crash1", "no-database"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "echo 'FATAL: DATABASE_URL not set'; exit 1"]
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"command": command}))


def observe(lab: Lab) -> str | None:
    ended = _checks.find_crash(lab, NS, NAME)
    return lab.run_kubectl("logs", "-n", NS, NAME).strip() if ended and ended["exitCode"] == 1 else None


FAULT = Fault(
    name="crash1",
    summary="a container exits with status 1 on its own",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    # It also exits on its own; its log says why.
    accepts=("program.variable-missing", "container.exits-by-itself"),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
