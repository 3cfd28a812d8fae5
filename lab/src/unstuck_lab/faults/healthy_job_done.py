"""No fault: a Job that has completed."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _jobs, _objects, _steps

NS, NAME = "f-healthy-job-done", "migrate"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        _jobs.make_job(NS, NAME, container={"command": ["sh", "-c", "echo migrated"]}),
    )


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/apis/batch/v1/namespaces/{NS}/jobs/{NAME}")
    return "succeeded 1" if found and found["status"].get("succeeded") == 1 else None


FAULT = Fault(
    name="healthy-job-done",
    summary="a completed Job",
    scope="pod",
    subject=f"job/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
