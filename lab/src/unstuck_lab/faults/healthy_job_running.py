"""Nothing is wrong: a Job that runs."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-healthy-job-running", "long"


def apply(lab: Lab) -> None:
    container = {"command": ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 1; done"]}
    template = {"spec": _kit.pod(NS, NAME, container=container, restartPolicy="Never")["spec"]}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"template": template},
    }
    lab.apply(_kit.namespace(NS), job)


def held(lab: Lab) -> str | None:
    found = lab.get(f"/apis/batch/v1/namespaces/{NS}/jobs/{NAME}")
    return "ready 1" if found and found["status"].get("ready") == 1 else None


FAULT = Fault(
    name="healthy-job-running",
    summary="a Job that runs",
    scope="pod",
    subject=f"job/{NAME}",
    namespace=NS,
    accepts=(),
    consequences=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
