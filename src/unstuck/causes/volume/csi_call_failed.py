"""A CSI driver is asked to do something with a volume, and fails or does not return

## How it happens

The driver's node plugin is registered, but its call fails: its backend does not answer, its credentials are gone, the device vanished, or
its process ended and left its socket behind. The kubelet waits up to two minutes for each call, and retries for ever with a pause of two
minutes. The Pod stays, and no event is written. A Pod that starts waits in the same way where the driver fails to attach or to mount, or
where nobody answers as its attacher: its controller does not run, goes by another name, or may not write what it did.

## How to tell

The kubelet's log repeats `UnmountVolume.TearDown failed` or `UnmountDevice failed` for a CSI volume with the driver's own error
(`rpc error: code = …`) or `DeadlineExceeded`. The CSINode lists the driver, and the volume's directory is still there. Of a start the
events `FailedAttachVolume` and `FailedMount` repeat such an error, or `timed out waiting for external-attacher of NAME CSI driver`.

## Known limits

Why the driver fails stands in its own log only. Where its error is that the mount is busy, mount.busy names who holds it. Of a start this
is likely at most, and only where no message says anything more particular.

## References

- pkg/volume/csi/csi_mounter.go, csi_attacher.go (csiTimeout), csi_client.go
- container-storage-interface specification, NodeUnpublishVolume and NodeUnstageVolume
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes import _starting
from unstuck.causes._commands import pods_on
from unstuck.causes.volume import _csi
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, heard, only_yes, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Deletion, Events, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.aspects.storage import CsiDrivers
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.stages.lines import deleting
from unstuck.stages.overdue import overdue

_ERRORS: tuple[ErrorWord, ...] = ("call-failed", "deadline-exceeded", "timeout", "connection-refused", "EHOSTUNREACH", "ENETUNREACH")
_STARTING: tuple[Operation, ...] = ("volume-attach", "volume-set-up")
_BY_DRIVER = "rpc error: code = "
# What went wrong within the driver; each of these is nothing more particular by itself.
_WITHIN: tuple[ErrorWord, ...] = ("connection-refused", "EHOSTUNREACH", "ENETUNREACH", "EEXIST", "ENOENT", "EINVAL")
# Its columns say of every attachment which driver answered what.
_ATTACHMENTS = (
    "kubectl get volumeattachments -o custom-columns=NAME:.metadata.name,DRIVER:.spec.attacher,VOLUME:.spec.source.persistentVolumeName,"
    "NODE:.spec.nodeName,ATTACHED:.status.attached,ERROR:.status.attachError.message"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    if not deleting(pod, snap) and any(_at_start(f) for f in snap.of(Failure, pod)):
        return _of_start(pod, snap)
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
        finding=lambda: _finding(pod, node, failed.hits[-1], _volume(failed.hits[-1], left.hits), _only(used.hits)),
    )


def _of_start(pod: Ref, snap: Facts) -> Signs:
    """Return the signs for a Pod whose volume is not attached or mounted; why it fails, the driver's log shows."""
    said = _starting.said_of(pod, snap, _at_start)
    more = _starting.said_of(pod, snap, lambda f: f.operation in _STARTING and f.error not in _starting.VAGUE and not _at_start(f)).hits
    return Signs(
        necessary={"the last try failed so": said},
        # Whether it was attached since, the Events tell.
        decisive={"nothing attached or mounted it since": Sign(None, said.hits, said.seen, (Want(Events, pod),))},
        supporting={"a message says so, and none says anything more particular": Sign(None) if more else only_yes(said)},
        finding=lambda: _not_started(pod, _starting.latest(said.hits), snap),
    )


def _at_start(f: Failure) -> bool:
    """Tell whether a call failed at the start. A mount that timed out is another cause: what it waited for need not be the driver."""
    if f.operation not in _STARTING:
        return False
    if f.error in ("attacher-silent", "call-failed"):
        return True
    waited = f.operation == "volume-attach" and f.error in _ERRORS
    return _BY_DRIVER in f.src.quote and (waited or f.error in _WITHIN)


def _there(pod: Ref, node: Ref | None, left: Sign[CsiVolume], snap: Facts) -> Sign[CsiVolume]:
    """Find volumes on the Node's disk whose driver the CSINode lists."""
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    if not left.value:
        return Sign(None, wants=(Want(CsiDrivers, node),))
    return some(snap, CsiDrivers, node, lambda f: [v for v in left.hits if v.driver in f.names])


def _failed(pod: Ref, left: Sign[CsiVolume], snap: Facts) -> Sign[Failure]:
    """Find failed unmounts of a volume that the Node has as a CSI volume, or whose words are those of a driver."""
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


def _only(drivers: tuple[str, ...]) -> str | None:
    """Return the Pod's one driver; which of several it is, only its volume tells."""
    return drivers[0] if len(set(drivers)) == 1 else None


def _finding(pod: Ref, node: Ref | None, failure: Failure, volume: CsiVolume | None, only: str | None) -> Finding:
    on, on_zh = (node.name, node.name) if node and node.name else ("its Node", "其节点")
    known = volume.driver if volume else only
    driver, driver_zh = (f"CSI driver {known}", f"CSI 驱动 {known}") if known else ("The CSI driver", "CSI 驱动")
    name = (volume.name if volume else failure.volume) or "?"
    hangs = failure.error != "call-failed"
    how, how_zh = ("does not return from unmounting", "的卸载调用没有返回") if hangs else ("fails to unmount", "卸载失败")
    said = failure.message or failure.key
    code = (Text(f"driver: {said}", f"驱动：{said}"),) if said and not hangs else ()
    return Finding(
        Text(f"{driver} on {on} {how} volume {name}", f"{on_zh} 上的 {driver_zh} {how_zh}：卷 {name}"),
        culprit=Ref("CSIDriver", node.name if node else None, known),
        blocks=(pod,),
        notes=(*code, *((Text("the volume is still mounted", "该卷仍处于挂载状态"),) if volume and volume.mounted else ())),
        help=(
            Step(
                Text(
                    "find the reason in the log of the driver's node Pod there, and fix it (backend, credentials, device); "
                    "the kubelet retries automatically within about 2 min",
                    "在该节点的驱动 Pod 日志中查明原因，并修复其所述问题（后端、凭据、设备）；kubelet 会在约 2 分钟内自动重试",
                ),
                command=pods_on(node.name if node else None),
                verify=Text("the Pod is deleted", "Pod 随之删除"),
            ),
            Step(
                Text(
                    "if it hangs although the backend responds, restart the driver's node Pod; mounts served by its own process "
                    "(FUSE) end for all Pods on that node",
                    "若后端正常而它仍挂起，重启驱动的节点 Pod；由其自身进程提供的挂载（FUSE）会对该节点上的所有 Pod 中断",
                ),
                where="source",
                risk="disrupts",
            ),
        ),
        do_not=(_csi.stays_mounted(),),
    )


def _not_started(pod: Ref, f: Failure, snap: Facts) -> Finding:
    attach = f.operation == "volume-attach"
    return Finding(
        _what_fails(f) + (Text("", "") if attach else _starting.on(pod, snap)),
        culprit=Ref("CSIDriver", None if attach else _starting.node_name(pod, snap), f.object.name if f.object else None),
        blocks=_starting.blocked(pod, snap),
        notes=_words(f),
        help=_help_attach() if attach else _help_mount(_starting.node_name(pod, snap)),
        do_not=(
            DoNot(
                Text("delete the PVC or its PersistentVolume", "删除 PVC 或其 PersistentVolume"),
                Text("the driver still fails, and the data is lost", "驱动依旧失败，数据却会丢失"),
            ),
        ),
    )


def _words(f: Failure) -> tuple[Text, ...]:
    """Return all that the driver said, as far as it was kept: a bare errno tells nothing."""
    said = f.src.quote.partition(_BY_DRIVER)[2].partition(" desc = ")[2]
    return (Text(f"kubelet: {said}", f"kubelet：{said}"),) if said and f.error in _WITHIN else _starting.quoted(f)


def _what_fails(f: Failure) -> Text:
    name = _starting.volume(f)
    if f.error == "attacher-silent":
        driver, driver_zh = (f"CSI driver {f.object.name}", f"CSI 驱动 {f.object.name}") if f.object else ("the CSI driver", "CSI 驱动")
        return Text(
            f"the attacher of {driver} does not report in time that {name.en} is attached",
            f"{driver_zh} 的 attacher 未在时限内报告{name.zh}已挂接",
        )
    if f.key == "Aborted":
        return Text(
            f"the CSI driver has not returned from an earlier call for {name.en}",
            f"CSI 驱动此前对{name.zh}的调用尚未返回",
        )
    what, what_zh = ("attach", "附加") if f.operation == "volume-attach" else ("mount", "挂载")
    return Text(f"the CSI driver fails to {what} {name.en}", f"CSI 驱动{what_zh}{name.zh}失败")


def _help_attach() -> tuple[Step, ...]:
    return (
        Step(
            Text("see the driver's result for each node", "查看驱动对各节点的应答"),
            command=command(_ATTACHMENTS),
        ),
        Step(
            Text(
                "read the log of the driver's controller, its container csi-attacher first: check that it is running, "
                "uses the driver name in the PersistentVolume, may patch volumeattachments and their status, and that "
                "its storage allows attaching",
                "查看驱动控制器的日志，先看其 csi-attacher 容器：它是否在运行，名称是否与 PersistentVolume 所写一致，"
                "是否有权 patch volumeattachments 及其 status，存储侧是否允许挂接",
            ),
            where="source",
            verify=Text("the volume is attached automatically within minutes", "数分钟内卷会自动挂接"),
        ),
    )


def _help_mount(node: str | None) -> tuple[Step, ...]:
    return (
        Step(
            Text(
                "find the reason in the log of the driver's node Pod there, and fix it (backend, credentials, device)",
                "在该节点的驱动 Pod 日志中查明原因，并修复其所述问题（后端、凭据、设备）",
            ),
            command=pods_on(node),
            verify=_starting.RETRIES,
        ),
    )


CAUSE = Cause(
    id="volume.csi-call-failed",
    title=Text("a CSI driver fails a call for a volume", "CSI 驱动对卷的调用失败"),
    subjects=("Pod",),
    stages=("volumes-unmounted", *_starting.VOLUMES),
    reads=_starting.READS | {Deletion, Placement, Volumes, VolumeData, Failure, LogSeen, CsiDrivers},
    rule=_rule,
)
