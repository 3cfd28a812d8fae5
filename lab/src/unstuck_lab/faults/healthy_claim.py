"""Nothing is wrong: a Pod with a claim that is bound to a volume of the node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, POD, CLAIM, VOLUME = "f-healthy-claim", "has-data", "data", "unstuck-lab-data"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), *_kit.bound_claim(NS, CLAIM, VOLUME), _kit.with_claim(NS, POD, CLAIM))


def held(lab: Lab) -> str | None:
    found = lab.get_pod(NS, POD)
    statuses = found["status"].get("containerStatuses", []) if found else []
    return "the Pod is ready" if statuses and statuses[0]["ready"] else None


def heal(lab: Lab) -> None:
    _kit.remove_namespace(lab, NS)
    _kit.remove_volume(lab, VOLUME)


FAULT = Fault(
    name="healthy-claim",
    summary="a Pod that runs with a bound claim",
    scope="pod",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    also=(f"pvc/{CLAIM}", f"pv/{VOLUME}"),
)
