"""The program ends because a file that it needs is not there

## How it happens

The program opens a file that it needs, finds none, and gives up: the path in its settings is misspelled, a
volume is mounted elsewhere or over the directory, a ConfigMap or Secret has the key under another name, a
build stage did not copy the file, or an init container did not write it.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `No such file or
directory`, `ENOENT` or `FileNotFoundException`, usually with the path.

## Known limits

Of a path in a ConfigMap or Secret that is mounted whole, the keys are compared, and the nearest is named; a
path in the image, or below `items`, is not looked at. It stays likely.

## References

- Linux errno(3), ENOENT
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_mounts, make_plain_signs, mend
from unstuck.causes.program._socket import find_socket, look_for_listener
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("file-missing",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    path = one.complaint.path
    if path and find_socket(one.complaint.line) == path:
        return _make_socket_finding(pod, one, path)
    means = say("{path} is not there", path=path) if path else say("a file that it needs is not there")
    step = mend(say("correct the path, or mount the file or build it into the image"))
    return make_finding(pod, one, means, (look_at_mounts(pod), step))


def _make_socket_finding(pod: Ref, one: ProgramMessage, path: str) -> Finding:
    """Return the finding for a socket: only its listening program creates it."""
    means = say(
        "socket {path} is not there: the program that listens at it, and makes it, does not run", path=path
    )
    step = mend(
        say(
            "bring up the program that listens there: its own log says what keeps it; if it runs, let both "
            "take the same path, in a volume that both mount"
        )
    )
    return make_finding(pod, one, means, (look_for_listener(pod), step))


CAUSE = Cause(
    id="program.file-missing",
    title=say("the program ends because a file that it needs is not there"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
