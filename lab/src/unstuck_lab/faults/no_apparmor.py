"""A container asks for an AppArmor profile on a machine whose kernel has none, or not that one."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-no-apparmor", "wants-a-profile"


def apply(lab: Lab) -> None:
    profile = {"type": "Localhost", "localhostProfile": "f-no-apparmor"}
    lab.apply(
        _kit.namespace(NS), _kit.pod(NS, NAME, container={"securityContext": {"appArmorProfile": profile}})
    )


def held(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    message = str(found["status"].get("message", "")) if found else ""
    if "AppArmor" in message:
        return message
    _, waiting = _kit.waiting_reason(lab, NS, NAME) or ("", "")
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
    held=held,
    heal=_kit.removing(NS),
    settle=90,
)
