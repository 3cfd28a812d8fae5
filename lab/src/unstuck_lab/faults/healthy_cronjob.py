"""Nothing is wrong: a CronJob that ran a minute ago."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _jobs, _kit

NS, NAME = "f-healthy-cronjob", "every-minute"


def apply(lab: Lab) -> None:
    template = _jobs.template(NS, NAME, container={"command": ["date"]})
    job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}},
    }
    lab.apply(_kit.namespace(NS), job)


def held(lab: Lab) -> str | None:
    found = lab.get(f"/apis/batch/v1/namespaces/{NS}/cronjobs/{NAME}")
    return found["status"].get("lastSuccessfulTime") if found else None


FAULT = Fault(
    name="healthy-cronjob",
    summary="a CronJob whose last run was well",
    scope="pod",
    subject=f"cronjob/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    settle=90,
)
