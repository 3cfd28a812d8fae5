"""A Service targets a named port that its Pod does not have."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-service-port", "stall"


def apply(lab: Lab) -> None:
    pod = _objects.make_pod(NS, NAME, container={"ports": [{"name": "web", "containerPort": 8080}]})
    pod["metadata"]["labels"] = {"app": "stall"}
    spec = {"selector": {"app": "stall"}, "ports": [{"port": 80, "targetPort": "http"}]}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": spec,
    }
    _steps.run(lab, pod, service)


def observe(lab: Lab) -> str | None:
    slices = lab.request("GET", f"/apis/discovery.k8s.io/v1/namespaces/{NS}/endpointslices")["items"]
    mine = [s for s in slices if s["metadata"].get("labels", {}).get("kubernetes.io/service-name") == NAME]
    reached = any(s.get("endpoints") and s.get("ports") for s in mine)
    return (
        "its endpoints have no port, its Pod is Ready"
        if mine and not reached and _checks.find_condition(lab.get_pod(NS, NAME), "Ready") is not None
        else None
    )


FAULT = Fault(
    name="service-port",
    summary="a Service targets a port that its Pod does not have",
    scope="pod",
    subject=f"svc/{NAME}",
    namespace=NS,
    accepts=("service.port-mismatch",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
