"""The kernel kills a worker at the container's 32 MiB; the first process runs on, nothing is restarted, and
the Pod is no longer ready.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-oom-child", "lost-its-worker"
SCRIPT = (
    "trap 'exit 0' TERM; touch /tmp/up; (sleep 12; a=x; while :; do a=$a$a; done); rm /tmp/up; while :; do "
    "sleep 1; done"
)


def apply(lab: Lab) -> None:
    container = {
        "command": ["sh", "-c", SCRIPT],
        "resources": {"limits": {"memory": "32Mi"}},
        "readinessProbe": {
            "exec": {"command": ["cat", "/tmp/up"]},
            "periodSeconds": 2,
            "failureThreshold": 2,
        },
    }
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container=container))


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    statuses = found["status"].get("containerStatuses", []) if found else []
    runs = (
        statuses
        and "running" in statuses[0]["state"]
        and not statuses[0]["ready"]
        and not statuses[0]["restartCount"]
    )
    return _checks.find_event(lab, NS, NAME, "Unhealthy", "No such file or directory") if runs else None


# From outside only the probe shows it; on the node also the kernel's line, which does not prove that the
# killed process is the missing one.
FAULT = Fault(
    name="oom-child",
    summary="the kernel kills a worker at the memory limit, and the container runs on without it",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.out-of-memory", "probe.readiness-failing"),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
