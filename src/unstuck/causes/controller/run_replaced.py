"""Each run of a CronJob is replaced before it finishes

## How it happens

With concurrencyPolicy Replace the controller deletes the active Job when the next run is due. A run that
takes longer than the time between two runs is never finished, and nothing fails: there is always a Job that
runs.

## How to tell

The CronJob has an active Job and no success for more than three of its periods (`status.lastSuccessfulTime`,
or its creation). The controller's Events alternate between `SuccessfulDelete` and `SuccessfulCreate`.

## Known limits

Runs that fail shortly before the next one look alike: it is never more than likely. How long a run would take
is not known.

## References

- pkg/controller/cronjob/cronjob_controllerv2.go (ReplaceConcurrent); Kubernetes documentation: CronJob,
  Concurrency policy
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.due import Due
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.due import find_replaced_runs
from unstuck.stages.overdue import stays

say = Messages(__name__)


def _rule(job: Ref, snap: Facts) -> Signs:
    replaced = find_replaced_runs(job, snap)
    return Signs(
        applies=stays(job, snap),
        necessary={"one is active, and none has succeeded for three periods": replaced},
        decisive={},
        supporting={"the next one replaces it": replaced},
        finding=lambda: _make_finding(job, replaced.hits[0].schedule),
    )


def _make_finding(job: Ref, schedule: str) -> Finding:
    return Finding(
        say(
            "each run of {job} is replaced by the next before it is done: a run takes longer than the time "
            "between two runs of schedule {schedule}, and concurrencyPolicy is Replace",
            job=who(job),
            schedule=schedule,
        ),
        culprit=job,
        blocks=(job,),
        help=(
            Step(
                say("check the Jobs: how far the active one gets, and what takes it so long"),
                command=command("kubectl get jobs {space}", space=given.space(job)),
            ),
            Step(
                say(
                    "let more time pass between two runs (spec.schedule), make a run shorter, or set "
                    "concurrencyPolicy to Forbid, which leaves out runs instead"
                ),
                where="source",
                verify=say("status.lastSuccessfulTime is set by the end of the next run"),
            ),
        ),
        do_not=(
            DoNot(
                say("set concurrencyPolicy to Allow without knowing that two runs may work side by side"),
                say("runs that take longer than their period pile up"),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.run-replaced",
    title=say("each run of a CronJob is replaced before it finishes"),
    subjects=("CronJob",),
    reads=frozenset({Due, Deletion}),
    rule=_rule,
)
