"""A claim waits for its volume to be expanded, and nothing expands it

## How it happens

The claim's request was raised, its class allows it, and the volume's driver would have to do it: the driver's
controller with its `external-resizer` was never installed, is scaled to none, does not start, or came without
that sidecar.

## How to tell

The claim is bound, requests more than it has (`status.capacity`), and the controller says `waiting for an
external controller to expand this PVC`. A resizer says `Resizing` at once, as an event and as a condition;
there is neither, for more than a minute.

## Known limits

The absence of a program cannot be proven, and it may be about to start: likely at most. An expansion that
fails after its start is reported in the resizer's own words. The file system grows when a Pod uses the claim,
which may be long after (`FileSystemResizePending`).

## References

- Kubernetes pkg/controller/volume/expand/expand_controller.go (1.11–1.34); kubernetes-csi/external-resizer
  pkg/controller/controller.go
- Kubernetes documentation: Expanding Persistent Volumes Claims
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes.storage._claims import name_claim
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, only_yes, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, StorageClass
from unstuck.facts.aspects.objects import Conditions, Deletion, Event, Events
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_quantity
from unstuck.stages.growing import RESIZER_SPEAKS, is_resizing, wants_more
from unstuck.stages.overdue import stays

say = Messages(__name__)

_PATIENCE = timedelta(seconds=60)


def _rule(claim: Ref, snap: Facts) -> Signs:
    grows = some(snap, Claim, claim, lambda f: [f] if wants_more(f) else [])
    waited = hearsay(snap, Events, claim, lambda f: [e for e in f.items if _waits(e, snap)])
    # The absence of a program cannot be proven.
    begun = is_resizing(claim, snap) or _spoke(claim, snap)
    seen = (*snap.of(Conditions, claim), *snap.of(Events, claim))
    nowhere: Sign[Claim] = (
        Sign(False, seen=seen) if begun else Sign(None, wants=(Want(Events, claim), Want(Conditions, claim)))
    )
    return Signs(
        applies=stays(claim, snap),
        necessary={"it requests more than it has": grows},
        decisive={"its driver's resizer has not begun, and is nowhere": nowhere},
        supporting={"the controller waits for a resizer that says nothing": only_yes(waited)},
        finding=lambda: _make_finding(claim, grows.hits[0], snap),
    )


def _waits(event: Event, snap: Facts) -> bool:
    return (
        event.reason == "ExternalExpanding"
        and event.first is not None
        and snap.now - event.first >= _PATIENCE
    )


def _spoke(claim: Ref, snap: Facts) -> bool:
    return any(e.reason in RESIZER_SPEAKS for f in snap.of(Events, claim) for e in f.items)


def _make_finding(claim: Ref, asked: Claim, snap: Facts) -> Finding:
    class_ = Ref("StorageClass", None, asked.storage_class) if asked.storage_class else None
    driver = next((f.provisioner for f in snap.of(StorageClass, class_)), "") if class_ else ""
    of: Text = say(" of driver {driver}", driver=driver) if driver else NO_TEXT
    return Finding(
        say(
            "{claim} waits to grow from {has} to {asked}, and no resizer{of} answers",
            claim=name_claim(claim),
            has=format_quantity(asked.capacity or 0),
            asked=format_quantity(asked.size or 0),
            of=of,
        ),
        culprit=Ref("Provisioner", None, driver) if driver else claim,
        blocks=(claim,),
        help=(
            Step(
                say("see whether the driver's controller runs, and its Pods have a container csi-resizer"),
                command=command("kubectl get pods -A -o wide"),
            ),
            Step(
                say(
                    "install or start the driver's controller with its external-resizer, "
                    "following its documentation"
                ),
                where="source",
                verify=say("an event Resizing on the PVC, then its capacity is the one requested"),
            ),
        ),
        do_not=(
            DoNot(
                say("delete the PVC to create it larger"),
                say("with reclaim policy Delete its data is deleted as well"),
            ),
        ),
        enrich=(Want(StorageClass, class_),) if class_ and not driver else (),
    )


CAUSE = Cause(
    id="storage.expansion-unanswered",
    title=say("a PVC waits for its volume to be expanded, and nothing expands it"),
    subjects=("PersistentVolumeClaim",),
    reads=frozenset({Claim, StorageClass, Events, Conditions, Deletion}),
    rule=_rule,
)
