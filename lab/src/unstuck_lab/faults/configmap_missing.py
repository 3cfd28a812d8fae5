"""A Pod mounts the ConfigMap app-conf; only app-config exists."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-configmap-missing", "wants-app-conf"


def apply(lab: Lab) -> None:
    pod = _objects.make_pod_with_volume(NS, NAME, {"name": "conf", "configMap": {"name": "app-conf"}})
    lab.apply(_objects.make_namespace(NS), _objects.make_config_map(NS, "app-config", {"a": "1"}), pod)


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedMount")


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="configmap-missing",
    summary="a Pod mounts a ConfigMap that does not exist; one with a similar name does",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("config.configmap-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
