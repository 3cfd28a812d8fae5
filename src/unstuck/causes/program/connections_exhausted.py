"""A server accepts no more connections

## How it happens

A database gives each client a connection and has a limit: max_connections, max_clients. More Pods, larger
pools in each, or a program that leaks connections use them up. New clients are then refused, including probes
and operators.

## How to tell

`sorry, too many clients already`, `remaining connection slots are reserved`, `Too many connections`, `max
number of clients reached`, `no more connections allowed`.

## Known limits

Its evidence is the message alone: it is never more than likely. The holders of the connections are not seen.

## References

- PostgreSQL documentation: max_connections; MySQL: ER_CON_COUNT_ERROR (1040); Redis: maxclients; PgBouncer:
  max_client_conn
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_RESTART = DoNot(
    say("restart the database again and again"),
    say("its clients reconnect all at once, and their unfinished work is lost"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("connections-exhausted",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    means = say("the server accepts no more connections: {reason}", reason=one.complaint.reason)
    look = Step(
        say(
            "on the server, see who holds them: PostgreSQL pg_stat_activity by usename and client_addr, "
            "MySQL SHOW PROCESSLIST, Redis CLIENT LIST"
        )
    )
    step = mend(
        say(
            "make the sum of all clients' pools (Pods times pool size) smaller than the server's limit, put "
            "a pooler in between, or raise the limit together with the server's memory"
        )
    )
    return make_finding(pod, one, means, (look, step), do_not=(_RESTART,))


CAUSE = Cause(
    id="program.connections-exhausted",
    title=say("a server accepts no more connections"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
