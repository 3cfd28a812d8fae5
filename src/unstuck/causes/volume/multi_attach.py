"""A volume for one Node is still attached to another

## How it happens

The volume is ReadWriteOnce and the Pod was placed on another Node than the volume's. Either another Pod still
uses it there (a rolling update of a Deployment with such a volume, two replicas of one claim), or the old
Node no longer exists or does not answer, so that the volume's release is not confirmed.

## How to tell

`FailedAttachVolume` with `Multi-Attach error for volume`, followed by `Volume is already used by pod(s) …` or
`already exclusively attached to one node`, or with the storage's own word for it (`VolumeInUse`,
`RESOURCE_IN_USE_BY_ANOTHER_RESOURCE`). Ceph, whose images are not attached, reports it at the mount: `rbd
image … is still being used`.

## Known limits

This is usually a consequence: of a Pod that does not end, of a Node that does not answer, or of an update
strategy. The answer names the Pods where the message does. After six minutes the controller detaches by force
only from a Node that is not Ready and whose Pods are gone.

## References

- Kubernetes pkg/controller/volume/attachdetach/reconciler/reconciler.go (1.6–1.34)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, only_yes
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.storage import Attachments
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

_NAMED = 3
# pkg/controller/volume/attachdetach/reconciler/reconciler.go, reportMultiAttachError
_USED_BY = regex(
    r"Volume is already used by pod\(s\) (?P<pods>[a-z0-9][a-z0-9., -]{0,500}?)(?: and \d{1,6} pod\(s\)|$)"
)
_KEEPS: tuple[Operation, ...] = ("volume-tear-down", "device-unmount", "volume-detach", "subpath-clean")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = _starting.start_failures(subject, snap, _is_match)
    kept = tuple(
        o for o in snap.every(Failure) if o.operation in _KEEPS and any(_is_same(o, f) for f in said.hits)
    )
    # The holder of the volume is a separate cause, which is to be reported instead of this consequence. So
    # this is never proven.
    heard_of = Sign(None) if kept else only_yes(said)
    return Signs(
        necessary={"the last attempt failed this way": said},
        # The Events show whether it was attached since.
        decisive={"nothing attached it since": Sign(None, said.hits, said.seen, (Want(Events, subject),))},
        supporting={"a message says so, and none says what keeps it there": heard_of},
        finding=lambda: _make_finding(subject, _starting.pick_latest(said.hits), snap),
    )


def _is_same(other: Failure, f: Failure) -> bool:
    """Tell whether another message is about the same volume: every unique name of a PersistentVolume contains
    its name.
    """
    return bool(f.volume) and (other.volume == f.volume or f"{f.volume}" in other.src.quote)


def _is_match(f: Failure) -> bool:
    if f.operation == "volume-set-up":
        return f.error == "used-elsewhere"
    # Of FailedPrecondition, drivers make more uses than the specification's.
    told = f.error == "multi-attach" or (
        f.error == "still-attached" and not f.message.startswith("rpc error")
    )
    return f.operation == "volume-attach" and told


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    where = _find_node_with_it(subject, f, snap)
    return Finding(
        _says(f, where, _list_pods_with_it(f)),
        culprit=Ref("PersistentVolume", None, f.volume) if f.volume else subject,
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            _ask_who_has_it(f, where),
            Step(
                say(
                    "stop the Pod there, or find out why it does not stop; for a Deployment use strategy "
                    "Recreate; the Pod is down meanwhile"
                ),
                where="source",
                risk="disrupts",
                verify=say("the volume is attached within a minute after its release"),
            ),
        ),
        do_not=(
            DoNot(
                say("delete the VolumeAttachment or force delete the old Pod while its node may be alive"),
                say("two nodes would write to one file system, which destroys it"),
            ),
        ),
        enrich=(Want(Attachments, Ref("PersistentVolume", None, f.volume)),)
        if f.volume and f.error != "used-elsewhere"
        else (),
    )


def _list_pods_with_it(f: Failure) -> tuple[str, ...]:
    """Return the Pods of the same Namespace that use the volume, according to the controller."""
    told = _USED_BY.search(f.message) or _USED_BY.search(f.src.quote)
    return tuple(p.strip() for p in told["pods"].split(",") if p.strip()) if told else ()


def _find_node_with_it(subject: Ref, f: Failure, snap: Facts) -> str:
    """Return the Node with a VolumeAttachment of the volume that is not the Pod's own, "" if none was
    seen.
    """
    node = find_node(subject, snap)
    volume = Ref("PersistentVolume", None, f.volume or "?")
    items = (
        i for fact in snap.of(Attachments, volume) for i in fact.items if node is None or i.node != node.name
    )
    return next((i.node for i in items if i.attached), "")


def _says(f: Failure, where: str, pods: tuple[str, ...]) -> Text:
    name = _starting.say_volume(f)
    if f.error == "used-elsewhere":
        return say(
            (
                "{name} is for one node only, and its image {key} is still mapped by a client, usually "
                "another node"
            ),
            name=name,
            key=f.key,
        )
    by = (
        say(", where {n:Pod|Pods} {pods} {n:uses|use} it", n=len(pods), pods=list_names(pods[:_NAMED]))
        if pods
        else NO_TEXT
    )
    if where:
        return (
            say(
                "{name} may be attached to one node only and is still attached to {where}",
                name=name,
                where=where,
            )
            + by
        )
    return say("{name} may be attached to one node only and is still attached to another", name=name) + by


def _ask_who_has_it(f: Failure, where: str) -> Step:
    if f.error == "used-elsewhere":
        return Step(
            say("where Ceph's tools are installed, see the holder's address"),
            command=command("rbd status {image}", image=given.rbd(f.key or "POOL/IMAGE")),
        )
    if where:
        return Step(
            say("see whether Node {where} is alive, and which Pods run there", where=where),
            command=command("kubectl describe {node}", node=given.obj("node", where)),
        )
    return Step(say("see which node has it"), command=command("kubectl get volumeattachments"))


CAUSE = Cause(
    id="volume.multi-attach",
    title=say("a single-node volume is still attached to another node"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS | {Attachments, Placement},
    rule=_rule,
)
