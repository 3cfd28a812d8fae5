"""The state of a Job that was given up, and of a CronJob by its Jobs."""

from __future__ import annotations

from collections.abc import Callable

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, same_in_both
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Below, Conditions, Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)
StateOfJob = Callable[[Ref, Workload], State]


def judge_failed_job(ref: Ref, snap: Facts) -> State | None:
    """Return the state of a failed Job, with the controller's reason: nothing starts it again."""
    conditions = snap.one(Conditions, ref) if ref.kind == "Job" else None
    failed = conditions.get("Failed") if conditions else None
    if conditions is None or failed is None or failed.status != "True":
        return None
    says = same_in_both("Failed")
    if said := ": ".join(word for word in (failed.reason, failed.message) if word):
        says += say(": {said}", said=said)
    return add_headline(ref, "stuck", says, failed.since, (conditions,), word="Failed")


def judge_cron_job(ref: Ref, snap: Facts, state_of_job: StateOfJob) -> State | None:
    """Return the state of a CronJob's first stuck Job as its own; of failed Jobs only the newest one's.

    Without a stuck Job, it may wait for a running one. state_of_job: the state of a Job by its counts.
    """
    jobs = sorted(
        {snap.canon(r) for f in snap.of(Below, ref) if f.kind == "Job" for r in f.refs}, key=_run_key
    )
    for job in jobs:
        workload = snap.one(Workload, job)
        failed = judge_failed_job(job, snap) if job == jobs[-1] else None
        state = failed or (state_of_job(job, workload) if workload else None)
        if state and state.name == "stuck":
            skipped = _make_skipped_runs_state(ref, snap)
            says = state.headline + (
                say("; {skipped}", skipped=skipped.says) if skipped and skipped.says else NO_TEXT
            )
            return add_headline(
                ref,
                "stuck",
                says,
                state.since,
                unique((*state.evidence, *(skipped.evidence if skipped else ()))),
            )
    return _make_skipped_runs_state(ref, snap)


def _run_key(job: Ref) -> tuple[int, str]:
    """Sort a CronJob's Jobs by their scheduled minute, which is in the name (pkg/controller/cronjob/utils.go,
    1.21 on).
    """
    minute = (job.name or "").rpartition("-")[2]
    return int(minute) if minute.isascii() and minute.isdecimal() and len(minute) < 12 else 0, job.name or ""


def _make_skipped_runs_state(ref: Ref, snap: Facts) -> State | None:
    """Return the state of skipped runs, while an earlier run has not ended
    (pkg/controller/cronjob/cronjob_controllerv2.go).
    """
    for fact in snap.of(Events, ref):
        newest = fact.items[-1] if fact.items else None
        if newest and newest.reason == "JobAlreadyActive":
            says = say(
                "its runs are left out: an earlier one has not ended, and its concurrencyPolicy is Forbid"
            )
            # The policy is meant for a run that is a little longer than its period.
            return add_headline(ref, "stuck" if newest.count > 1 else "held", says, newest.first, (fact,))
    return None
