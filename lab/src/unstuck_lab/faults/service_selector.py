"""A Service selects a label that its Pod spells differently."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-service-selector", "shop"


def apply(lab: Lab) -> None:
    pod = _objects.make_pod(NS, NAME)
    pod["metadata"]["labels"] = {"app": "shop-web"}
    spec = {"selector": {"app": "shopweb"}, "ports": [{"port": 80, "targetPort": 8080}]}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": spec,
    }
    _steps.run(lab, pod, service)


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    slices = lab.request("GET", f"/apis/discovery.k8s.io/v1/namespaces/{NS}/endpointslices")["items"]
    made = [s for s in slices if s["metadata"].get("labels", {}).get("kubernetes.io/service-name") == NAME]
    empty = made and not any(s.get("endpoints") for s in made)
    return (
        "its endpoints are empty, its Pod is Ready"
        if empty and _checks.find_condition(found, "Ready") is not None
        else None
    )


FAULT = Fault(
    name="service-selector",
    summary="a Service selects no Pod, though its Pod is healthy",
    scope="pod",
    subject=f"svc/{NAME}",
    namespace=NS,
    accepts=("service.selector-matches-nothing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
