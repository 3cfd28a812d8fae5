"""Says of a fault in a Job's Pod that the Job has ended for good, and by which rule."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.objects import Conditions, Owners
from unstuck.facts.core import Ref
from unstuck.facts.record import replace
from unstuck.facts.regex import regex
from unstuck.facts.snapshot import Snapshot

say = Messages(__name__)

# pkg/controller/job/pod_failure_policy.go: `… matching FailJob rule at index 0`.
_RULE = regex(r"\bmatching \w{1,20} rule at index (?P<index>\d{1,3})")
_OF_PODS = ("container.", "program.")
_POLICY = "PodFailurePolicy"


def tell_ended_jobs(told: Sequence[CauseMatch], subject: Ref, snap: Snapshot) -> tuple[CauseMatch, ...]:
    """Return the causes; a root in a Pod whose Job was ended by its podFailurePolicy names the rule."""
    return tuple(
        _tell(one, *found)
        if one.consequence_of is None
        and one.id.startswith(_OF_PODS)
        and (found := _find_rule(snap.canon(one.via or subject), snap))
        else one
        for one in told
    )


def _find_rule(pod: Ref, snap: Snapshot) -> tuple[Ref, Text] | None:
    """Return the Job that was ended, and the clause that says so."""
    if pod.kind not in ("Pod", "Job"):
        return None
    owners = (snap.canon(f.controller) for f in snap.of(Owners, pod) if f.controller)
    for job in (r for r in (pod, *owners) if r.kind == "Job"):
        for c in (c for f in snap.of(Conditions, job) for c in f.items):
            if c.type == "Failed" and c.status == "True" and c.reason == _POLICY:
                rule = _RULE.search(c.message)
                where = f"spec.podFailurePolicy.rules[{rule['index']}]" if rule else "spec.podFailurePolicy"
                return job, say(
                    "; {job} was ended for that by {where} ({reason})",
                    job=who(job),
                    where=where,
                    reason=_POLICY,
                )
    return None


def _tell(one: CauseMatch, job: Ref, clause: Text) -> CauseMatch:
    again = Step(
        say("create {job} again once that is fixed: a Job that has failed does not run again", job=who(job)),
        where="source",
    )
    finding = one.finding
    return replace(one, finding=replace(finding, says=finding.says + clause, help=(*finding.help, again)))
