"""The DaemonSet controller takes its own template for a new one and keeps replacing its Pods

## How it happens

The controllers of 1.10 and 1.11 ask the scheduler's own code whether a Pod fits a Node. That code sorts the
values of a node affinity requirement in place, in the very template that the controller keeps. If they were
not in order before, the template now differs from the one on the API server, its hash is another, and a
DaemonSet that is updated by rolling finds all its Pods outdated: it deletes them, creates new ones, and
begins again. A Pod lives for some ten seconds and is always Terminating.

## How to tell

The control plane is 1.10 or 1.11, the DaemonSet is updated by `RollingUpdate`, one requirement of its node
affinity has several values that are not in alphabetical order, and its `SuccessfulDelete` and
`SuccessfulCreate` Events count far more Pods than it has.

## Known limits

The version is the API server's; a controller manager may be one minor version older than it. One update
replaces every Pod once and looks alike at first: only more deletions than three times the Pods that it wants
prove a loop.

## References

- kubernetes/kubernetes issue 66298, PR 66480; issue 68432; field notes
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Event, Events, Server
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.versions import DAEMONSET_SORTS_TEMPLATE

say = Messages(__name__)

_ROUNDS = 3


def _rule(subject: Ref, snap: Facts) -> Signs:
    unsorted = some(
        snap, Workload, subject, lambda f: [r for r in f.requirements or () if r[2] != tuple(sorted(r[2]))]
    )
    rolling = some(snap, Workload, subject, lambda f: [f] if f.strategy == "RollingUpdate" else [])
    affected = some(
        snap, Server, Ref("Cluster"), lambda f: [f.version] if DAEMONSET_SORTS_TEMPLATE.has(f.version) else []
    )
    wanted = max((f.wanted for f in snap.of(Workload, subject)), default=0)
    replaced = some(snap, Events, subject, _list_replacements)
    endless = some(
        snap, Events, subject, lambda f: [n for n in _list_replacements(f) if wanted and n > _ROUNDS * wanted]
    )
    return Signs(
        # The version is asked for only where the template could set the loop off at all.
        applies=unsorted,
        necessary={
            "it is updated by rolling": rolling,
            "the control plane's version has the fault": affected,
        },
        decisive={
            "it has repeatedly replaced its Pods": endless
            if endless.value
            else Sign(None, wants=endless.wants)
        },
        supporting={"it deletes and creates Pods": replaced},
        finding=lambda: _make_finding(subject, unsorted.hits[0], affected.hits[0], endless.hits),
    )


def _list_replacements(events: Events) -> tuple[int, ...]:
    """Return the number of Pods it deleted, if it created some as well."""

    def count(reason: str) -> int:
        return sum(_times(e) for e in events.items if e.reason == reason)

    deleted, created = count("SuccessfulDelete"), count("SuccessfulCreate")
    return (deleted,) if deleted and created else ()


def _times(event: Event) -> int:
    return max(event.count, 1)


def _make_finding(
    subject: Ref, requirement: tuple[str, str, tuple[str, ...]], version: str, deleted: tuple[int, ...]
) -> Finding:
    key, _, values = requirement
    shown = ", ".join(values[:4])
    notes = (say("{deleted} Pods deleted so far", deleted=deleted[0]),) if deleted else ()
    return Finding(
        say(
            "The DaemonSet controller of {version} sorts the values of {key} ({shown}) in its template and "
            "keeps replacing the Pods of {subject}",
            version=version,
            key=key,
            shown=shown,
            subject=who(subject),
        ),
        culprit=subject,
        blocks=(subject,),
        notes=notes,
        help=(
            Step(
                say(
                    (
                        "sort the values of {key} alphabetically, or use nodeSelector instead; each Pod "
                        "ends and is replaced once more"
                    ),
                    key=key,
                ),
                command=command(
                    "kubectl edit {set} {space}", set=given.of(subject), space=given.space(subject)
                ),
                risk="disrupts",
                undo=command(
                    "kubectl rollout undo {set} {space}", set=given.of(subject), space=given.space(subject)
                ),
                verify=say("its Pods stay up, and no more SuccessfulDelete Events appear"),
            ),
            Step(
                say("permanently: upgrade the control plane to 1.12 or later"),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("force delete the Pods that are Terminating"),
                say("each is deleted in due time; the controller still creates and deletes the next one"),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.daemonset-loop",
    title=say("the DaemonSet controller keeps replacing its Pods"),
    subjects=("DaemonSet",),
    reads=frozenset({Workload, Server, Events}),
    rule=_rule,
)
