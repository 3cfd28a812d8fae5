"""A released volume's data cannot be deleted

## How it happens

The claim no longer exists and the volume's policy is Delete, but its provisioner fails to remove it from the
backend: it is still attached to a machine (a cloud answers 409), snapshots depend on it, the credentials lack
the right, no plugin serves its type any more, or the provisioner that made it is gone.

## How to tell

The volume's own status says Failed with the reason, or it is Released and its events say VolumeFailedDelete
with the driver's words.

## Known limits

A volume with the policy Retain stays Released on purpose and is not covered here. Deleting the
PersistentVolume object does not delete the data in the backend.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (deleteVolumeOperation);
  kubernetes-csi/external-provisioner
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Phase
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SAID = "VolumeFailedDelete"


def _rule(volume: Ref, snap: Facts) -> Signs:
    failed = some(snap, Phase, volume, lambda f: [f.message] if f.phase == "Failed" else [])
    said = hearsay(snap, Events, volume, lambda f: [e.message for e in f.items if e.reason == _SAID])
    released: Sign[Any] = some(snap, Phase, volume, lambda f: [f.phase] if f.phase == "Released" else [])
    stays: Sign[Any] = all_of([released, said])
    return Signs(
        decisive={
            "its status says that deleting it failed": failed,
            "it is Released, and deleting it failed": stays,
        },
        supporting={"an event says that deleting it failed": said},
        finding=lambda: _make_finding(volume, next((m for m in (*said.hits, *failed.hits) if m), "")),
    )


def _make_finding(volume: Ref, message: str) -> Finding:
    name = volume.name or "NAME"
    words = " ".join(message.split())[:240]
    attached = "attached" in words or "in use" in words.lower() or "VolumeInUse" in words
    detach = Step(
        say(
            "see which Node it is still attached to; the deletion continues automatically once it is detached"
        ),
        command=command("kubectl get volumeattachments -o wide"),
    )
    look = Step(
        say("fix the problem the driver reports (permissions, dependents in the backend, the driver itself)"),
        command=command("kubectl describe {volume}", volume=given.obj("pv", name)),
        verify=say("the volume is deleted at the next retry"),
    )
    return Finding(
        say("volume {name} is released, but deleting its backend storage fails", name=name),
        culprit=volume,
        blocks=(),
        notes=(say("driver: {words}", words=words),) if words else (),
        help=(detach, look) if attached else (look,),
        do_not=(
            DoNot(
                say("delete the PersistentVolume object or remove its finalizers"),
                say("the backend storage stays, keeps costing money, and nothing references it any more"),
            ),
        ),
    )


CAUSE = Cause(
    id="storage.volume-delete-failed",
    title=say("a released volume's data cannot be deleted"),
    subjects=("PersistentVolume",),
    reads=frozenset({Phase, Events}),
    rule=_rule,
)
