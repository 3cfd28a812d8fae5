"""A volume cannot be detached from a Node

## How it happens

A VolumeAttachment is deleted when no Pod on its Node uses the volume any more; its finalizer
`external-attacher/…` keeps it until the CSI driver's controller has detached the volume. That call fails: the
storage refuses (credentials, an instance that is gone, a device still in use), or the PersistentVolume, from
which the attacher reads the volume's handle, no longer exists. The attacher retries forever. The volume stays
attached, its next Pod elsewhere waits, and its PersistentVolume, once deleted, stays too.

Where the Node does not report, the VolumeAttachment is not even deleted: the unmount there is not confirmed,
and the attach/detach controller waits until the Pods that use it there have been gone for six minutes. A Pod
elsewhere waits for both.

## How to tell

The VolumeAttachment has been deleting for more than half a minute, its finalizer is still there, and
`status.detachError` has the driver's message from after the deletion request. A Pod that waits for the volume
has the event `Multi-Attach error`, on the same Node `volume attachment is being deleted`, or the storage's
own message that the volume is in use. The VolumeAttachment names the Node that has the volume; that Node's
Lease shows whether it reports.

## Known limits

Without a detachError the attacher may be slow or gone: the finalizer's causes cover that, and the answer for
a waiting Pod only names the VolumeAttachment to ask about. After a failed detach kube-controller-manager
still tries to attach the volume to the next Node: if the storage does not refuse, two Nodes have it. The
reason for a Node's silence is a question about the Node. A taint out-of-service starts the detaching of
volumes that may still be mounted; if the driver refuses to detach, it has no effect.

## References

- kubernetes-csi/external-attacher pkg/controller/csi_handler.go; storage.k8s.io/v1 VolumeAttachment
- pkg/controller/volume/attachdetach/reconciler/reconciler.go; pkg/volume/csi/csi_attacher.go
"""

from __future__ import annotations

from typing import Any

from unstuck.causes.volume import _attached
from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, negate, some, unique
from unstuck.diagnosis.text import Messages, format_duration, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, FinalizerOwner, Lease
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Finalizers
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.storage import Attached, Attachment, Attachments
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_GOES = say("the VolumeAttachment is deleted")
_LOST = regex(r'persistentvolumes? "([^"\s]{1,253})" not found')

_COLUMNS = (
    "kubectl get volumeattachments -o "
    "custom-columns=NAME:.metadata.name,VOLUME:.spec.source.persistentVolumeName,NODE:.spec.nodeName,DELETED:.metadata.deletionTimestamp,ERROR:.status.detachError.message"
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind == "Pod":
        return _judge_pod(subject, snap)
    failed = (
        _attached.detach_failure(subject, snap)
        if subject.kind == "VolumeAttachment"
        else _attached.check_volumes((subject,), snap, _attached.remains_as_driver_fails)
    )
    return Signs(
        applies=is_overdue(subject, snap),
        necessary={"its attacher's finalizer keeps it": _attached.has_attacher_finalizer(subject, snap)},
        decisive={"the driver failed to detach since it was deleted": failed},
        finding=lambda: _make_finding(subject, failed.hits[-1], snap),
    )


def _judge_pod(pod: Ref, snap: Facts) -> Signs:
    """Return the signs for a Pod that starts and needs a volume which another Node, or its own, has not
    released.
    """
    stays: Sign[Any] = negate(some(snap, Deletion, pod, lambda f: [f] if f.requested else []))
    said, otherwise = (
        _attached.find_withheld_volumes(pod, snap),
        _attached.find_other_attach_failures(pod, snap),
    )
    bound = _attached.find_exclusive_volumes(pod, snap)
    needed = any_of([said, otherwise, bound])
    needed = needed if needed.value else bound
    left = _attached.check_volumes(needed.hits, snap, _attached.blocks_attach) if needed.value else Sign(None)
    held = (
        _attached.check_volumes(said.hits, snap, _attached.blocks_attach)
        if said.value
        else Sign(None, wants=left.wants)
    )
    held = held._replace(seen=unique((*said.seen, *held.seen))) if held.value else held
    alone = left.value and not otherwise.value
    # The controller itself saw the VolumeAttachment and that it goes.
    going = _attached.is_detaching(pod, snap)
    gone_on = going._replace(wants=left.wants) if going.value and left.value is None else left
    return Signs(
        applies=all_of([stays, needed]),
        necessary={"a volume of it is not detached": gone_on},
        decisive={"the volume that cannot be attached because it is attached already is not detached": held},
        supporting={
            "only one Node may have that volume, and nothing else keeps it": Sign(True, seen=left.seen)
            if alone
            else Sign(None),
            "messages repeatedly say that detaching it does not finish": going,
        },
        finding=lambda: (
            _make_finding(pod, (*held.hits, *left.hits)[0], snap)
            if held.hits or left.hits
            else _make_finding_from_message(pod, going.hits[0])
        ),
    )


def _make_finding_from_message(pod: Ref, f: Failure) -> Finding:
    """Return the finding without a VolumeAttachment: it is only known that the reports about it do not
    end.
    """
    why = say("its VolumeAttachment is being deleted")
    if f.error == "detach-unfinished":
        why = say("the storage has not finished detaching it")
    return Finding(
        say("{volume} cannot be attached while {why}, and that does not finish", volume=f.volume, why=why),
        culprit=Ref("PersistentVolume", None, f.volume),
        blocks=(pod,),
        help=(
            Step(
                say("find the VolumeAttachment; `unstuck why volumeattachment/NAME` shows why it stays"),
                command=command(_COLUMNS),
                verify=_GOES,
            ),
        ),
        do_not=(_do_not_remove("external-attacher/…"),),
    )


def _make_finding(subject: Ref, item: Attached, snap: Facts) -> Finding:
    attachment = snap.canon(item.ref)
    volume = Ref("PersistentVolume", None, item.volume) if item.volume else None
    blocked = (
        attachment,
        *((volume,) if volume else ()),
        *_attached.list_attachers((subject, attachment), snap),
    )
    told = _explain(item, attachment, snap)
    return Finding(
        told.says,
        culprit=told.culprit,
        blocks=unique(b for b in (subject, *blocked) if b != told.culprit),
        notes=told.notes,
        help=told.help,
        do_not=(_take_off(attachment, snap), _warn_of_force(item)),
    )


def _explain(item: Attached, attachment: Ref, snap: Facts) -> Finding:
    if (
        not _attached.remains_attached(attachment, snap).value
        and _attached.is_on_silent_node(attachment, snap).value
    ):
        return _make_finding_before_report(item)
    return (
        _make_failing_finding(item)
        if _attached.detach_failure(attachment, snap).value
        else _make_waiting_finding(item, attachment, snap)
    )


def _make_failing_finding(item: Attached) -> Finding:
    """Return the finding with the driver's own reason."""
    volume = same_in_both(item.volume) if item.volume else say("an inline volume")
    lost = _LOST.search(item.error)
    return Finding(
        say(
            "CSI driver {driver} cannot detach {volume} from Node {node}",
            driver=item.driver,
            volume=volume,
            node=item.node,
        ),
        culprit=Ref("CSIDriver", None, item.driver),
        blocks=(),
        notes=(say("driver: {error}", error=item.error[:300]),),
        help=(_remake(lost[1]),) if lost else (_repair(), _detach_by_hand(item)),
    )


def _make_waiting_finding(item: Attached, attachment: Ref, snap: Facts) -> Finding:
    """Return the finding for a Pod that waits; why is another question, which the VolumeAttachment itself
    answers.
    """
    since = min((f.due for f in snap.of(Deletion, attachment) if f.due), default=snap.now)
    span = format_duration(snap.now - since)
    return Finding(
        say(
            "{volume} is still attached to Node {node}: its VolumeAttachment has been Terminating for {span}",
            volume=item.volume,
            node=item.node,
            span=span,
        ),
        culprit=attachment,
        blocks=(),
        help=(
            Step(
                say("see why the volume is not detached"),
                command=ask_why(attachment),
            ),
        ),
    )


def _make_finding_before_report(item: Attached) -> Finding:
    """Return the finding for a volume that is not detached yet: the controller waits for the Node's
    report.
    """
    return Finding(
        say(
            (
                "{volume} is attached to Node {node}, which does not report, and is not detached while it "
                "may be mounted there"
            ),
            volume=item.volume,
            node=item.node,
        ),
        culprit=Ref("Node", None, item.node),
        blocks=(),
        notes=(
            say(
                "kube-controller-manager detaches it 6 min after the last Pod using it there is gone from "
                "the API, not earlier"
            ),
        ),
        help=(
            Step(
                say("find out why that node does not report, and restore it"),
                command=ask_why(Ref("Node", None, item.node)),
                verify=say("the volume is detached there and attached here"),
            ),
            Step(
                say(
                    "only if the machine of {node} is confirmed off and will not come back: taint the "
                    "Node out-of-service, so that its Pods are deleted and its volumes "
                    "force-detached; unwritten data is lost",
                    node=item.node,
                ),
                command=command(
                    "kubectl taint nodes -- {node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
                    node=given.bare("Node", item.node),
                ),
                risk="loses-data",
                undo=command(
                    "kubectl taint nodes -- {node} node.kubernetes.io/out-of-service-",
                    node=given.bare("Node", item.node),
                ),
            ),
        ),
    )


def _repair() -> Step:
    return Step(
        say(
            "fix the problem the driver reports (its credentials, the device's users on that node); it "
            "retries automatically, within 5 min"
        ),
        verify=_GOES,
    )


def _detach_by_hand(item: Attached) -> Step:
    return Step(
        say(
            "otherwise detach it on the storage side, only once nothing on {node} has it mounted or its "
            "machine is confirmed off: unwritten data is lost; the driver then finds it detached",
            node=item.node,
        ),
        where="source",
        risk="loses-data",
        verify=_GOES,
    )


def _remake(volume: str) -> Step:
    return Step(
        say(
            "recreate PersistentVolume {volume} with the same spec.csi and reclaim policy Retain: the "
            "attacher reads from it which volume to detach, and retries automatically",
            volume=volume,
        ),
        where="source",
        risk="reversible",
        verify=_GOES,
    )


def _take_off(attachment: Ref, snap: Facts) -> DoNot:
    names = _attached.has_attacher_finalizer(attachment, snap).hits
    return _do_not_remove(names[0] if names else "external-attacher/…")


def _do_not_remove(finalizer: str) -> DoNot:
    return DoNot(
        say("remove the finalizer {finalizer}", finalizer=finalizer),
        say(
            "the storage keeps it attached, unknown to Kubernetes: the next attach fails, or two nodes "
            "write to it"
        ),
    )


def _warn_of_force(item: Attached) -> DoNot:
    return DoNot(
        say(
            "force-detach it, or taint or delete Node {node}, while that machine is not confirmed off",
            node=item.node,
        ),
        say(
            "processes still running there keep writing to a volume another node then has, and the taint or "
            "deletion stops everything else on it"
        ),
    )


CAUSE = Cause(
    id="volume.attachment-stuck",
    title=say("a volume cannot be detached from a node"),
    subjects=("VolumeAttachment", "PersistentVolume", "Pod"),
    stages=("finalizers-cleared", "devices-and-volumes-prepared"),
    reads=frozenset(
        {
            Deletion,
            Finalizers,
            Attachment,
            Attachments,
            FinalizerOwner,
            Failure,
            Needs,
            Claim,
            Conditions,
            Lease,
        }
    ),
    rule=_rule,
)
