"""A container asks for an AppArmor profile that the node's kernel has not loaded, if it supports AppArmor at
all.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-no-apparmor", "wants-a-profile"


def apply(lab: Lab) -> None:
    profile = {"type": "Localhost", "localhostProfile": "f-no-apparmor"}
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container={"securityContext": {"appArmorProfile": profile}}),
    )


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    message = str(found["status"].get("message", "")) if found else ""
    if "AppArmor" in message:
        return message
    _, waiting = _checks.find_waiting_reason(lab, NS, NAME) or ("", "")
    return waiting if "apparmor" in waiting else None


FAULT = Fault(
    name="no-apparmor",
    summary="a container asks for an AppArmor profile that its node does not have",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("security.apparmor-unsupported",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
