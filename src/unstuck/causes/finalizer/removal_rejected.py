"""The owner of a finalizer tries to remove it, and the API server refuses

## How it happens

Removing a finalizer is an UPDATE like any other. A webhook or a ValidatingAdmissionPolicy denies it, or the
object as a whole no longer validates: its CRD was made stricter since it was stored, or another field would
change with it (`may not change fields other than …`). The controller lives, has cleaned up, and retries
forever; the object shows none of it.

## How to tell

The owner's own log names the object with `admission webhook "NAME" denied the request`,
`ValidatingAdmissionPolicy 'NAME' … denied request`, or `KIND "NAME" is invalid`; or a person's `kubectl
patch` of the finalizers was answered so. The webhook or policy of that name exists and reviews UPDATE.
unstuck writes nothing to find this out: with write access a patch with `--dry-run=server` shows it, which
`unstuck why … --try-write` sends. The job controller first names a Pod in its Job's
`status.uncountedTerminatedPods`, then removes the finalizer: a Pod that stays listed has kept its finalizer.
If the Job has listed it for a minute, the controller is not down, and a policy or a webhook reviews every
UPDATE of Pods there, that is the likely refuser.

## Known limits

Only the last lines of the logs of Ready owners in the cluster are read; of the job controller
(`batch.kubernetes.io/job-tracking`) those of kube-controller-manager where it runs in Pods of kube-system.
Without any log, a Pod that the Job has counted and not released is evidence for it, but a slow controller
looks the same. A rule for the controller's own user is seen by a dry run only with `--as` that user. An
object that does not validate is likely only: the schema is not evaluated here, and from 1.33 on fields that
stay as they are do not count. A webhook that does not answer is another cause. Only objects in deletion are
covered: a Job that does not end because its Pods are not released shows nothing here.

## References

- Kubernetes documentation: Finalizers, Dynamic Admission Control; KEP-4008 (CRD validation ratcheting)
- staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from unstuck.causes.admission._refused import CLUSTER, find_reviewer, narrow_scope
from unstuck.causes.controller._manager import is_manager_down
from unstuck.causes.finalizer._owner import HeldFinalizer, find_owners, is_alive
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, negate, some, unique
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import AdmissionPolicies, AdmissionPolicy, Webhook, Webhooks
from unstuck.facts.aspects.cluster import Backends, FinalizerOwner, Lease
from unstuck.facts.aspects.objects import Deletion, Finalizers, Owners, Presence, Touches
from unstuck.facts.aspects.protection import Removal, Uncounted
from unstuck.facts.aspects.refusals import Refusal, Refusals
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue
from unstuck.stages.served import lacks_service

say = Messages(__name__)

_TRACKING = "batch.kubernetes.io/job-tracking"
_COUNTS = "status.uncountedTerminatedPods"
_TRIED = timedelta(seconds=60)
_REPAIR = Step(
    say("fix or relax whatever rejects this UPDATE; its owner retries automatically"),
    where="source",
    verify=say("the owner removes its finalizer within minutes"),
)
_BY_HAND = DoNot(
    say("remove the finalizer by hand"),
    say("that is the same UPDATE and is rejected too; if it passes, cleanup that has not run yet is lost"),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = _find_refusals(subject, snap)
    held: list[Sign[Any]] = [is_overdue(subject, snap), some(snap, Finalizers, subject, lambda f: f.names)]
    standing_ = [find_reviewer(r.by.kind, r.by.name or "", "UPDATE", snap) for r in said.hits if r.by]
    guarded: Sign[Ref] = Sign(None) if said.value else _find_update_reviewers(subject, snap)
    denier = (
        any_of(standing_) if said.value else _suspect_unreported(subject, snap, (*said.wants, *guarded.wants))
    )

    def finding() -> Finding:
        return (
            _make_finding(subject, snap, said.hits, denier.hits)
            if said.value
            else _make_unreported_finding(subject, snap, guarded.hits[0])
        )

    return Signs(
        applies=all_of(held),
        decisive={"what refused it is there and is asked about UPDATE": denier},
        supporting={
            "a write of it was refused since its deletion": said,
            (
                "its Job has counted it, the UPDATE has not come through for a minute, and something is "
                "asked about it"
            ): guarded,
        },
        finding=finding,
    )


def _find_refusals(subject: Ref, snap: Facts) -> Sign[Refusal]:
    """Find refusals since the deletion; the logs become a question only once an owner was found that runs and
    could log them.
    """
    due = [f.due for f in snap.of(Deletion, subject) if f.due]
    # A refusal of an unknown write is filed under its author.
    told = hearsay(
        snap,
        Refusals,
        subject,
        lambda f: [
            r
            for r in f.items
            if r.error != "webhook-unreachable" and r.by != subject and _is_since_due(r, due)
        ],
    )
    if told.value:
        return told
    living = find_owners(subject, snap, lambda held: _lives(held, snap))
    # kube-controller-manager runs if Pods of Jobs are made; if it is down, that is another cause.
    tracked = _find_tracking_finalizer(subject, snap).value and not is_manager_down(snap).value
    asked = (Want(Refusals, subject),) if living.value or tracked else living.wants
    return Sign(None, seen=told.seen, wants=asked)


def _find_tracking_finalizer(subject: Ref, snap: Facts) -> Sign[str]:
    return some(snap, Finalizers, subject, lambda f: [n for n in f.names if n == _TRACKING])


def _suspect_unreported(subject: Ref, snap: Facts, wants: tuple[Want, ...]) -> Sign[Any]:
    """Stay open: a Pod that its Job has counted but not released suggests an unreported refusal; a dry run
    decides.
    """
    # A pass for the asking user is no sign against it: the owner writes as another user.
    dry = (
        (Want(Removal, subject),)
        if Want(Refusals, subject) in wants and not snap.of(Removal, subject)
        else ()
    )
    counted = _find_counting_job(subject, snap)
    if is_manager_down(snap).value:
        return Sign(None, wants=(*dry, *wants))
    return Sign(None, counted.hits, counted.seen if counted.value else (), (*dry, *wants, *counted.wants))


def _find_counting_job(subject: Ref, snap: Facts) -> Sign[Ref]:
    """Tell whether the Job of this Pod has counted it and not let it go. Hits: the Job."""
    uid = snap.canon(subject).uid
    jobs = [f.controller for f in snap.of(Owners, subject) if f.controller and f.controller.kind == "Job"]
    if not jobs or not uid or not _find_tracking_finalizer(subject, snap).value:
        return Sign(None)
    return some(snap, Uncounted, jobs[0], lambda f: [jobs[0]] if uid in f.uids else [])


def _find_update_reviewers(subject: Ref, snap: Facts) -> Sign[Ref]:
    """Return the policies and webhook configurations that review the UPDATE that a live job controller tried
    a minute ago. In one pass over a Job the controller records the counted Pods and then removes their
    finalizers: a record that old means that the removal was tried.

    Reviewers narrowed by conditions or labels may not be called, and a webhook without a backend is another
    cause.
    """
    counted = _find_counting_job(subject, snap)
    if not counted.value:
        return Sign(None)
    tried = some(
        snap,
        Touches,
        counted.hits[0],
        lambda f: [t for t in f.items if _COUNTS in t.fields and t.at and snap.now - t.at >= _TRIED],
    )
    signs: list[Sign[Any]] = [counted, tried, negate(is_manager_down(snap))]
    before = all_of(signs)
    if not before.value:
        return Sign(None, wants=before.wants)

    def asks(one: Webhook | AdmissionPolicy) -> bool:
        return not one.scope.more and one.scope.reaches(subject.within) and one.covers("", "pods", "UPDATE")

    policies = some(snap, AdmissionPolicies, CLUSTER, lambda f: [p.ref for p in f.items if asks(p)])
    hooks = some(snap, Webhooks, CLUSTER, lambda f: [h for h in f.items if h.service and asks(h)])
    answering = [_answers(h, hooks, snap) for h in hooks.hits]
    guard = any_of([policies, *(answering or [Sign[Ref](None, wants=hooks.wants)])])
    return (
        Sign(True, guard.hits, unique((*before.seen, *guard.seen)))
        if guard.value
        else Sign(None, wants=guard.wants)
    )


def _answers(hook: Webhook, hooks: Sign[Webhook], snap: Facts) -> Sign[Ref]:
    served = negate(lacks_service(hook.service, snap)) if hook.service else Sign[Any](None)
    return (
        Sign(True, (hook.configuration,), (*hooks.seen, *served.seen))
        if served.value
        else Sign(None, wants=served.wants)
    )


def _is_since_due(refusal: Refusal, due: list[datetime]) -> bool:
    return refusal.at is None or not due or refusal.at >= due[0]


def _lives(held: HeldFinalizer, snap: Facts) -> bool | None:
    if any(is_alive(c, snap.now) and c.ready for c in held.owner.candidates):
        return True
    return False if held.owner.whole else None


def _make_unreported_finding(subject: Ref, snap: Facts, denier: Ref) -> Finding:
    """Return the finding without a message: the API shows only the webhooks and policies that the controller
    must pass.
    """
    return Finding(
        say(
            (
                "{subject} keeps its finalizer: its Job has counted it, but the UPDATE to remove it does "
                "not succeed; it has to pass {denier}"
            ),
            subject=who(subject),
            denier=who(denier),
        ),
        culprit=denier,
        blocks=(subject, *(job for job in _find_counting_job(subject, snap).hits)),
        help=(_REPAIR, narrow_scope(denier)),
        do_not=(_BY_HAND,),
    )


def _make_finding(subject: Ref, snap: Facts, said: tuple[Refusal, ...], deniers: tuple[Ref, ...]) -> Finding:
    named = {d.name for d in deniers}
    first = next((r for r in said if r.by and (r.by.name in named or not named)), said[0])
    denier = deniers[0] if deniers else first.by
    tries = tuple(
        dict.fromkeys(c.ref for f in snap.of(FinalizerOwner, subject) for c in f.candidates if c.ready)
    )
    by = _name_author(first)
    notes = [say("the server's reason: {why}", why=first.why)] if first.why else []
    if first.to:
        notes.append(say("{to} says so in its log", to=who(first.to)))
    if denier and first.by and denier.name != first.by.name:
        notes.append(say("it is defined in {denier}", denier=who(denier)))
    return Finding(
        say(
            "{subject} keeps its finalizer: the UPDATE to remove it is rejected by {by}",
            subject=who(subject),
            by=by,
        ),
        culprit=denier or Ref("Validation", subject.within, subject.name),
        blocks=(subject, *tries),
        notes=tuple(notes),
        help=(
            _REPAIR,
            *((narrow_scope(denier),) if deniers and denier else ()),
        ),
        do_not=(_BY_HAND,),
    )


def _name_author(refusal: Refusal) -> Text:
    if refusal.by is None:
        return say("validation: the stored object is no longer valid")
    name = refusal.by.name
    return (
        say("webhook {name}", name=name) if refusal.by.kind == "Webhook" else say("policy {name}", name=name)
    )


CAUSE = Cause(
    id="finalizer.removal-rejected",
    title=say("the API server rejects the removal of a finalizer"),
    subjects=("*",),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset(
        {
            Deletion,
            Finalizers,
            Owners,
            Presence,
            Lease,
            FinalizerOwner,
            Refusals,
            Removal,
            Uncounted,
            Touches,
            Backends,
            Webhooks,
            AdmissionPolicies,
        }
    ),
    rule=_rule,
)
