"""A DNS lookup fails because of its tool; the name server answers

## How it happens

Some tools do not ask as the program's own resolver does. nslookup of busybox from 1.29 on asks for each name
of the search list by itself, takes an answer without an address of one family for a failure, and ends with an
error although another answer held the address; others take no search list at all, so that only the full name
is found.

## How to tell

The same text shows an address for the full name (`Name:` and `Address:`), or busybox' own `*** Can't find
NAME: No answer`, which is an answer of the name server.

## Known limits

Its evidence is the message alone: it is never more than likely. An object in another Namespace, or with
another name, is not looked up.

## References

- busybox networking/nslookup.c; Kubernetes documentation "Debugging DNS Resolution"; resolv.conf(5)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_RESTART = DoNot(
    say("restart the cluster's DNS, or change its ConfigMap"), say("it answers; what failed is the question")
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "lookup-misled", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    short, full = one.complaint.name, one.complaint.resource
    if full and full != short:
        means = say(
            "the name server answers: it has an address for {full}; the tool did not complete {short} to it",
            full=full,
            short=short,
        )
    elif full:
        means = say("the name server answers: in the same text it gives an address for {full}", full=full)
    else:
        means = say(
            "the name server answers; busybox' nslookup, from 1.29 on, reports a name as missing when one "
            "of its several questions has no answer, so this says nothing of {short}",
            short=short,
        )
    again = Step(
        say("ask with the resolver that programs use, from the same Pod"),
        command=command("getent hosts {name}", name=given.host(short)),
    )
    use = Step(
        say(
            "use the full name (NAME.NAMESPACE.svc.cluster.local), or an image whose tool asks as programs "
            "do: busybox up to 1.28, or one with dig and getent"
        ),
        where="source",
    )
    return make_finding(text, one, means, (again, use), do_not=(_RESTART,))


CAUSE = Cause(
    id="network.lookup-misled",
    title=say("a DNS lookup fails because of its tool; the name server answers"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
