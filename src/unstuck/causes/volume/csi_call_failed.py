"""A CSI driver is asked to unmount a volume, and fails or does not return

## How it happens

The driver's node plugin is registered, but its call fails: its backend does not answer, its credentials are gone, the device vanished, or
its process ended and left its socket behind. The kubelet waits up to two minutes for each call, and tries again for ever with a pause of
two minutes. The Pod stays, and no event is written.

## How to tell

The kubelet's log repeats `UnmountVolume.TearDown failed` or `UnmountDevice failed` for a CSI volume with the driver's own error
(`rpc error: code = …`) or `DeadlineExceeded`. The CSINode lists the driver, and the volume's directory is still there.

## Known limits

Why the driver fails stands in its own log only. Where its error is that the mount is busy, mount.busy names who holds it.

## References

- pkg/volume/csi/csi_mounter.go, csi_attacher.go (csiTimeout), csi_client.go
- container-storage-interface specification, NodeUnpublishVolume and NodeUnstageVolume
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._commands import pods_on
from unstuck.causes.volume import _csi
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.aspects.storage import CsiDrivers
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.overdue import overdue

_ERRORS = ("call-failed", "deadline-exceeded", "timeout", "ECONNREFUSED", "connection-refused")


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    node = node_of(pod, snap)
    used, left = _csi.drivers(pod, snap), _csi.left(pod, snap)
    failed = _failed(pod, left, snap)
    there = _there(pod, node, left, snap)
    if not failed.value:
        # Which drivers are registered is a question only once a call has failed.
        there = replace(there, wants=())
    asked: Sign[Failure] = failed if failed.value or node is None else Sign(None, wants=(Want(LogSeen, node),))
    return Signs(
        applies=overdue(pod, snap),
        necessary={"a volume of it has a CSI driver": used, "the kubelet's call to the driver failed": asked},
        decisive={"the driver is registered, and its volume is still there": all_of([left, there])},
        supporting={"the kubelet says so": failed},
        finding=lambda: _finding(pod, node, failed.hits[-1], _volume(failed.hits[-1], left.hits)),
    )


def _there(pod: Ref, node: Ref | None, left: Sign[CsiVolume], snap: Snapshot) -> Sign[CsiVolume]:
    """Volumes on the Node's disk whose driver the CSINode lists."""
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    if not left.value:
        return Sign(None, wants=(Want(CsiDrivers, node),))
    return some(snap, CsiDrivers, node, lambda f: [v for v in left.hits if v.driver in f.names])


def _failed(pod: Ref, left: Sign[CsiVolume], snap: Snapshot) -> Sign[Failure]:
    """Failed unmounts of a volume that the Node has as a CSI volume, or whose words are those of a driver."""
    names = {v.name for v in left.hits}
    return heard(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation in _csi.TEAR_DOWN and f.error in _ERRORS and (f.error == "call-failed" or _named(f, names)) else [],
    )


def _named(failure: Failure, names: set[str]) -> bool:
    return bool(failure.volume) and any(failure.volume == n or (failure.volume or "").endswith((f"^{n}", f"-{n}")) for n in names)


def _volume(failure: Failure, left: tuple[CsiVolume, ...]) -> CsiVolume | None:
    return next((v for v in left if _named(failure, {v.name})), left[0] if len(left) == 1 else None)


def _finding(pod: Ref, node: Ref | None, failure: Failure, volume: CsiVolume | None) -> Finding:
    on = node.name if node and node.name else "its Node"
    driver, driver_zh = (f"CSI driver {volume.driver}", f"CSI 驱动 {volume.driver}") if volume else ("The CSI driver", "CSI 驱动")
    name = (volume.name if volume else failure.volume) or "?"
    hangs = failure.error != "call-failed"
    how, how_zh = ("does not return from unmounting", "的卸载调用没有返回") if hangs else ("fails to unmount", "卸载失败")
    code = (Text(f"its error: {failure.key}", f"其错误：{failure.key}"),) if failure.key and not hangs else ()
    return Finding(
        Text(f"{driver} on {on} {how} volume {name}", f"{on} 上的 {driver_zh} {how_zh}：卷 {name}"),
        culprit=Ref("CSIDriver", node.name if node else None, volume.driver if volume else None),
        blocks=(pod,),
        notes=(*code, *((Text("the volume is still mounted", "该卷仍处于挂载状态"),) if volume and volume.mounted else ())),
        help=(
            Step(
                Text(
                    "read why in the log of the driver's node Pod there, and repair what it names (backend, credentials, device); "
                    "the kubelet retries by itself within about 2 min",
                    "在该节点的驱动 Pod 日志中查明原因，并修复其所述问题（后端、凭据、设备）；kubelet 会在约 2 分钟内自动重试",
                ),
                command=pods_on(node.name if node else None),
                verify=Text("the Pod goes", "Pod 随之消失"),
            ),
            Step(
                Text(
                    "if it hangs with a backend that answers, restart the driver's node Pod; mounts that it serves by a process of its own "
                    "(FUSE) end for all Pods of that Node",
                    "若后端正常而它仍挂起，重启驱动的节点 Pod；由其自身进程提供的挂载（FUSE）会对该节点上的所有 Pod 中断",
                ),
                where="source",
                risk="disrupts",
            ),
        ),
        do_not=(_csi.stays_mounted(),),
    )


CAUSE = Cause(
    id="volume.csi-call-failed",
    title=Text("a CSI driver does not unmount a volume", "CSI 驱动未能卸载卷"),
    subjects=("Pod",),
    stages=("volumes-unmounted",),
    reads=frozenset({Deletion, Placement, Volumes, VolumeData, Failure, LogSeen, CsiDrivers}),
    rule=_rule,
)
