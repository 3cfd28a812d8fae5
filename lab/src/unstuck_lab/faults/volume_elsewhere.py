"""A Pod's volume is accessible only from a removed node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-volume-elsewhere", "wants-its-volume"


def apply(lab: Lab) -> None:
    volume, claim = _objects.make_bound_claim(NS, "data", NS)
    gone = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["gone"]}
    volume["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [gone]}]}}
    lab.apply(_objects.make_namespace(NS), volume, claim)
    # An earlier Event about the unbound claim would absorb the later ones, and lose their messages
    # (client-go tools/events).
    lab.wait(lambda: _checks.read_claim_phase(lab, NS, "data") == "Bound", 60, f"binding of claim {NS}/data")
    lab.apply(_objects.make_pod_with_claim(NS, NAME, "data"))


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, NS)


def observe(lab: Lab) -> str | None:
    # The second is the wording before 1.34.
    words = ("PersistentVolume's node affinity", "volume node affinity conflict")
    return next(
        (seen for said in words if (seen := _checks.find_event(lab, NS, NAME, "FailedScheduling", said))),
        None,
    )


FAULT = Fault(
    name="volume-elsewhere",
    summary="the volume of a Pod can only be reached from a node that is gone",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.volume-node-conflict",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
