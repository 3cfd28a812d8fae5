"""The CSI driver of a volume is not registered on the Node

## How it happens

The kubelet unmounts a CSI volume by a call to the driver's node plugin, a Pod of a DaemonSet on that Node.
That plugin is gone: it was uninstalled before the Pods that use it, evicted by a NoExecute taint that it does
not tolerate, its node selector no longer matches, or it crashes before it registers. Without it the kubelet
has no plugin to call. The Pod stays, and no event is written. In the same way a new Pod's volume cannot be
mounted: the driver was never installed there, its Pod does not run on that Node, it registered in a directory
that is not this kubelet's, or the volume names a driver with another name. If the driver's DaemonSet does not
tolerate a taint of the Node, or requires a label that the Node lacks, the answer for a new Pod reports that.

## How to tell

The kubelet's log says `driver name NAME not found in the list of registered CSI drivers`, and so does the
event `FailedMount` of a Pod that starts; before that `FailedAttachVolume` may say `CSINode NODE does not
contain driver NAME` or, of old, `has no NodeID annotation`. The Node's CSINode object does not list the
driver. For a deleted Pod the directory of the volume still exists with a `vol_data.json` that names the
driver.

## Known limits

A driver that restarts is absent for seconds; the kubelet then unmounts automatically. A driver whose process
ended without its socket being removed stays registered, and calls to it fail: that is volume.csi-call-failed.
Which driver serves a claim's volume is read from the Node. After a reboot the CSINode may still list a driver
that the kubelet does not know yet: its listing refutes nothing.

## References

- pkg/volume/csi/csi_client.go, pkg/volume/csi/nodeinfomanager; kubernetes-csi/node-driver-registrar
- container-storage-interface specification, NodeUnpublishVolume; field notes
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.causes._commands import list_pods_on
from unstuck.causes.volume import _csi, _driver_sets
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.aspects.storage import CsiDrivers
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

# Set by the node controller for a Node that does not answer: node.* and kubelet.* report that.
_BY_NODE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def _rule(pod: Ref, snap: Facts) -> Signs:
    if not is_being_deleted(pod, snap) and any(_is_mounting(f) for f in snap.of(Failure, pod)):
        return _judge_start(pod, snap)
    node = find_node_of_pod(pod, snap)
    used, left, said = (
        _csi.find_drivers(pod, snap),
        _csi.find_remaining_volumes(pod, snap),
        _csi.find_missing_driver_lines(pod, snap),
    )
    absent = _find_absent_drivers(pod, node, used, snap)
    kept = _find_needed_drivers(absent, left, said)
    return Signs(
        applies=is_overdue(pod, snap),
        necessary={"a volume of it has a CSI driver": used},
        decisive={
            "the volume of a driver that the CSINode does not list is still there": all_of([absent, kept])
        },
        supporting={
            "the kubelet says that the driver is not registered": said,
            "the CSINode does not list it": absent,
        },
        finding=lambda: _make_finding(pod, node, (*kept.hits, *absent.hits, *used.hits)[0], left.hits, snap),
    )


def _judge_start(pod: Ref, snap: Facts) -> Signs:
    """Return the signs for a Pod whose volume cannot be mounted: the kubelet itself keeps the list it refers
    to.
    """
    node = find_node_of_pod(pod, snap)
    said = _starting.start_failures(pod, snap, _is_mounting)
    names = tuple(dict.fromkeys(f.object.name for f in said.hits if f.object and f.object.name))
    return Signs(
        necessary={"the last attempt failed this way": said},
        decisive={
            "the kubelet says so again and again, up to now": _starting.is_repeated(pod, snap, said),
            "the CSINode does not list the driver": _find_absent_drivers(
                pod, node, Sign(said.value, names, said.seen), snap
            ),
        },
        supporting={"the kubelet says so": said},
        finding=lambda: _make_finding_at_mount(pod, _starting.pick_latest(said.hits), snap),
    )


def _is_mounting(f: Failure) -> bool:
    return f.operation in ("volume-set-up", "volume-attach") and f.error == "driver-not-registered"


def _find_absent_drivers(pod: Ref, node: Ref | None, used: Sign[str], snap: Facts) -> Sign[str]:
    """Find drivers in use that the Node's CSINode does not list; asked only once one is known to be in
    use.
    """
    if not used.value:
        return Sign(None)
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    return some(snap, CsiDrivers, node, lambda f: [d for d in used.hits if d not in f.names])


def _find_needed_drivers(absent: Sign[str], left: Sign[CsiVolume], said: Sign[Failure]) -> Sign[str]:
    """Find the absent drivers whose volume is on the Node's disk, or which the kubelet still calls."""
    missing = set(absent.hits)
    there = tuple(v.driver for v in left.hits if v.driver in missing)
    called = tuple(f.object.name or "" for f in said.hits if f.object and f.object.name in missing)
    if there or called:
        return Sign(True, (*there, *called), (*left.seen, *said.seen), sure=left.sure if there else said.sure)
    return Sign(None, wants=left.wants)


def _make_finding(
    pod: Ref, node: Ref | None, driver: str, left: tuple[CsiVolume, ...], snap: Facts
) -> Finding:
    on = node.name if node and node.name else "its Node"
    volumes = [v for v in left if v.driver == driver]
    what = say("volume {volumes}", volumes=volumes[0].name) if volumes else say("its volume")
    still = (say("the volume is still mounted"),) if any(v.mounted for v in volumes) else ()
    return Finding(
        say(
            "CSI driver {driver} is not registered on {on}, so {what} cannot be unmounted",
            driver=driver,
            on=on,
            what=what,
        ),
        culprit=Ref("CSIDriver", node.name if node else None, driver),
        blocks=(pod,),
        notes=(*still, *_list_taints(node, snap)),
        help=(_look_for_pod(node.name if node else None), _bring_back(driver, on)),
        do_not=(_csi.do_not_force(),),
    )


def _make_finding_at_mount(pod: Ref, f: Failure, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    name, driver = _starting.find_node_name(pod, snap), f.object.name if f.object else None
    volume = _starting.say_volume(f)
    on = same_in_both(f"{name}") if name else say("its Node")
    who = say("CSI driver {driver}", driver=driver) if driver else say("the volume's CSI driver")
    done = say("attached") if f.operation == "volume-attach" else say("mounted")
    says = say(
        "{who} is not registered on {on}, so {volume} cannot be {done} there",
        who=who,
        on=on,
        volume=volume,
        done=done,
    )
    away = _driver_sets.find_kept_away(driver, node, snap) if driver and node else None
    let = (
        _driver_sets.let_in(away)
        if away
        else _let_register(same_in_both(f"{driver}") if driver else say("the driver"), on.en)
    )
    return Finding(
        says + _driver_sets.say_reason(away) if away else says,
        culprit=Ref("CSIDriver", name, driver),
        blocks=_starting.list_blocked_objects(pod, snap),
        notes=tuple(_list_taints(node, snap)),
        help=(let,) if away else (_look_for_pod(name), let),
        do_not=(
            DoNot(
                say("delete the PVC or its PersistentVolume"),
                say("that does not register the driver, and the data is lost"),
            ),
        ),
        enrich=_driver_sets.list_wants(driver, node) if driver and node else (),
    )


def _let_register(driver: Text, node: str) -> Step:
    return Step(
        say(
            "if it is not running, install {driver} or make its DaemonSet run on {node}; if it is running, "
            "read its registrar's log: the socket must be in plugins_registry below this kubelet's own root "
            "directory, which is not /var/lib/kubelet everywhere (microk8s, k0s, RKE), and the name must "
            "match the PersistentVolume",
            driver=driver,
            node=node,
        ),
        where="source",
        verify=say("CSINode {node} lists it, and the volume is mounted", node=node),
    )


def _list_taints(node: Ref | None, snap: Facts) -> list[Text]:
    """Return the reason for the eviction of a driver's Pod, if the Node was read."""
    taints = [t for f in snap.of(NodeShape, node) for t in f.taints] if node else []
    return [
        say(
            "the Node has the taint {key}:NoExecute, which evicts driver Pods that do not tolerate it",
            key=t.key,
        )
        for t in taints
        if t.effect == "NoExecute" and t.key not in _BY_NODE
    ]


def _look_for_pod(node: str | None) -> Step:
    return Step(
        say("check whether the driver's node Pod is running there, and if not, why"),
        command=list_pods_on(node),
    )


def _bring_back(driver: str, node: str) -> Step:
    return Step(
        say(
            "restore the DaemonSet of {driver} on {node} (a toleration, its node selector, or reinstall it "
            "until its last volume is unmounted); the kubelet retries automatically within about 2 min",
            driver=driver,
            node=node,
        ),
        where="source",
        verify=say("CSINode {node} lists it, and the Pod is deleted", node=node),
    )


CAUSE = Cause(
    id="volume.csi-driver-absent",
    title=say("a volume's CSI driver is not registered on the node"),
    subjects=("Pod",),
    stages=("volumes-unmounted", *_starting.VOLUMES),
    reads=_starting.READS
    | _driver_sets.READS
    | {Deletion, Placement, Volumes, VolumeData, Failure, CsiDrivers, NodeShape},
    rule=_rule,
)
