"""No fault: a Pod with a claim bound to a volume of the node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, POD, CLAIM, VOLUME = "f-healthy-claim", "has-data", "data", "unstuck-lab-data"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        *_objects.make_bound_claim(NS, CLAIM, VOLUME),
        _objects.make_pod_with_claim(NS, POD, CLAIM),
    )


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, POD)
    statuses = found["status"].get("containerStatuses", []) if found else []
    return "the Pod is ready" if statuses and statuses[0]["ready"] else None


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, VOLUME)


FAULT = Fault(
    name="healthy-claim",
    summary="a running Pod with a bound claim",
    scope="pod",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    also=(f"pvc/{CLAIM}", f"pv/{VOLUME}"),
)
