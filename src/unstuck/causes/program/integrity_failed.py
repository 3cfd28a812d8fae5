"""What a program reads does not match its checksum or signature

## How it happens

A download was cut off, or a proxy or a login page answered in its place; the file was replaced at its source
without a new checksum; a cache holds another version; it was signed with another key than the one that is
trusted, as after a repository changed its key.

## How to tell

`computed checksum did NOT match`, `checksum mismatch`, `NO_PUBKEY`, `no matching signatures`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether the file or its expected checksum is
wrong, the text does not say. Damage of stored data is told by program.data-damaged.

## References

- apt-secure(8); sha256sum(1); sigstore documentation, Verifying Signatures
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

_UNCHECKED = DoNot(
    say("switch the check off"),
    say("the file may be cut off, or not from who it claims to be from"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("integrity-failed",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    if said.verb == "NO_PUBKEY":
        means = say(
            "the package repository is signed with key {key}, which is not installed: the repository has a "
            "new key, or its key was never added",
            key=said.name,
        )
        fix = mend(
            say(
                "fetch the repository's current key from its documentation into /etc/apt/keyrings, and name "
                "it in signed-by (pkgs.k8s.io: Release.key of the same minor version)"
            )
        )
        return make_finding(pod, one, means, (fix,), do_not=(_UNCHECKED,))
    means = say(
        "what it read does not match the checksum or signature that it expects: “{reason}”",
        reason=said.reason.strip(" ."),
    )
    look = Step(
        say(
            "fetch the same address once more by hand, and look at the size and the beginning of the file: "
            "a page of HTML is a proxy's or a login's"
        )
    )
    fix = mend(
        say(
            "clear the cache and fetch it once more; if it stays: take the checksum or key that the "
            "publisher gives for this version"
        )
    )
    return make_finding(pod, one, means, (look, fix), do_not=(_UNCHECKED,))


CAUSE = Cause(
    id="program.integrity-failed",
    title=say("what a program reads does not match its checksum or signature"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
