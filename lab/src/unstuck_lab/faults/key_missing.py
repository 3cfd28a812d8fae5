"""A container takes a variable from the key `zz` of a ConfigMap that has only `a`."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-key-missing", "wants-key-zz"


def apply(lab: Lab) -> None:
    settings = _objects.make_config_map(NS, "app-config", {"a": "b"})
    variable = {"name": "X", "valueFrom": {"configMapKeyRef": {"name": "app-config", "key": "zz"}}}
    lab.apply(
        _objects.make_namespace(NS), settings, _objects.make_pod(NS, NAME, container={"env": [variable]})
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_waiting_message(lab, NS, NAME, "CreateContainerConfigError")


FAULT = Fault(
    name="key-missing",
    summary="a container needs a key that its ConfigMap does not have",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("config.key-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
