"""An SSH host key is unknown, or differs from the known one

## How it happens

A program that fetches over SSH, usually git in Argo CD, Flux or an init container, compares the key that the
host shows with a list, `known_hosts`. The host is not on the list: a private server, a non-standard port, a
key type that the list lacks. Or its key was changed.

## How to tell

`knownhosts: key is unknown`, `knownhosts: key mismatch`, `No ECDSA host key is known for … and you have
requested strict checking`, `Host key verification failed`, `REMOTE HOST IDENTIFICATION HAS CHANGED`.

## Known limits

Its evidence is the message alone: it is never more than likely. A host's new key and an attacker's look the
same. OpenSSH reports `Host key verification failed` for both; the lines above give the details.

## References

- OpenSSH sshconnect.c; golang.org/x/crypto/ssh/knownhosts; Argo CD documentation: Unknown SSH Hosts; Flux
  documentation: GitRepository,
SSH
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_UNCHECKED = DoNot(
    say("disable the check (StrictHostKeyChecking=no, insecure)"),
    say("anyone in between can then send the program any content and capture its credentials"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("host-key-unknown",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = _means(c.name, changed=bool(c.verb))
    look = Step(
        say("check which keys the host presents, and compare them with those published by its operator"),
        command=command("ssh-keyscan {host}", host=given.host(c.name))
        if c.name
        else command("ssh-keyscan HOST"),
    )
    step = mend(
        say(
            "put the host's key into the known_hosts that the program reads (Argo CD: ConfigMap "
            "argocd-ssh-known-hosts-cm; Flux: known_hosts in the Secret of the source), with the port if it "
            "is not 22"
        )
    )
    return make_finding(pod, one, means, (look, step), do_not=(_UNCHECKED,))


def _means(host: str, *, changed: bool) -> Text:
    if changed:
        return (
            say("host {host} presents a different SSH key than the known one", host=host)
            if host
            else say("the host presents a different SSH key than the known one")
        )
    return (
        say("no SSH key is known for host {host}, so the connection is refused", host=host)
        if host
        else say("the SSH key of the host is not among the known ones, so the connection is refused")
    )


CAUSE = Cause(
    id="program.host-key-unknown",
    title=say("an SSH connection is refused because of the host's key"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
