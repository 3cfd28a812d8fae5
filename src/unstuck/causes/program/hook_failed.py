"""A Job that a chart runs as a hook failed

## How it happens

Charts run Jobs before or after an installation, an upgrade or a deletion: migrations, checks, certificates.
Helm waits for them, and ends with an error when one fails or is not done in time. The Job itself and the logs
of its Pods give the reason.

## How to tell

`failed pre-install: job NAME failed: BackoffLimitExceeded`, `pre-upgrade hooks failed: …`, `failed
post-install: timed out waiting for the condition`.

## Known limits

Its evidence is the message alone: it is never more than likely. They do not give the reason for the Job's
failure; a hook that deletes its Job takes its log with it.

## References

- Helm pkg/action/hooks.go, pkg/kube/client.go (waitForJob); Helm documentation: Chart Hooks
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.class_commands import jobs
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "hook-failed", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    listed = Step(
        say("check which Job is unfinished or failed, and its Pods"), command=jobs(c.namespace or None)
    )
    again = Step(say("fix what the log reports, delete the failed Job, and run Helm again"))
    if c.name:
        means = say(
            "Job {name}, which the chart runs as its {hook} hook, failed: {reason}",
            name=c.name,
            hook=c.verb,
            reason=c.reason.rpartition(": ")[2],
        )
        log = Step(
            say("read what it wrote"),
            command=command(
                "kubectl logs {job} {space}",
                job=given.obj("job", c.name),
                space=given.namespace(c.namespace or "NAMESPACE"),
            ),
        )
        return make_finding(text, one, means, (log, listed, again))
    means = say(
        "the {hook} hook of the chart, usually a Job, failed or did not finish in time: {reason}",
        hook=c.verb,
        reason=c.reason.rpartition(": ")[2],
    )
    return make_finding(text, one, means, (listed, again))


CAUSE = Cause(
    id="program.hook-failed",
    title=say("a Job that a chart runs as a hook failed"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
