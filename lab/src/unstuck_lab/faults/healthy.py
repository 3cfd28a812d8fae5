"""Nothing is wrong: whatever is named here is wrong."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-healthy", "web"


def apply(lab: Lab) -> None:
    template = _kit.pod(NS, NAME)
    lab.apply(
        _kit.namespace(NS),
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": NAME, "namespace": NS},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": NAME}},
                "template": {"metadata": {"labels": {"app": NAME}}, "spec": template["spec"]},
            },
        },
    )


def held(lab: Lab) -> str | None:
    found = lab.get(f"/apis/apps/v1/namespaces/{NS}/deployments/{NAME}")
    ready = found["status"].get("readyReplicas", 0) if found else 0
    return f"{ready} of 2 replicas ready" if ready == 2 else None


def heal(lab: Lab) -> None:
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="healthy",
    summary="a Deployment with all its replicas ready",
    scope="pod",
    subject=f"deployment/{NAME}",
    namespace=NS,
    accepts=(),
    consequences=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
