"""A container exits with 137 on its own, which looks like a kill.

Neither the API nor the node distinguishes it from an unobserved SIGKILL, so `proven` for either would be a
guess. Out of memory would be wrong.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-exit137", "says-137"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "sleep 2; exit 137"]
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"command": command}))


def observe(lab: Lab) -> str | None:
    ended = _checks.find_crash(lab, NS, NAME)
    return f"exit code 137, reason {ended['reason']}" if ended and ended["exitCode"] == 137 else None


FAULT = Fault(
    name="exit137",
    summary="a container exits with 137 on its own",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.killed-without-witness", "container.exits-by-itself"),
    with_node="undecided",
    without_node="undecided",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    at_most="likely",
)
