"""The file that the kubelet needs to unmount a CSI volume is missing

## How it happens

For every CSI volume of a Pod the kubelet writes `vol_data.json` beside the mount point: driver, volume handle, attachment. Without it the
kubelet does not know which driver to call and cannot unmount the volume. A clean-up script, a disk that was full when the file was
written, or a power cut that left it empty take it away. The Pod stays without a word in the API.

## How to tell

Everything before is done, half a minute has passed since the grace period, and in the directory of a CSI volume of this Pod on the Node
`vol_data.json` is missing, empty or no JSON object of texts. The kubelet's log says `failed to open volume data file`. Or it goes on
saying so of a volume whose directory is gone altogether: then the volume is unmounted, and only the kubelet does not know it.

## Known limits

A file that cannot be read from here (permissions, a disk that fails) leaves it open. Raw block volumes keep theirs elsewhere
(`plugins/kubernetes.io/csi/volumeDevices`) and are not looked at.

## References

- pkg/volume/csi/csi_plugin.go (NewUnmounter), csi_util.go (loadVolumeData)
- kubernetes issue 108217 (an empty file), longhorn issue 4782 (a directory that is gone)
"""

from __future__ import annotations

from typing import Any

from unstuck.causes._commands import on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, heard, negated, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import overdue
from unstuck.stages.pod_deletion import still_trying
from unstuck.stages.waiting import reports


def _rule(pod: Ref, snap: Facts) -> Signs:
    bad: Sign[CsiVolume] = some(snap, VolumeData, pod, lambda f: [v for v in f.items if v.data in ("missing", "invalid")])
    said = heard(snap, Failure, pod, lambda f: [f] if f.operation == "volume-tear-down" and f.error == "data-file-missing" else [])
    trying = still_trying(pod, snap)
    here = some(snap, VolumeData, pod, lambda f: [v for v in f.items if v.name in {_volume(s) for s in trying.hits}])
    named = trying.value and all(map(_volume, trying.hits))
    gone: Sign[Any] = all_of([negated(here), trying]) if named else Sign(None)
    return Signs(
        applies=reports(pod, snap),
        necessary={
            "its grace period ended half a minute ago": overdue(pod, snap),
            "it may have a CSI volume": _may_have_csi(pod, snap, bad, said),
        },
        decisive={
            "vol_data.json of a CSI volume is missing or does not read": bad,
            **({"the kubelet goes on unmounting a CSI volume whose directory is gone": gone} if named else {}),
        },
        supporting={"the kubelet says that it cannot read it": said},
        finding=lambda: _finding(pod, bad.hits, said.hits, bool(gone.value) and not bad.value, node_of(pod, snap)),
    )


def _may_have_csi(pod: Ref, snap: Facts, *told: Sign[Any]) -> Sign[Any]:
    """Return what the node or the kubelet says of one is enough; a claim's volume may be one of a CSI driver."""
    listed = some(snap, Volumes, pod, lambda f: [v for v in f.items if v.type in ("csi", "persistentVolumeClaim", "ephemeral")])
    return next((s for s in told if s.value), listed)


def _volume(failure: Failure) -> str:
    """Return the name of the volume's directory: of the file's path, `…/kubernetes.io~csi/NAME/vol_data.json`."""
    return (failure.path or "").removesuffix("/vol_data.json").rpartition("/")[2]


def _finding(pod: Ref, bad: tuple[CsiVolume, ...], said: tuple[Failure, ...], gone: bool, node: Ref | None) -> Finding:
    name = node.name if node else None
    where = on_node(name)
    path = f"{bad[0].path}/vol_data.json" if bad else next((f.path for f in said if f.path), "vol_data.json")
    volume = bad[0].name if bad else (_volume(said[0]) or said[0].volume or "?")
    if gone:
        says = Text(
            f"The kubelet keeps unmounting CSI volume {volume}, although its directory with vol_data.json is already gone",
            f"kubelet 仍在反复卸载 CSI 卷 {volume}，而其目录连同 vol_data.json 早已不在",
        )
    else:
        what = ("is empty or cut off", "为空或不完整") if bad and bad[0].data == "invalid" else ("is missing", "缺失")
        says = Text(
            f"The kubelet cannot unmount CSI volume {volume}: {path} {what[0]}", f"kubelet 无法卸载 CSI 卷 {volume}：{path} {what[1]}"
        )
    more = (
        (Text(f"{len(bad) - 1} more volumes of the Pod lack this file", f"该 Pod 还有 {len(bad) - 1} 个卷缺少该文件"),)
        if len(bad) > 1
        else ()
    )
    still = (Text("the volume is still mounted", "该卷仍处于挂载状态"),) if bad and bad[0].mounted else ()
    return Finding(
        says,
        culprit=Ref("File", name, path),
        blocks=(pod,),
        notes=(*still, *more),
        help=(_forget(where),) if gone else (_write(where, path),),
        do_not=(
            DoNot(
                Text("remove the volume's directory, or force delete the Pod", "删除卷目录，或强制删除 Pod"),
                Text(
                    "while the volume is mounted, deleting the directory deletes its data; after a force delete it stays "
                    "mounted and attached",
                    "卷仍挂载时，删除目录会删除卷中的数据；强制删除后，卷仍保持挂载和挂接",
                ),
            ),
        ),
    )


def _write(where: str, path: str) -> Step:
    return Step(
        Text(
            "recreate it in the kubelet's format: one JSON object of strings with driverName, volumeHandle, specVolID "
            "(the volume's name), nodeName, attachmentID and volumeLifecycleMode; take the values from the PersistentVolume "
            "and its VolumeAttachment",
            "按 kubelet 的格式重新写入：一个值均为字符串的 JSON 对象，含 driverName、volumeHandle、specVolID（卷名）、nodeName、"
            "attachmentID 和 volumeLifecycleMode；取自 PersistentVolume 及其 VolumeAttachment",
        ),
        where=where,
        risk="reversible",
        undo=command("rm {path}", path=given.path(path)),
        verify=Text("the kubelet unmounts it within two minutes, and the Pod is deleted", "kubelet 会在两分钟内卸载，Pod 随之删除"),
    )


def _forget(where: str) -> Step:
    return Step(
        Text(
            "restart the kubelet: it rebuilds its volume list from disk, and forgets this one; containers keep running",
            "重启 kubelet：它会从磁盘重新读取有哪些卷，从而忘掉这一个；容器继续运行",
        ),
        where=where,
        command=command("systemctl restart kubelet"),
        risk="reversible",
        verify=Text("the Pod is deleted within a minute", "Pod 会在一分钟内被删除"),
    )


CAUSE = Cause(
    id="volume.data-file-missing",
    title=Text("vol_data.json is missing, so the CSI volume cannot be unmounted", "缺少 vol_data.json，CSI 卷无法卸载"),
    subjects=("Pod",),
    stages=("volumes-unmounted",),
    reads=frozenset({VolumeData, Failure, Deletion, Placement, Conditions, Lease, Volumes}),
    rule=_rule,
)
