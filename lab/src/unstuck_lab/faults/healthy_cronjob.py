"""No fault: a CronJob that ran a minute ago."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _jobs, _objects, _steps

NS, NAME = "f-healthy-cronjob", "every-minute"


def apply(lab: Lab) -> None:
    template = _jobs.make_template(NS, NAME, container={"command": ["date"]})
    job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}},
    }
    lab.apply(_objects.make_namespace(NS), job)


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/apis/batch/v1/namespaces/{NS}/cronjobs/{NAME}")
    return found["status"].get("lastSuccessfulTime") if found else None


FAULT = Fault(
    name="healthy-cronjob",
    summary="a CronJob whose last run succeeded",
    scope="pod",
    subject=f"cronjob/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
