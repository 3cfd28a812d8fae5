"""A second Pod wants a ReadWriteOncePod claim that is in use."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, FIRST, NAME = "f-volume-in-use", "data", "has-it", "wants-it-too"


def apply(lab: Lab) -> None:
    volume, claim = _objects.make_bound_claim(NS, CLAIM, NS)
    for one in (volume, claim):
        one["spec"]["accessModes"] = ["ReadWriteOncePod"]
    _steps.run(lab, _objects.make_pod_with_claim(NS, FIRST, CLAIM), volume, claim)
    lab.apply(_objects.make_pod_with_claim(NS, NAME, CLAIM))


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, NS)


FAULT = Fault(
    name="volume-in-use",
    summary="a Pod waits for a ReadWriteOncePod claim that another Pod uses",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.volume-in-use",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "FailedScheduling", "ReadWriteOncePod access mode"),
    heal=heal,
)
