"""A driver limits its node to one volume, and a Pod restricted to that node needs two."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _attach, _checks, _csi, _objects, _plugin, _steps
from unstuck_lab.faults._plugin import NODE

NS, NAME, FIRST, SECOND = "f-volume-attach-limit", "wants-two-disks", "disk-a", "disk-b"


def apply(lab: Lab) -> None:
    _plugin.tell(lab, NS, "one-volume")
    _csi.start(lab, NS)
    needs = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in (FIRST, SECOND)]
    mounts = [{"name": name, "mountPath": f"/{name}"} for name in (FIRST, SECOND)]
    there = {"kubernetes.io/hostname": NODE}
    pod = _objects.make_pod(NS, NAME, container={"volumeMounts": mounts}, volumes=needs, nodeSelector=there)
    volumes = [one for name in (FIRST, SECOND) for one in _attach.make_volume(NS, name, f"-{name}")]
    lab.apply(_objects.make_namespace(NS), _csi.make_driver(NS, attachRequired=True), *volumes)
    # By then the volume binder and the scheduler have seen the claims and the driver's limit.
    lab.wait(
        lambda: all(_checks.read_claim_phase(lab, NS, name) == "Bound" for name in (FIRST, SECOND)),
        60,
        f"the claims of {NS} are bound",
    )
    lab.apply(pod)


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    for name in (FIRST, SECOND):
        _steps.delete(lab, f"/api/v1/persistentvolumes/{NS}-{name}")
    _csi.remove(lab, NS)


FAULT = Fault(
    name="volume-attach-limit",
    summary="a Pod needs more volumes than its driver allows on the only node that it may use",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.volume-attach-limit",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "FailedScheduling", "max volume count"),
    heal=heal,
)
