"""The file that the kubelet needs to unmount a CSI volume is missing

## How it happens

For every CSI volume of a Pod the kubelet writes `vol_data.json` beside the mount point: driver, volume
handle, attachment. Without it the kubelet does not know which driver to call and cannot unmount the volume. A
clean-up script, a disk that was full when the file was written, or a power cut that left it empty take it
away. The Pod stays without a word in the API.

## How to tell

All earlier steps are done, half a minute has passed since the grace period, and in the directory of a CSI
volume of this Pod on the Node `vol_data.json` is missing, empty or no JSON object of texts. The kubelet's log
says `failed to open volume data file`. Or it keeps reporting this for a volume whose directory is gone
altogether: then the volume is unmounted, and only the kubelet does not know it.

## Known limits

A file that cannot be read from here (permissions, a disk that fails) leaves it open. Raw block volumes keep
theirs elsewhere (`plugins/kubernetes.io/csi/volumeDevices`) and are not looked at.

## References

- pkg/volume/csi/csi_plugin.go (NewUnmounter), csi_util.go (loadVolumeData)
- kubernetes issue 108217 (an empty file), longhorn issue 4782 (a directory that is gone)
"""

from __future__ import annotations

from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, hearsay, negate, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue
from unstuck.stages.pod_deletion import find_unmount_retries
from unstuck.stages.waiting import reports

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    bad: Sign[CsiVolume] = some(
        snap, VolumeData, pod, lambda f: [v for v in f.items if v.data in ("missing", "invalid")]
    )
    said = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation == "volume-tear-down" and f.error == "data-file-missing" else [],
    )
    trying = find_unmount_retries(pod, snap)
    here = some(
        snap, VolumeData, pod, lambda f: [v for v in f.items if v.name in {_volume(s) for s in trying.hits}]
    )
    named = trying.value and all(map(_volume, trying.hits))
    gone: Sign[Any] = all_of([negate(here), trying]) if named else Sign(None)
    return Signs(
        applies=reports(pod, snap),
        necessary={
            "its grace period ended half a minute ago": is_overdue(pod, snap),
            "it may have a CSI volume": _may_have_csi(pod, snap, bad, said),
        },
        decisive={
            "vol_data.json of a CSI volume is missing or does not read": bad,
            **(
                {"the kubelet goes on unmounting a CSI volume whose directory is gone": gone} if named else {}
            ),
        },
        supporting={"the kubelet says that it cannot read it": said},
        finding=lambda: _make_finding(
            pod, bad.hits, said.hits, bool(gone.value) and not bad.value, find_node_of_pod(pod, snap)
        ),
    )


def _may_have_csi(pod: Ref, snap: Facts, *told: Sign[Any]) -> Sign[Any]:
    """Tell whether the Pod may have a CSI volume: evidence of the node or the kubelet is enough; a claim's
    volume may be a CSI driver's.
    """
    listed = some(
        snap,
        Volumes,
        pod,
        lambda f: [v for v in f.items if v.type in ("csi", "persistentVolumeClaim", "ephemeral")],
    )
    return next((s for s in told if s.value), listed)


def _volume(failure: Failure) -> str:
    """Return the name of the volume's directory, from the file's path
    `…/kubernetes.io~csi/NAME/vol_data.json`.
    """
    return (failure.path or "").removesuffix("/vol_data.json").rpartition("/")[2]


def _make_finding(
    pod: Ref, bad: tuple[CsiVolume, ...], said: tuple[Failure, ...], gone: bool, node: Ref | None
) -> Finding:
    name = node.name if node else None
    where = place_on_node(name)
    path = f"{bad[0].path}/vol_data.json" if bad else next((f.path for f in said if f.path), "vol_data.json")
    volume = bad[0].name if bad else (_volume(said[0]) or said[0].volume or "?")
    if gone:
        says = say(
            (
                "The kubelet keeps unmounting CSI volume {volume}, although its directory with "
                "vol_data.json is already gone"
            ),
            volume=volume,
        )
    else:
        what = say("is empty or cut off") if bad and bad[0].data == "invalid" else say("is missing")
        says = say(
            "The kubelet cannot unmount CSI volume {volume}: {path} {what}",
            volume=volume,
            path=path,
            what=what,
        )
    more = (say("{more} more volumes of the Pod lack this file", more=len(bad) - 1),) if len(bad) > 1 else ()
    still = (say("the volume is still mounted"),) if bad and bad[0].mounted else ()
    return Finding(
        says,
        culprit=Ref("File", name, path),
        blocks=(pod,),
        notes=(*still, *more),
        help=(_forget(where),) if gone else (_write(where, path),),
        do_not=(
            DoNot(
                say("remove the volume's directory, or force delete the Pod"),
                say(
                    "while the volume is mounted, deleting the directory deletes its data; after a force "
                    "delete it stays mounted and attached"
                ),
            ),
        ),
    )


def _write(where: str, path: str) -> Step:
    return Step(
        say(
            "recreate it in the kubelet's format: one JSON object of strings with driverName, volumeHandle, "
            "specVolID (the volume's name), nodeName, attachmentID and volumeLifecycleMode; take the values "
            "from the PersistentVolume and its VolumeAttachment"
        ),
        where=where,
        risk="reversible",
        undo=command("rm {path}", path=given.path(path)),
        verify=say("the kubelet unmounts it within two minutes, and the Pod is deleted"),
    )


def _forget(where: str) -> Step:
    return Step(
        say(
            "restart the kubelet: it rebuilds its volume list from disk, and forgets this one; containers "
            "keep running"
        ),
        where=where,
        command=command("systemctl restart kubelet"),
        risk="reversible",
        verify=say("the Pod is deleted within a minute"),
    )


CAUSE = Cause(
    id="volume.data-file-missing",
    title=say("vol_data.json is missing, so the CSI volume cannot be unmounted"),
    subjects=("Pod",),
    stages=("volumes-unmounted",),
    reads=frozenset({VolumeData, Failure, Deletion, Placement, Conditions, Lease, Volumes}),
    rule=_rule,
)
