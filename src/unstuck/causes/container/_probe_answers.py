"""The meaning of a failed probe's answer, and its fix: the program's own status, or none in time.

Source: pkg/kubelet/prober and pkg/probe/http/http.go (a status from 200 to 399 is a success); RFC 9110
section 15.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Handler
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

# The default failureThreshold: so often in a row a probe fails before the kubelet acts.
AGAIN = 3
_LATE: tuple[ErrorWord, ...] = ("timeout", "deadline-exceeded")
# Go net/http (transport.go, TLSHandshakeTimeout): the client's own ten seconds, regardless of timeoutSeconds.
_NO_HANDSHAKE = "TLS handshake timeout"
_NO_LOGIN = say(
    "probe a path that needs no login, or have the probe send the credentials (httpGet.httpHeaders)"
)


@record()
class AnswerMeaning(Record):
    """An answer's meaning and its fix.

    settled: the program is up and its answer stays the same until a change. symptom: only the program's log
    gives the reason for the answer.
    """

    says: Text
    mend: Text
    settled: bool = False
    symptom: bool = False


def find_meaning(failure: Failure, handler: Handler | None) -> AnswerMeaning | None:
    """Return the meaning of the probe's answer; None if it reports only the failure. handler: the probe, if
    its spec was seen.
    """
    if failure.error == "http-status" and (failure.key or "").isdecimal():
        return _explain_status(int(failure.key or "0"))
    if failure.error in _LATE and _NO_HANDSHAKE in failure.message:
        return AnswerMeaning(
            say(
                "its port takes the connection and completes no TLS handshake: it does not speak TLS there, "
                "or is too busy to answer"
            ),
            say(
                "query the port by hand, with https:// and with http://: if only http answers, set the "
                "probe's scheme to HTTP, or enable TLS in the program; otherwise fix what keeps it busy"
            ),
        )
    if failure.error in _LATE:
        return _explain_silence(handler)
    return None


def _explain_status(status: int) -> AnswerMeaning | None:
    if status in (401, 403, 407):
        return AnswerMeaning(
            say("the program answers, and wants a login for that path ({status})", status=status),
            _NO_LOGIN,
            settled=True,
        )
    if status in (404, 410):
        missing = say("the program answers, and has no such path ({status})", status=status)
        return AnswerMeaning(
            missing,
            say("set the probe's path to a path that the program serves, or have the program serve this one"),
            settled=True,
        )
    if 400 <= status < 500:
        unfit = say("the program answers, and does not accept such a request ({status})", status=status)
        mend = say(
            "have the probe ask as the program expects: its scheme, path, port, and a Host "
            "header in httpGet.httpHeaders"
        )
        return AnswerMeaning(unfit, mend, settled=True)
    if status >= 500:
        ill = say("the program answers that it is unhealthy ({status})", status=status)
        mend = say(
            "fix what its log says it lacks or waits for; raise the probe's limits only "
            "if it merely starts slowly"
        )
        return AnswerMeaning(ill, mend, symptom=True)
    return None


def _explain_silence(handler: Handler | None) -> AnswerMeaning:
    says = say("no answer comes within its timeoutSeconds")
    if handler is not None:
        says = say("no answer comes within its timeoutSeconds of {timeout} s", timeout=handler.timeout)
    mend = say(
        "if the program is healthy and merely slow, raise the probe's timeoutSeconds; otherwise fix what "
        "makes it slow or hang"
    )
    return AnswerMeaning(says, mend)


def find_telling_answers(pod: Ref, snap: Facts, probe: str) -> Sign[Failure]:
    """Find the answers to this probe (`liveness`, `startup`, `readiness`) that explain its failure alone.

    These are settled ones, and repeated silence: a starting program is silent, too.
    """

    def tells(f: Failure) -> list[Failure]:
        found = find_meaning(f, None) if f.operation == f"probe-{probe}" else None
        return [f] if found and not found.symptom and (found.settled or f.count >= AGAIN) else []

    return hearsay(snap, Failure, pod, tells)


def explain_answer(said: Sequence[Failure]) -> tuple[Text, ...]:
    """Return the meaning of a probe's latest answer and its fix, while it is open whether the failure
    persists.
    """
    meaning = find_meaning(said[-1], None) if said else None
    return (meaning.says, meaning.mend) if meaning else ()


def find_latest_answer(pod: Ref, snap: Facts, container: str | None, probe: str) -> Failure | None:
    """Return the latest answer that the kubelet reports of this probe; None if it reports none."""
    told = [
        f
        for f in snap.of(Failure, pod)
        if f.operation == f"probe-{probe}" and f.error != "killed" and f.container in (container, None)
    ]
    return max(told, key=lambda f: (f.src.order, f.message), default=None)
