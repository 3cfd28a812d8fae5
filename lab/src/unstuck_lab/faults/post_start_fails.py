"""A container's postStart hook fails, so the kubelet kills the container each time."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-post-start-fails", "hooked"


def apply(lab: Lab) -> None:
    hook = {"postStart": {"exec": {"command": ["false"]}}}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"lifecycle": hook}))


def observe(lab: Lab) -> str | None:
    said = _checks.find_event(lab, NS, NAME, "FailedPostStartHook")
    return said if said and _checks.count_restarts(lab, NS, NAME) >= 1 else None


FAULT = Fault(
    name="post-start-fails",
    summary="a container's postStart hook fails",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.post-start-failing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
