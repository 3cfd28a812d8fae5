"""No fault: a Pod names a second scheduler, which runs and has placed it. Any cause reported for it is
wrong.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _objects, _scheduler, _steps

NS, POD = "f-healthy-second-scheduler", "placed"


def apply(lab: Lab) -> None:
    _scheduler.start_second(lab)
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, POD, schedulerName=_scheduler.SECOND))


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, POD)
    conditions = found["status"].get("conditions", []) if found else []
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
    return f"placed on {found['spec'].get('nodeName')} and ready" if found and ready else None


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _scheduler.end_second(lab)


FAULT = Fault(
    name="healthy-second-scheduler",
    summary="a Pod that a second scheduler has placed",
    scope="cluster",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    beside="placing",
    ripe=POD_RIPE,
)
