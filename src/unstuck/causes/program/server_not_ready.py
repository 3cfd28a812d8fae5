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

In the server's own log the same message is not a client's trouble: there its recovery is the finding. If the
server is killed before it is ready, the reason is not in its log.

Its evidence is the message alone: it is never more than likely. Whether the server became ready since is not
seen, nor the reason if it did not.

## References

- PostgreSQL src/backend/postmaster/postmaster.c (`canAcceptConnections`); Redis src/server.c
  (`shared.loadingerr`)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.wording.program.own_start import find_recovery

say = Messages(__name__)

_KEEP = DoNot(
    say("kill or recreate the server because it takes a long time"),
    say("it is replaying its log or loading its data, and would start over"),
)
_SEE_END = Step(
    say("see in its Pod's Last State and events whether a probe, a lack of memory or an eviction ends it"),
    command=command("kubectl get events -A --field-selector=reason=Killing"),
)
_GIVE_TIME = mend(
    say(
        "if a liveness probe ends it: give it a startupProbe that allows for the recovery, and a termination "
        "grace period in which it can shut down properly"
    )
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("server-not-ready",), lambda one: _make_finding(pod, one))


def _is_own_log(one: ProgramMessage) -> bool:
    return bool(find_recovery((f"LOG: {one.complaint.detail}",)))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    if _is_own_log(one):
        return make_finding(
            pod,
            one,
            say(
                "the server's own log: it was not shut down properly and recovers, and sends its callers "
                "away until that is done: {recovery}; whether something ends it before, as a liveness probe "
                "does, is not in this log",
                recovery=one.complaint.detail,
            ),
            (_SEE_END, _GIVE_TIME),
            do_not=(_KEEP,),
        )
    said = one.complaint.reason
    means = say(
        (
            "a server is reachable, but answers that it is not ready: {reason}; this usually passes "
            "without intervention"
        ),
        reason=said,
    )
    look = Step(
        say("check whether the server's Pod is ready by now; if not, its log says what it is still doing"),
        command=command("kubectl get pods -A -o wide"),
    )
    step = mend(
        say(
            "let the program retry until the server is ready, or start it only then (an init container "
            "that waits)"
        )
    )
    return make_finding(pod, one, means, (look, step), do_not=(_KEEP,))


CAUSE = Cause(
    id="program.server-not-ready",
    title=say("a server answers that it is not ready yet"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
