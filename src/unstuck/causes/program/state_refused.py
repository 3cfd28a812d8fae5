"""Something that a program uses is sealed, disabled, paused or locked

## How it happens

The server exists, but is in a state in which it serves no client: a Vault that was restarted and waits for
its keys, a feature that is not enabled, a queue that is paused, a store in maintenance.

## How to tell

A thing and its state in a line that is written as an error: `Vault is sealed`, `feature "x" is not enabled`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- Vault documentation "Seal/Unseal"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SEALED, _INITIAL = "sealed", "nitiali"
_OFF = ("disabled", "not enabled")
_LEAVING = ("being deleted", "terminating")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("state-refused",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    what = f"{c.resource} {c.name}".strip()
    means = say("{what} is {state}, and serves no client until that changes", what=what, state=c.verb)
    return make_finding(pod, one, means, (mend(_advise(what, c.verb)),))


def _advise(what: str, state: str) -> Text:
    """Return the steps that end this state."""
    if state == _SEALED:
        return say(
            "unseal {what}: each of its Pods, with the keys or by the key service of its auto-unseal "
            "(vault status, vault operator unseal); see why it was restarted",
            what=what,
        )
    if _INITIAL in state:
        return say(
            "initialize {what} (vault operator init; other programs' init command or Job), once", what=what
        )
    if state in _OFF:
        return say("enable {what} in its settings, or do not use it", what=what)
    if state in _LEAVING:
        return say("wait until {what} is deleted, or find out what keeps it; then try again", what=what)
    return say(
        "find out who put {what} into this state, and why; end that state there, then try again", what=what
    )


CAUSE = Cause(
    id="program.state-refused",
    title=say("something that a program uses is sealed, disabled, paused or locked"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
