"""A Pod mounts the ConfigMap app-conf; there is only app-config."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-configmap-missing", "wants-app-conf"


def apply(lab: Lab) -> None:
    pod = _kit.pod(
        NS,
        NAME,
        container={"volumeMounts": [{"name": "conf", "mountPath": "/conf"}]},
        volumes=[{"name": "conf", "configMap": {"name": "app-conf"}}],
    )
    near = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "app-config", "namespace": NS},
        "data": {"a": "1"},
    }
    lab.apply(_kit.namespace(NS), near, pod)


def held(lab: Lab) -> str | None:
    events = lab.api("GET", f"/api/v1/namespaces/{NS}/events")["items"]
    for event in events:
        if event["involvedObject"]["name"] == NAME and event["reason"] == "FailedMount":
            return str(event["message"])
    return None


def heal(lab: Lab) -> None:
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="configmap-missing",
    summary="a Pod wants a ConfigMap that is not there, one of a near name is",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("config.configmap-missing",),
    consequences=(),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
