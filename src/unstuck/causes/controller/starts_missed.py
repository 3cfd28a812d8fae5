"""A CronJob missed so many starts that its controller gives up

## How it happens

The controller counts the scheduled times of a CronJob since its last start. With more than 100 it starts
none, for the clock may be wrong. They accumulate while the cluster is down, the CronJob is suspended, or the
clock jumps.

## How to tell

Its Event, or the controller's log, has `too many missed start times. Set or decrease
.spec.startingDeadlineSeconds or check clock skew`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen. From
1.21 on the controller starts the last one all the same, and this is a warning.

## References

- pkg/controller/cronjob/utils.go; Kubernetes documentation: CronJob, "Job creation"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, same_in_both, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# The number in the controller's source, if the message has none.
_MANY = 100


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "starts-missed", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    many = one.complaint.at or _MANY
    said = one.complaint
    job = Ref("CronJob", said.namespace, said.name) if said.name else None
    name = same_in_both(who(job)) if job else say("this CronJob")
    means = say(
        "The CronJob controller no longer starts {name}: more than {many} of its starts were missed since "
        "the last one",
        name=name,
        many=many,
    )
    look = Step(
        say("see its schedule, when it last started, and whether it is suspended"),
        command=command("kubectl get {job} {space}", job=given.of(job), space=given.space(job))
        if job
        else command("kubectl get cronjobs -A"),
    )
    set_ = Step(
        say(
            "set spec.startingDeadlineSeconds (a few minutes), so that only starts within it count as missed"
        ),
        where="source",
        verify=say("the controller makes a Job at the next time of its schedule"),
    )
    clock = Step(say("where the clocks of the control plane are wrong, set them first"))
    return make_finding(text, one, means, (look, set_, clock))


CAUSE = Cause(
    id="controller.starts-missed",
    title=say("a CronJob missed so many starts that its controller gives up"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
