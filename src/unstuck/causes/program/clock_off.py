"""The clocks of two machines differ by more than one of them accepts

## How it happens

A signed request or a token holds the time at which it was made, and the other side accepts a few minutes of
difference. The clock of the Node, or that of the server, is wrong: no time synchronization is running, its
servers are not reached, or a virtual machine was paused and resumed.

## How to tell

`RequestTimeTooSkewed`, `Signature expired: … is now earlier than …`, `Token used before issued`, etcd's
`clock difference against peer … is too high`.

## Known limits

Its evidence is the message alone: it is never more than likely. Which of the two clocks is wrong, the text
does not say.

## References

- Amazon S3 API reference, Error responses; AWS Signature Version 4; etcd rafthttp/probing_status.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_PEER = "against peer"
_KEYS = DoNot(
    say("replace the access keys or tokens first"),
    say("new ones are refused as well while the clocks differ"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("clock-off",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    if _PEER in said.reason:
        means = say(
            "the clocks of this member and of {peer} differ: “{reason}”", peer=said.name, reason=said.reason
        )
    else:
        means = say(
            "the clock of the node on which it runs and that of the server differ by more than the server "
            "accepts: one of the two is wrong"
        )
    look = Step(
        say("on both machines: compare the time, and see whether it is synchronized"),
        command=command("sh -c 'date -u; timedatectl; chronyc tracking'"),
    )
    fix = Step(
        say(
            "on the machine whose clock is wrong: run chrony or systemd-timesyncd, and check that it "
            "reaches its servers on UDP 123"
        ),
        verify=say("timedatectl shows the clock as synchronized, and the next request is accepted"),
    )
    return make_finding(pod, one, means, (look, fix), do_not=() if _PEER in said.reason else (_KEYS,))


CAUSE = Cause(
    id="program.clock-off",
    title=say("the clocks of two machines differ by more than one of them accepts"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
