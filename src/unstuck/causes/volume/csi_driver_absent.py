"""The CSI driver of a volume is not registered on the Node

## How it happens

The kubelet unmounts a CSI volume by a call to the driver's node plugin, a Pod of a DaemonSet on that Node. That plugin is gone: it was
uninstalled before the Pods that use it, evicted by a NoExecute taint that it does not tolerate, its node selector no longer matches, or it
crashes before it registers. Without it the kubelet has nobody to call. The Pod stays, and no event is written.

## How to tell

The kubelet's log says `driver name NAME not found in the list of registered CSI drivers`. The Node's CSINode object does not list the
driver, while the directory of the volume is still there with `vol_data.json` that names it.

## Known limits

A driver that restarts is absent for seconds; the kubelet then unmounts by itself. A driver whose process ended without its socket being
removed stays registered, and calls to it fail: that is volume.csi-call-failed. Which driver serves a claim's volume is read from the Node.

## References

- pkg/volume/csi/csi_client.go, pkg/volume/csi/nodeinfomanager; kubernetes-csi/node-driver-registrar
- container-storage-interface specification, NodeUnpublishVolume; field notes
"""

from __future__ import annotations

from unstuck.causes._commands import pods_on
from unstuck.causes.volume import _csi
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.aspects.storage import CsiDrivers
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.overdue import overdue

# Set by the node controller for a Node that does not answer: node.* and kubelet.* tell of that.
_BY_NODE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    node = node_of(pod, snap)
    used, left, said = _csi.drivers(pod, snap), _csi.left(pod, snap), _csi.unregistered(pod, snap)
    absent = _absent(pod, node, used, snap)
    kept = _kept(absent, left, said)
    return Signs(
        applies=overdue(pod, snap),
        necessary={"a volume of it has a CSI driver": used},
        decisive={"the volume of a driver that the CSINode does not list is still there": all_of([absent, kept])},
        supporting={"the kubelet says that the driver is not registered": said, "the CSINode does not list it": absent},
        finding=lambda: _finding(pod, node, (*kept.hits, *absent.hits, *used.hits)[0], left.hits, snap),
    )


def _absent(pod: Ref, node: Ref | None, used: Sign[str], snap: Snapshot) -> Sign[str]:
    """Drivers in use that the Node's CSINode does not list; asked only once one is known to be in use."""
    if not used.value:
        return Sign(None)
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    return some(snap, CsiDrivers, node, lambda f: [d for d in used.hits if d not in f.names])


def _kept(absent: Sign[str], left: Sign[CsiVolume], said: Sign[Failure]) -> Sign[str]:
    """Of the absent drivers, those whose volume is on the Node's disk, or which the kubelet still calls."""
    missing = set(absent.hits)
    there = tuple(v.driver for v in left.hits if v.driver in missing)
    called = tuple(f.object.name or "" for f in said.hits if f.object and f.object.name in missing)
    if there or called:
        return Sign(True, (*there, *called), (*left.seen, *said.seen), sure=left.sure if there else said.sure)
    return Sign(None, wants=left.wants)


def _finding(pod: Ref, node: Ref | None, driver: str, left: tuple[CsiVolume, ...], snap: Snapshot) -> Finding:
    on = node.name if node and node.name else "its Node"
    volumes = [v for v in left if v.driver == driver]
    what, what_zh = (f"volume {volumes[0].name}", f"卷 {volumes[0].name}") if volumes else ("its volume", "其卷")
    still = (Text("the volume is still mounted", "该卷仍处于挂载状态"),) if any(v.mounted for v in volumes) else ()
    return Finding(
        Text(
            f"CSI driver {driver} is not registered on {on}, so {what} cannot be unmounted",
            f"CSI 驱动 {driver} 未在 {on} 上注册，因此{what_zh}无法卸载",
        ),
        culprit=Ref("CSIDriver", node.name if node else None, driver),
        blocks=(pod,),
        notes=(*still, *_taints(node, snap)),
        help=(_where_is(node.name if node else None), _bring_back(driver, on)),
        do_not=(_csi.stays_mounted(),),
    )


def _taints(node: Ref | None, snap: Snapshot) -> list[Text]:
    """What evicts a driver's Pod, as far as the Node was read."""
    taints = [t for f in snap.of(NodeShape, node) for t in f.taints] if node else []
    return [
        Text(
            f"the Node has the taint {t.key}:NoExecute, which evicts a driver's Pod that does not tolerate it",
            f"该节点有污点 {t.key}:NoExecute，会驱逐不容忍它的驱动 Pod",
        )
        for t in taints
        if t.effect == "NoExecute" and t.key not in _BY_NODE
    ]


def _where_is(node: str | None) -> Step:
    return Step(
        Text("see whether the driver's node Pod runs there, and why not", "查看驱动的节点 Pod 是否在该节点上运行，以及为何没有"),
        command=pods_on(node),
    )


def _bring_back(driver: str, node: str) -> Step:
    return Step(
        Text(
            f"let the DaemonSet of {driver} run on {node} again (a toleration, its node selector, or install it again until its last "
            "volume is unmounted); the kubelet retries by itself within about 2 min",
            f"让 {driver} 的 DaemonSet 重新在 {node} 上运行（容忍度、节点选择器，或重新安装直到最后一个卷卸载）；"
            "kubelet 会在约 2 分钟内自动重试",
        ),
        where="source",
        verify=Text(f"the CSINode {node} lists it, and the Pod goes", f"CSINode {node} 列出该驱动，Pod 随之消失"),
    )


CAUSE = Cause(
    id="volume.csi-driver-absent",
    title=Text("the CSI driver of a volume is not registered on the Node", "卷的 CSI 驱动未在节点上注册"),
    subjects=("Pod",),
    stages=("volumes-unmounted",),
    reads=frozenset({Deletion, Placement, Volumes, VolumeData, Failure, CsiDrivers, NodeShape}),
    rule=_rule,
)
