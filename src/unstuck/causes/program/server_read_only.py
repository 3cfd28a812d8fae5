"""A program writes to a server that is read-only

## How it happens

In a replicated database one server takes writes. The program's address leads to a replica: a Service that
selects all Pods of the set, or the former primary after a failover. Or the server was set read-only.

## How to tell

`READONLY You can't write against a read only replica`, MySQL's `running with the --read-only option`, `cannot
execute INSERT in a read-only transaction`, `NotWritablePrimary`.

## Known limits

Its evidence is the message alone: it is never more than likely. Which server is the primary now is not seen.

## References

- Redis src/server.c; MySQL documentation: read_only; PostgreSQL documentation: Hot Standby; MongoDB error
  codes
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


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("server-read-only",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    means = say(
        "it writes to a replica, or to a server that was made read-only: {reason}",
        reason=one.complaint.reason,
    )
    look = Step(
        say("check the endpoints of the Service that it writes to"),
        command=command("kubectl get endpointslices -A -o wide"),
    )
    step = mend(
        say(
            "write to the address of the primary (the chart's or operator's Service for it, or a client that "
            "follows it: Sentinel, replicaSet=, target_session_attrs=read-write); where the primary itself "
            "is read-only, see why it was set so"
        )
    )
    return make_finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.server-read-only",
    title=say("a program writes to a server that is read-only"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
