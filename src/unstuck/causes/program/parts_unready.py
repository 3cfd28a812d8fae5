"""None of the members that a program needs is ready

## How it happens

A volume without a healthy replica, a topic that wants more brokers than there are, a cluster without enough
members: the reporting program is healthy, and its dependencies are not.

## How to tell

A verdict on a number of parts in a line that is written as an error: `no healthy replica`, `not enough ready
members`, `Replication factor: 3 larger than available brokers: 1`.

## Known limits

The message does not give the reason why the parts are not ready: it is undecided among their own causes. It
is never more than likely.

## References

- Longhorn documentation "Volume states"; Kafka `InvalidReplicationFactorException`
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_FACTOR = "larger than available"


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("parts-unready",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    reason = c.reason.strip(" .")
    if _FACTOR in reason:
        means = say(
            "more copies are required than there are {parts}: “{reason}”", parts=c.resource, reason=reason
        )
        step = mend(say("lower the replication factor, or start as many {parts}", parts=c.resource))
        return make_finding(pod, one, means, (step,))
    means = (
        say("none of what {name} needs is ready: “{reason}”", name=c.name, reason=reason)
        if c.name
        else say("what it needs is not there or not ready: “{reason}”", reason=reason)
    ) + say("; the message does not say why")
    look = Step(
        say("see which of them there are, in which state, and on which Nodes"),
        command=command("kubectl get pods -A -o wide | grep -v -e Running -e Completed"),
    )
    step = mend(say("fix what keeps them from becoming ready: their own state and log show it"))
    return make_finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.parts-unready",
    title=say("none of the members that a program needs is ready"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
