"""A server answers that it is not ready yet

## How it happens

The program calls its server before that has started: the server listens already, loads its data or replays
its log, and sends every caller away. Or it is just ending. Programs that give up at once are started again,
and get through once the server is ready.

## How to tell

The server's own words, which reach its caller: PostgreSQL's `the database system is starting up` (or shutting
down, in recovery mode, not yet accepting connections), Redis' `LOADING …`, MySQL's `Server shutdown in
progress`, Kafka's `coordinator load in progress`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether the server became ready since is not
seen, nor the reason if it did not.

## References

- PostgreSQL src/backend/postmaster/postmaster.c (`canAcceptConnections`); Redis src/server.c
  (`shared.loadingerr`)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KEEP = DoNot(
    say("kill or recreate the server because it takes long"),
    say("it replays its log or loads its data, and would begin again from the start"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("server-not-ready",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint.reason
    means = say(
        (
            "a server is reached, and answers that it is not ready: {reason}; this usually passes without "
            "intervention"
        ),
        reason=said,
    )
    look = Step(
        say("see whether the server's Pod is ready by now; if not, its log says what it is still doing"),
        command=command("kubectl get pods -A -o wide"),
    )
    step = mend(
        say(
            "have the program try again until the server is ready, or start it only then (an init container "
            "that waits)"
        )
    )
    return make_finding(pod, one, means, (look, step), do_not=(_KEEP,))


CAUSE = Cause(
    id="program.server-not-ready",
    title=say("a server answers that it is not ready yet"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
