"""A controller has not processed an object: its status was never written

## How it happens

An object is created without any effect: no status, no Event, no error. The controller of its type does not
run, crashes at its start, may not read the type or the Namespace, watches other Namespaces, or belongs to
another class of the same type. The API server stores an object whether or not a controller looks at it.

## How to tell

The object has a spec and has had minutes, and its status is empty, while other objects of its type have one;
or the type offers a status and the workload that is tied to it by its name has no Ready Pod. The reason why
that workload does not run is reported instead, if it is known. For a HorizontalPodAutoscaler, a
PodDisruptionBudget, a Deployment and a Job kube-controller-manager writes the status at its first look. It
ignores a Job whose `spec.managedBy` names another controller: then that controller is searched for, by its
name and by the kinds of its API group.

## Known limits

Many types never get a status. If no object of the type has one and no evidence shows that its controller is
down, no cause is reported. The controller of a type is not recorded anywhere: it is known from the writer of
other objects' status, else from names and labels. The Namespaces that a program watches are known only if a
variable (`WATCH_NAMESPACE`) or an argument (`--watch-namespaces`) of its workload lists them. A Job's
external controller may run outside of this cluster. Of the log of a controller that runs, the last few
hundred lines are read, and a line that names the object and reports trouble is quoted.

## References

- kubernetes/community api-conventions.md, "Spec and Status"; Kubernetes documentation: Operator pattern
"""

from __future__ import annotations

from unstuck.causes.controller._down import see_why_down
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.aspects.objects import Deletion, Presence
from unstuck.facts.aspects.reported import ControllerLines, Reported, Switches, TypeStatus, Unlike
from unstuck.facts.core import Ref, Want, shorten
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.vocabulary.kinds import EMPTY_AT_FIRST, WRITTEN_BY_THE_MANAGER
from unstuck.stages.overdue import stays
from unstuck.stages.unwritten import (
    find_elsewhere,
    find_manager,
    find_stopped_controllers,
    is_expected,
    is_unwritten,
    list_wants_of_log,
)

say = Messages(__name__)
_SHOWN = 6
_QUOTED = 300


def _rule(subject: Ref, snap: Facts) -> Signs:
    empty = is_unwritten(subject, snap)
    if empty.value is False:
        return Signs(
            applies=Sign(False, seen=empty.seen), decisive={}, finding=lambda: _make_finding(subject, (), "")
        )
    # Ask the server for the expected status only for an object without one.
    lacks = all_of((empty, is_expected(subject, snap))) if empty.value else empty
    return Signs(
        applies=stays(subject, snap),
        necessary={"its status was never written, and one is written for objects of its type": lacks},
        # Only the controller itself knows how it handles the object.
        decisive={},
        supporting={"its status was never written, and one is written for objects of its type": lacks},
        finding=lambda: _add_log(
            _make_finding(subject, snap.of(TypeStatus, subject), find_manager(subject, snap)), subject, snap
        ),
    )


def _add_log(finding: Finding, subject: Ref, snap: Facts) -> Finding:
    """Return the finding with what the controller reports of the object in its log: then it works on the
    object.
    """
    facts = tuple(f for f in snap.of(ControllerLines, subject) if f.items)
    if not facts:
        return replace(finding, enrich=(*finding.enrich, *list_wants_of_log(subject, snap)))
    last = facts[0].items[-1]
    says = say(
        "the status of {subject} was never written: {controller} works on it, and reports in its log "
        "“{line}”",
        subject=who(subject),
        controller=who(last.by),
        line=shorten(last.line, _QUOTED),
    )
    fix = Step(
        say("correct in {subject} what this line is about", subject=who(subject)),
        where="source",
        verify=say("{subject} gets a status automatically", subject=who(subject)),
    )
    logs = tuple(step for step in finding.help if step.command.argv[:2] == ("kubectl", "logs"))
    return Finding(says, subject, (), help=(fix, *logs), seen=(*finding.seen, *facts))


def _make_finding(subject: Ref, told: tuple[TypeStatus, ...], manager: str) -> Finding:
    fact = told[0] if told else None
    if manager:
        return _make_finding_of_managed(subject, fact, manager)
    if fact and (elsewhere := find_elsewhere(subject, fact)):
        return _make_finding_of_elsewhere(subject, fact, elsewhere)
    down = find_stopped_controllers(fact) if fact else ()
    runs = tuple(c for c in fact.controllers if c.ready) if fact else ()
    notes = (
        (
            say(
                "{written} of {others} others of its type have a status",
                written=fact.written,
                others=fact.others,
            ),
        )
        if fact
        else ()
    )
    others = tuple(say("{controller} runs, and may be its controller", controller=who(c.ref)) for c in runs)
    unlike = fact.unlike if fact and not down else ()
    return Finding(
        say(
            (
                "the status of {subject} was never written: {controller}, which its type is tied to, has no "
                "Ready Pod"
            ),
            subject=who(subject),
            controller=who(down[0].ref),
        )
        if down
        else say(
            "the status of {subject} was never written: its controller has not looked at it",
            subject=who(subject),
        )
        + _tell_unlike(unlike),
        culprit=down[0].ref if down else subject,
        blocks=(subject,),
        notes=(*notes, *others),
        help=(*_liken(subject, unlike), *_help(subject, (*down, *runs))),
        do_not=(
            DoNot(
                say("delete the object and create it again"),
                say("a controller that is not looking does not look at the next one either"),
            ),
        ),
    )


def _tell_unlike(unlike: tuple[Unlike, ...]) -> Text:
    """Return its differences from the objects of its type that have a status."""
    told = NO_TEXT
    for one in unlike:
        theirs = list_names(one.theirs)
        told += (
            say(
                '; its {field} is "{own}", and that of those with a status is {theirs}',
                field=one.field,
                own=one.own,
                theirs=theirs,
            )
            if one.own
            else say(
                "; it has no {field}, and that of those with a status is {theirs}",
                field=one.field,
                theirs=theirs,
            )
        )
    return told


def _liken(subject: Ref, unlike: tuple[Unlike, ...]) -> tuple[Step, ...]:
    """Return the change of the only field that differs; with several the decisive one is unknown."""
    if len(unlike) != 1:
        return ()
    return (
        Step(
            say(
                "set {field} of {subject} to {value}, as in {other}, if the same controller should handle it",
                field=unlike[0].field,
                subject=who(subject),
                value=list_names(unlike[0].theirs),
                other=who(unlike[0].of),
            ),
            where="source",
            verify=say("{subject} gets a status automatically", subject=who(subject)),
        ),
    )


def _make_finding_of_elsewhere(subject: Ref, fact: TypeStatus, controller: Candidate) -> Finding:
    """Return that its controller is set up for other Namespaces."""
    watched = list_names(controller.watched[:_SHOWN])
    return Finding(
        say(
            "no controller handles {subject}: {controller}, the controller of its type, runs but watches "
            "only {n:Namespace|Namespaces} {watched} ({by}), and this one is in {within}",
            subject=who(subject),
            controller=who(controller.ref),
            n=len(controller.watched),
            watched=watched,
            by=controller.watched_by,
            within=subject.within,
        ),
        culprit=controller.ref,
        blocks=(subject,),
        notes=(
            say(
                "{written} of {others} others of its type have a status",
                written=fact.written,
                others=fact.others,
            ),
        ),
        help=(
            Step(
                say(
                    "add {within} to {by} of {controller}, with the rights that it needs there (a "
                    "RoleBinding), or create the object in a Namespace that is watched",
                    within=subject.within,
                    by=controller.watched_by,
                    controller=who(controller.ref),
                ),
                where="source",
                verify=say("{subject} gets a status automatically", subject=who(subject)),
            ),
        ),
        do_not=(
            DoNot(
                say("restart {controller}", controller=who(controller.ref)),
                say("it would start with the same Namespaces"),
            ),
        ),
    )


def _make_finding_of_managed(subject: Ref, fact: TypeStatus | None, manager: str) -> Finding:
    """Return the finding about a Job's external controller, if that was found."""
    down = find_stopped_controllers(fact) if fact else ()
    runs = tuple(c for c in fact.controllers if c.ready) if fact else ()
    says = say(
        (
            "no controller handles {subject}: spec.managedBy assigns it to {manager}, so Kubernetes' own "
            "Job controller ignores it"
        ),
        subject=who(subject),
        manager=manager,
    )
    if down:
        says += say(", and {controller}, which has its name, has no Ready Pod", controller=who(down[0].ref))
    elif fact and fact.whole and not runs:
        says += say(", and no workload here has that name")
    domain = manager.partition("/")[0]
    absent = (
        (say("the server has no kinds of {group}: that controller is not installed", group=domain),)
        if fact and fact.grouped is False
        else ()
    )
    others = tuple(say("{controller} runs, and may be its controller", controller=who(c.ref)) for c in runs)
    written = say("{subject} gets a status automatically", subject=who(subject))
    return Finding(
        says,
        culprit=down[0].ref if down else subject,
        blocks=(subject,),
        notes=(*absent, *others),
        help=(
            *(_help(subject, (*down, *runs)) if down or runs else ()),
            Step(
                say(
                    "install and configure the controller {manager}, if it should handle this Job",
                    manager=manager,
                ),
                where="source",
            ),
            Step(
                say(
                    "or delete the Job and create it without spec.managedBy, which cannot be changed: it "
                    "has no Pods that this stops"
                ),
                where="source",
                risk="reversible",
                verify=written,
            ),
        ),
        enrich=() if fact else (Want(TypeStatus, subject),),
    )


def _help(subject: Ref, controllers: tuple[Candidate, ...]) -> tuple[Step, ...]:
    written = say("{subject} gets a status automatically", subject=who(subject))
    if subject.kind in (*WRITTEN_BY_THE_MANAGER, *EMPTY_AT_FIRST) and not controllers:
        return (
            Step(
                say("see whether kube-controller-manager, which works on this kind, renews its Lease"),
                command=command("kubectl get lease kube-controller-manager -n kube-system -o yaml"),
                verify=written,
            ),
        )
    if not controllers:
        return (
            Step(
                say(
                    "find out which program works on this type, and whether it is running "
                    "and watches this Namespace"
                ),
                command=command("kubectl get deploy,sts,ds -A"),
                verify=written,
            ),
        )
    first = controllers[0].ref
    if controllers[0].ready:
        return (
            Step(
                say("see what {controller} says in its log of this object or type", controller=who(first)),
                command=command(
                    "kubectl logs {controller} {space} --all-containers",
                    controller=given.of(first),
                    space=given.space(first),
                ),
                verify=written,
            ),
        )
    return (see_why_down(first, written),)


CAUSE = Cause(
    id="controller.status-unwritten",
    title=say("a controller has not processed an object"),
    subjects=("*",),
    reads=frozenset({ControllerLines, Reported, Switches, TypeStatus, Presence, Deletion}),
    rule=_rule,
    fallback=True,
)
