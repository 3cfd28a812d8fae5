"""The program ends because it finds a directory in place of a file

## How it happens

The program opens a file and finds a directory: `subPath` names a key that the ConfigMap or Secret does not
have, so the kubelet makes an empty directory of that name; a missing hostPath was created as a directory; or
a setting names the directory and not the file in it.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `Is a directory` or
`EISDIR`.

## Known limits

The names in the message are not looked up: it stays likely.

## References

- Linux errno(3), EISDIR; documentation "Volumes", subPath
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("path-is-directory",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    path = one.complaint.path
    means = (
        say("{path} is a directory, not the file it expects", path=path)
        if path
        else say("it finds a directory in place of a file")
    )
    step = mend(say("compare subPath with the keys of the ConfigMap or Secret"))
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.path-is-directory",
    title=say("the program ends because it finds a directory in place of a file"),
    subjects=("Pod",),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
