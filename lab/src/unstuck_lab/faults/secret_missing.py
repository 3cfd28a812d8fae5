"""A container takes a variable from the Secret db-login; only db-logins exists."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-secret-missing", "wants-db-login"


def apply(lab: Lab) -> None:
    source = {"secretKeyRef": {"name": "db-login", "key": "password"}}
    near = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "db-logins", "namespace": NS},
        "stringData": {"password": "x"},
    }
    pod = _objects.make_pod(NS, NAME, container={"env": [{"name": "PASSWORD", "valueFrom": source}]})
    lab.apply(_objects.make_namespace(NS), near, pod)


def observe(lab: Lab) -> str | None:
    return _checks.find_waiting_message(lab, NS, NAME, "CreateContainerConfigError", "db-login")


FAULT = Fault(
    name="secret-missing",
    summary="a container needs a Secret that does not exist; one with a similar name does",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("config.secret-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
