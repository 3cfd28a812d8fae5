"""A container exits with 137 on its own, which looks as if it had been killed.

Nothing in the API or on the node tells it from an unwitnessed SIGKILL:
`proven` for either would be a guess. That it ran out of memory is wrong.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-exit137", "says-137"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "sleep 2; exit 137"]
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"command": command}))


def held(lab: Lab) -> str | None:
    ended = _kit.crashing(lab, NS, NAME)
    return f"exit code 137, reason {ended['reason']}" if ended and ended["exitCode"] == 137 else None


FAULT = Fault(
    name="exit137",
    summary="a container exits with 137 by itself",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.killed-without-witness", "container.exits-by-itself"),
    with_node="undecided",
    without_node="undecided",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    at_most="likely",
)
