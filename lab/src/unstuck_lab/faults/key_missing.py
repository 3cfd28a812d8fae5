"""A container takes a variable from the key `zz` of a ConfigMap that has only `a`."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-key-missing", "wants-key-zz"


def apply(lab: Lab) -> None:
    settings = _kit.config_map(NS, "app-config", {"a": "b"})
    variable = {"name": "X", "valueFrom": {"configMapKeyRef": {"name": "app-config", "key": "zz"}}}
    lab.apply(_kit.namespace(NS), settings, _kit.pod(NS, NAME, container={"env": [variable]}))


def held(lab: Lab) -> str | None:
    return _kit.waits_with(lab, NS, NAME, "CreateContainerConfigError")


FAULT = Fault(
    name="key-missing",
    summary="a container wants a key that its ConfigMap has not",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("config.key-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
