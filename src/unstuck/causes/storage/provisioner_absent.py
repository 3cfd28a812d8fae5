"""The provisioner of a claim's class does not respond

## How it happens

The StorageClass exists, and the program that makes volumes for it does not: its Deployment was never
installed or is scaled to zero, it does not start, it runs under another name than the class gives as
`provisioner`, or it may not watch claims.

## How to tell

The claim is Pending for more than a minute, its class does not wait for a consumer, the controller says
`Waiting for a volume to be created either by the external provisioner`, and that provisioner has written no
Event: a running one reports `Provisioning` at once. A workload whose template has the provisioner's name, or
whose own name is of storage and shares a word with it, is taken for it; without a Ready Pod it is followed.

## Known limits

A provisioner that is merely slow to start looks the same for that time, and it may write events elsewhere:
this is likely at most. Without any Event there is no report at all, which points to the controller manager as
well.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (provisionClaimOperationExternal)
- kubernetes-sigs/sig-storage-lib-external-provisioner controller/controller.go (event Provisioning)
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from unstuck.causes.controller._down import see_why_down
from unstuck.causes.storage._claims import MANY, READS, is_pending, may_wait_for_claim, name_claim, waits
from unstuck.causes.storage._claims import find_claims as claims_of
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.cluster import Claim, StorageClass
from unstuck.facts.aspects.objects import Event, Events, Presence
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_PATIENCE = timedelta(seconds=60)
# pkg/controller/volume/persistentvolume/pv_controller.go (provisionClaimOperationExternal): in quotes or,
# from 1.28 on, in single ones.
_NAMED = regex(r"external provisioner [\"']([^\"'\s]{1,253})[\"']")
_SPEAKS = ("Provisioning", "ProvisioningFailed", "ProvisioningSucceeded")


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    claims = used.hits[:MANY]
    spoke = any_of([_judge_spoke(c, snap) for c in claims])
    waited = any_of([_find_waiting_controller(c, snap) for c in claims])
    # An unread class may wait for a consumer: ask for it.
    open_ = unique(
        w for c in claims for w in (*_find_waiting_controller(c, snap).wants, *_has_class(c, snap).wants)
    )
    silent: Sign[Any] = Sign(False, seen=spoke.seen) if spoke.value else _is_bound(claims, open_, snap)
    return Signs(
        applies=waits(subject, snap, used),
        decisive={"the provisioner has spoken of none of the claims, and is nowhere": silent},
        supporting={"the controller waits for a provisioner that says nothing": only_yes(waited)},
        finding=lambda: _make_finding(subject, waited.hits[0], snap),
    )


def _is_bound(claims: tuple[Ref, ...], wants: tuple[Want, ...], snap: Facts) -> Sign[Any]:
    """Return no for a bound claim. The absence of a program cannot be proven; the Events of its claims are
    asked for.
    """
    bound = [is_pending(c, snap) for c in claims]
    said = tuple(Want(Events, c) for c in claims)
    return any_of(
        [
            Sign(False, seen=b.seen)
            if b.value is False
            else Sign(None, wants=unique((*b.wants, *wants, *said)))
            for b in bound
        ]
    )


def _judge_spoke(claim: Ref, snap: Facts) -> Sign[Event]:
    """Find a provisioner's own event; the controller's (`persistentvolume-controller`) is not one."""
    return hearsay(
        snap,
        Events,
        claim,
        lambda f: [
            e for e in f.items if e.reason in _SPEAKS and "persistentvolume-controller" not in e.reporter
        ],
    )


def _find_waiting_controller(claim: Ref, snap: Facts) -> Sign[Any]:
    """Return whether the controller waits for the provisioner of a class; where the class was not seen,
    the event implies it.
    """
    awaited, there = _is_long_reported(claim, snap), _has_class(claim, snap)
    if not awaited.value or there.value is not None or there.seen:
        return all_of([is_pending(claim, snap), there, awaited])
    return all_of([is_pending(claim, snap), awaited])


def _has_class(claim: Ref, snap: Facts) -> Sign[Any]:
    """Return whether the class that it names exists and binds at once."""
    named = some(snap, Claim, claim, lambda f: [f.storage_class] if f.storage_class else [])
    if not named.value:
        return named
    return some(
        snap, StorageClass, Ref("StorageClass", None, named.hits[0]), lambda f: [f] if not f.waits else []
    )


def _is_long_reported(claim: Ref, snap: Facts) -> Sign[Ref]:
    """Return whether the controller has reported this for longer than any provisioner needs to begin."""
    created = next((f.created for f in snap.of(Presence, claim) if f.created), None)

    def pick(f: Events) -> list[Ref]:
        long = [
            e
            for e in f.items
            if e.reason == "ExternalProvisioning" and _since(e.first or created, snap) >= _PATIENCE
        ]
        return [claim] if long else []

    return hearsay(snap, Events, claim, pick)


def _since(first: Any, snap: Facts) -> timedelta:
    return snap.now - first if first is not None else timedelta(0)


def _make_finding(subject: Ref, claim: Ref, snap: Facts) -> Finding:
    name = next((f.storage_class for f in snap.of(Claim, claim) if f.storage_class), "?")
    told = (
        m[1]
        for f in snap.of(Events, claim)
        for e in f.items
        if e.reason == "ExternalProvisioning" and (m := _NAMED.search(e.message))
    )
    provisioner = next(
        (f.provisioner for f in snap.of(StorageClass, Ref("StorageClass", None, name))), ""
    ) or next(told, "?")
    work = snap.of(ClassWork, claim)
    down = next((c.ref for f in work for c in f.candidates if not any(o.ready for o in f.candidates)), None)
    says = say(
        "provisioner {provisioner} of StorageClass {name} does not respond to {shown}",
        provisioner=provisioner,
        name=name,
        shown=name_claim(claim),
    )
    if down:
        says += say("; {controller}, which is tied to that, has no Ready Pod", controller=who(down))
    runs = next((c.ref for f in work for c in f.candidates if c.ready), None)
    return Finding(
        says,
        culprit=down or Ref("Provisioner", None, provisioner),
        blocks=unique((claim, subject)),
        enrich=() if work else (Want(ClassWork, claim),),
        seen=tuple(work),
        help=_help(provisioner, down, runs),
        do_not=(
            DoNot(
                say("change the PVC to any class that works"),
                say("the data would land on unintended storage"),
            ),
        ),
    )


def _help(provisioner: str, down: Ref | None, runs: Ref | None) -> tuple[Step, ...]:
    """Return the steps. down: its workload, if that has no Ready Pod. runs: its workload, if it has one."""
    answered = say("a Provisioning Event on the PVC, then it is Bound")
    if down:
        return (see_why_down(down, answered),)
    install = say(
        "install or start it under exactly the name {provisioner}, following its documentation",
        provisioner=provisioner,
    )
    return (_look_for(runs), Step(install, where="source", verify=answered))


def _look_for(runs: Ref | None) -> Step:
    if runs:
        return Step(
            say("read the log of {controller}, which is tied to that and is running", controller=who(runs)),
            command=command(
                "kubectl logs {space} {controller} --all-containers --tail=50",
                space=given.space(runs),
                controller=given.of(runs),
            ),
        )
    return Step(
        say("find its Pods, in any Namespace"),
        command=command(
            "sh -c 'kubectl get pods -A -o wide | grep -iE '\"'\"'provision|csi'\"'\"'; kubectl get "
            "csidrivers'"
        ),
    )


CAUSE = Cause(
    id="storage.provisioner-absent",
    title=say("the provisioner of a PVC's class does not respond"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=READS | {ClassWork, Presence},
    rule=_rule,
)
