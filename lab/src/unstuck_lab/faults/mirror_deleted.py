"""The mirror of a static Pod is deleted: it comes back at once, with another uid, and its containers run
on.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _static, _steps

NS, NAME, NODE = "f-mirror-deleted", "static", "lab-1"
POD = _static.name_mirror(NODE, NAME)
# Younger containers may have been created before the API server was reachable.
OLD_POD, OLD_NODE = 35, 200


def apply(lab: Lab) -> None:
    _static.run(lab, lab.get_node(NODE), NS, NAME)
    node = f"/api/v1/nodes/{NODE}"
    lab.wait(
        lambda: _measure_age(lab.get(node)) > OLD_NODE and _measure_age(lab.get_pod(NS, POD)) > OLD_POD,
        OLD_NODE + 30,
        f"node {NODE} of some age",
    )
    _steps.delete_pod(lab, NS, POD)


def _measure_age(found: _objects.Object | None) -> float:
    return _checks.measure_age(found["metadata"]["creationTimestamp"]) if found else 0


def observe(lab: Lab) -> str | None:
    """Return a sentence once its containers are older than the Pod itself; else None."""
    found = lab.get_pod(NS, POD)
    if found is None or "deletionTimestamp" in found["metadata"]:
        return None
    made = found["metadata"]["creationTimestamp"]
    for status in found["status"].get("containerStatuses", []):
        began = status["state"].get("running", {}).get("startedAt")
        if began and _checks.measure_age(began) - _checks.measure_age(made) > OLD_POD - 10:
            return f"made {made}, uid {found['metadata']['uid']}, its container runs since {began}"
    return None


def heal(lab: Lab) -> None:
    _static.end(lab, lab.get_node(NODE), NS, NAME)


FAULT = Fault(
    name="mirror-deleted",
    summary="a deleted mirror Pod of a static Pod is recreated",
    scope="pod",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("deletion.mirror-pod",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
