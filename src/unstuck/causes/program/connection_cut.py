"""The other side closes an established connection

## How it happens

The connection was made, and the server, or a hop between, ended it before the answer came: the server crashed
or was restarted, it takes another protocol (TLS or none), a proxy or load balancer closed it as idle, or a
limit of connections is reached.

## How to tell

`connection reset by peer`, `socket hang up`, `server closed the connection unexpectedly`, `Lost connection to
MySQL server`, `transport is closing`, `unexpected EOF` and the like in a line that is written as an error.

## Known limits

The message is common to many causes: in a text it stays possible. The server's log of that moment decides.

## References

- Linux errno(3), ECONNRESET, EPIPE; PostgreSQL libpq fe-misc.c; MySQL documentation "Lost connection to MySQL
  server"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    make_finding,
    write_address,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.class_commands import pods_by_restarts
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("connection-cut",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    server = write_address(one.complaint)
    means = (
        say("{server} closed an established connection; its own log says why", server=server)
        if server
        else say("the other side closed an established connection; its own log says why")
    )
    look = Step(
        say("check whether the server's Pods were restarted at that time, and what they logged last"),
        command=pods_by_restarts(),
    )
    step = mend(
        say(
            "if the server ended, fix the reason; if it is running, check that both sides use the same "
            "protocol (TLS or none), that the client's idle timeout is shorter than that of each hop in "
            "between, and the server's connection limit"
        )
    )
    return make_finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.connection-cut",
    title=say("the other side closes an established connection"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
