"""An object is on hold, and the object that should release it is not working

## How it happens

A workload is scaled to 0 each evening by a CronJob and up again by another, or by an autoscaler once there is
work; a release is suspended for a window that a schedule ends. The object itself waits as configured. Its
schedule was suspended for a holiday and never resumed, was deleted, or fails at its own runs; its scaler
cannot reach its metric source.

## How to tell

The object has a field that stops it. Beside it is the object that decides on that: it targets this one by a
reference, names it in the command of a CronJob, or is named by an annotation. That one is suspended, missing
or not well itself, and no other one is known to start the object again.

## Known limits

The intent cannot be seen: a schedule may have been suspended to keep the object stopped. A scaler outside of
the Namespace that no annotation names is not found. Only `--replicas` of a command is read.

## References

- Kubernetes documentation: CronJob, "Schedule suspension"; Horizontal Pod Autoscaling, "Implicit
  maintenance-mode deactivation"; keda.sh
"""

from __future__ import annotations

from unstuck.causes._scaling import scale_up
from unstuck.diagnosis import asking, given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.deciders import Deciders
from unstuck.facts.aspects.objects import (
    Below,
    Conditions,
    Deletion,
    Events,
    Labels,
    Owners,
    Phase,
    Presence,
    Touches,
)
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.reported import Remarks, Reported, Switches
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.hold import find_hold
from unstuck.stages.lifting import BrokenLifter, find_broken_lifters, find_hold_field
from unstuck.stages.overdue import stays
from unstuck.stages.state import judge_state_unheld

say = Messages(__name__)
_SCALED = ("Deployment", "StatefulSet", "ReplicationController")


def _rule(subject: Ref, snap: Facts) -> Signs:
    field = find_hold_field(subject, snap)
    held = field and find_hold(subject, snap)
    broken = (
        _find_broken(subject, field, snap)
        if held
        else Sign[BrokenLifter](False, seen=snap.of(Switches, subject))
    )
    return Signs(
        applies=stays(subject, snap),
        necessary={"a field of it stops it, and what is to let it go does not work": broken},
        # No field records the intent.
        decisive={},
        supporting={"a field of it stops it, and what is to let it go does not work": broken},
        finding=lambda: _make_finding(subject, field, broken.hits[0]),
    )


def _find_broken(subject: Ref, field: str, snap: Facts) -> Sign[BrokenLifter]:
    facts = snap.of(Deciders, subject)
    if not facts:
        return Sign(None, wants=(Want(Deciders, subject),))
    broken = find_broken_lifters(subject, field, snap, lambda other: judge_state_unheld(other, snap, None))
    seen = (*facts, *(f for one in broken for f in one.evidence))
    return (
        Sign(True, broken, seen)
        if broken
        else Sign(False if any(f.whole for f in facts) else None, seen=facts)
    )


def _make_finding(subject: Ref, field: str, one: BrokenLifter) -> Finding:
    lifter, suspended = one.decider.ref, one.suspended
    return Finding(
        say(
            "{subject} is stopped by {field}, and {lifter}, which should end that, ",
            subject=who(subject),
            field=field,
            lifter=who(lifter),
        )
        + one.why,
        culprit=lifter,
        blocks=(subject,),
        notes=(say("{lifter} is named by {field}", lifter=who(lifter), field=one.decider.field),)
        if one.decider.field.startswith("metadata.")
        else (),
        help=fitting(
            Remedy(
                suspended,
                Step(
                    say(
                        "let {lifter} go on, once it is clear that it was not suspended "
                        "to keep {subject} stopped",
                        lifter=who(lifter),
                        subject=who(subject),
                    ),
                    command=command(
                        """kubectl patch {lifter} {space} -p '{"spec":{"suspend":false}}'""",
                        lifter=given.of(lifter),
                        space=given.space(lifter),
                    ),
                    risk="reversible",
                    undo=command(
                        """kubectl patch {lifter} {space} -p '{"spec":{"suspend":true}}'""",
                        lifter=given.of(lifter),
                        space=given.space(lifter),
                    ),
                    verify=say("it runs at its next time, and {subject} goes on", subject=who(subject)),
                ),
            ),
            Remedy(
                not suspended,
                Step(
                    say("see what {lifter} says of itself, and who is behind it", lifter=who(lifter)),
                    command=asking.describe(lifter),
                    verify=say("once that works again, {subject} continues", subject=who(subject)),
                ),
            ),
            Remedy(
                field == "spec.replicas" and subject.kind in _SCALED,
                scale_up(
                    subject,
                    one.decider.replicas or 1,
                    say("scale {subject} up by hand, if it is needed before that", subject=who(subject)),
                    say("its Pods come up"),
                ),
            ),
        ),
        do_not=(
            DoNot(
                say("delete {subject} and create it again", subject=who(subject)),
                say("what is to let it go does not work for the new one either"),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.hold-without-end",
    title=say("an object is on hold, and the object that should release it is not working"),
    subjects=("*",),
    reads=frozenset(
        {
            *(Switches, Deciders, Deletion, Presence, Workload, Conditions, Reported, Touches, Owners, Below),
            *(Events, Labels, Phase, References, Remarks),
        }
    ),
    rule=_rule,
    fallback=True,
)
