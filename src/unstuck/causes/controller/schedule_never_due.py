"""A CronJob's schedule is never due: no date fits it

## How it happens

The five fields of a schedule are each valid, and together they name a day that no calendar has: the 30th of
February, the 31st of April. kube-apiserver checks the fields one by one and accepts it. The controller finds
no next time within five years and creates no Job.

## How to tell

Its schedule is read as the controller reads it, and the days of the months that it names are compared with
the calendar. The controller may also warn of it in an Event, InvalidSchedule.

## Known limits

The intended date is not visible. A day of the week beside a day of the month makes a schedule due on either;
a schedule that needs both cannot be written, and is not looked for.

## References

- github.com/robfig/cron v3 spec.go, SpecSchedule.Next; kubernetes pkg/controller/cronjob/utils.go
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.due import Due
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.due import find_dead_schedule
from unstuck.stages.overdue import stays

say = Messages(__name__)


def _rule(job: Ref, snap: Facts) -> Signs:
    dead = find_dead_schedule(job, snap)
    return Signs(
        applies=stays(job, snap),
        decisive={"no date fits its schedule": dead},
        finding=lambda: _make_finding(job, dead.hits[0].schedule),
    )


def _make_finding(job: Ref, schedule: str) -> Finding:
    return Finding(
        say(
            "no date fits the schedule {schedule} of {job}: none of the months that it names has such a day",
            schedule=schedule,
            job=who(job),
        ),
        culprit=job,
        blocks=(job,),
        help=(
            Step(
                say(
                    "correct the day or the month in spec.schedule; for the end of each month, write day 28, "
                    "or day 1 of the next month"
                ),
                where="source",
                verify=say("unstuck shows when its next run is due"),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.schedule-never-due",
    title=say("a CronJob's schedule is never due"),
    subjects=("CronJob",),
    reads=frozenset({Due, Deletion}),
    rule=_rule,
)
