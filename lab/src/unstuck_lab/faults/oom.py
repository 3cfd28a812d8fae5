"""A container doubles a string until the kernel kills it at 32 MiB."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-oom", "hungry"


def apply(lab: Lab) -> None:
    container = {
        "command": ["sh", "-c", "a=x; while true; do a=$a$a; done"],
        "resources": {"limits": {"memory": "32Mi"}},
    }
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container=container))


def observe(lab: Lab) -> str | None:
    ended = _checks.find_crash(lab, NS, NAME) or {}
    return f"OOMKilled, exit code {ended['exitCode']}" if ended.get("reason") == "OOMKilled" else None


FAULT = Fault(
    name="oom",
    summary="a container needs more memory than its limit",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.out-of-memory",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
