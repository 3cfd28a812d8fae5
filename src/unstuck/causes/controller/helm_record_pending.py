"""Helm's record of a release says that an operation is still in progress

## How it happens

Helm notes each revision of a release in a Secret, and while it works on one the status there is
`pending-install`, `pending-upgrade` or `pending-rollback`. A run that is cut off in the middle (its
controller was restarted, a pipeline was killed) never corrects it. Each later run sees the note and refuses
to begin, for as long unchanged there.

## How to tell

The object that delivers the release says `another operation (install/upgrade/rollback) is in progress`, and
the newest Secret of type `helm.sh/release.v1` of that release has a `pending-…` in its label `status`. Its
content is not read.

## Known limits

Whether a Helm still works on it is not seen: within a quarter of an hour it may. Records are looked for in
the object's own Namespace, under its own name or that name with the Namespace before it; a release that is
kept elsewhere, in ConfigMaps or in a database is not found.

## References

- Helm pkg/action/action.go (`errPending`), pkg/release/status.go, pkg/storage/driver/secrets.go
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, format_duration, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.helm import HelmRevision, HelmRevisions
from unstuck.facts.aspects.objects import Conditions, Events, Presence, Touches
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.reported_state import find_telling_words

say = Messages(__name__)

# Controllers that deliver a release by Helm's own library.
_DELIVERERS = (
    "HelmRelease.helm.toolkit.fluxcd.io",
    "HelmRelease.helm.fluxcd.io",
    "Release.helm.crossplane.io",
)
_REFUSED = "another operation (install/upgrade/rollback) is in progress"
# Helm's default timeout for an operation is 5 minutes.
_CUT_OFF = timedelta(minutes=15)
_DONE = ("deployed", "superseded")


def _rule(subject: Ref, snap: Facts) -> Signs:
    facts: tuple[Fact, ...] = tuple(
        w.fact for w in find_telling_words(subject, snap) if _REFUSED in w.message
    )
    refused = Sign(True, facts, facts, sure=any(map(snap.sure, facts))) if facts else Sign[Fact](False)
    records = Ref("Namespace", None, subject.within)
    pending = (
        some(snap, HelmRevisions, records, lambda f: _find_pending(f, subject))
        if facts
        else Sign[HelmRevision](None)
    )
    old = (
        some(
            snap, HelmRevisions, records, lambda f: [r for r in _find_pending(f, subject) if _is_old(r, snap)]
        )
        if facts
        else pending
    )
    return Signs(
        applies=refused,
        necessary={"the newest record of its release is pending": pending},
        decisive={"and has been so for longer than an operation takes": old if old.value else Sign(None)},
        supporting={"it says that another operation is in progress": refused},
        finding=lambda: _make_finding(subject, pending.hits[0], snap),
    )


def _find_pending(fact: HelmRevisions, subject: Ref) -> list[HelmRevision]:
    """Return the newest revision of the subject's release, if that is pending."""
    own = [r for r in fact.items if r.release in (subject.name, f"{subject.within}-{subject.name}")]
    newest = max(own, key=lambda r: r.revision, default=None)
    return [newest] if newest and newest.status.startswith("pending-") else []


def _is_old(revision: HelmRevision, snap: Facts) -> bool:
    return revision.created is not None and snap.now - revision.created >= _CUT_OFF


def _make_finding(subject: Ref, pending: HelmRevision, snap: Facts) -> Finding:
    within, secret = subject.within or "", Ref("Secret", subject.within, pending.secret)
    since = (
        say(" for {span}", span=format_duration(snap.now - pending.created)) if pending.created else NO_TEXT
    )
    known = [
        r
        for f in snap.of(HelmRevisions, Ref("Namespace", None, within))
        for r in f.items
        if r.release == pending.release
    ]
    done = max(
        (r for r in known if r.status in _DONE),
        key=lambda r: (r.status == "deployed", r.revision),
        default=None,
    )
    verify = say("{subject} is tried again automatically", subject=who(subject))
    look = Step(
        say(
            "make sure that no Helm process is still working on it: a pipeline, a person, a controller "
            "that has just started"
        ),
        command=command(
            "kubectl get secrets {space} -l {label} -L version,status",
            space=given.namespace(within),
            label=given.label("name", pending.release),
        ),
    )
    remove = say(
        (
            "then delete its record, {secret}: what the cut-off operation had applied stays in the cluster, "
            "the record of it is lost"
        ),
        secret=who(secret),
    )
    return Finding(
        say(
            (
                "revision {revision} of Helm's release {release} is in status {status}{since} ({secret}), "
                "so no other operation can start"
            ),
            revision=pending.revision,
            release=pending.release,
            status=pending.status,
            since=since,
            secret=pending.secret,
        ),
        culprit=secret,
        blocks=(subject,),
        help=(
            look,
            _roll_back(pending, done, within, verify)
            if done
            else Step(remove, risk="loses-data", verify=verify),
        ),
        do_not=(
            DoNot(
                say("delete {subject} or uninstall the release", subject=who(subject)),
                say("everything that the release has made goes with it"),
            ),
        ),
    )


def _roll_back(pending: HelmRevision, done: HelmRevision, within: str, verify: Text) -> Step:
    return Step(
        say(
            "then roll back to revision {revision}, the last finished one: changes by the interrupted "
            "operation are undone, and Pods whose template differs restart",
            revision=done.revision,
        ),
        command=command(
            "helm rollback {release} {revision} {space}",
            release=given.bare("Secret", pending.release),
            revision=given.number(done.revision),
            space=given.namespace(within),
        ),
        risk="disrupts",
        verify=verify,
    )


CAUSE = Cause(
    id="controller.helm-record-pending",
    title=say("Helm's record of the release says that an operation is in progress"),
    subjects=_DELIVERERS,
    reads=frozenset({HelmRevisions, Conditions, Reported, Presence, Touches, Events}),
    rule=_rule,
)
