"""A name, number or range that a program needs is already taken

## How it happens

Two things are to have one name: a list in a configuration has an item twice, an address range overlaps, an
earlier run has left its registration behind, or two Pods run with the same identity.

## How to tell

A thing, its name and the verdict in a line that is written as an error: `subnet "x" is already in use`,
`duplicate receiver name: x`, `node already exists and owner … does not match current session`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- Kafka KafkaZkClient.scala (`CheckedEphemeral`)
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
from unstuck.facts.regex import regex

say = Messages(__name__)

_EPHEMERAL, _DUPLICATE = "ephemeral", "uplicate "
_REGISTERED = "already registered id"
_OWNED = regex(r"is already (?:controlled|owned|managed) by ")
_UNOWNED = "not referenced by a subscription"
_REMOVE = DoNot(
    say("remove the holder of the name before you know whose it is"),
    say("whoever uses it loses it, and its data may go with it"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("name-taken",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    reason = c.reason.strip(" .")
    if c.resource.startswith(_EPHEMERAL):
        means = say(
            "{name} is still registered by another session: an earlier run of this member, whose session "
            "has not timed out, or a second member with the same id",
            name=c.name,
        )
        step = mend(
            say(
                "give each member an id of its own; if it is the same member, it comes up once the old "
                "session has timed out: see why the previous run ended"
            )
        )
        return make_finding(pod, one, means, (step,))
    if _UNOWNED in reason:
        return _make_unowned_finding(pod, one)
    if _OWNED.search(reason):
        means = say(
            "{object} belongs to {owner} already, and two owners cannot have it",
            object=c.resource,
            owner=c.name,
        )
        step = mend(
            say(
                "keep one of the two owners: remove the one that should not have {object}, or have it "
                "give {object} up; first see what else it owns",
                object=c.resource,
            )
        )
        return make_finding(pod, one, means, (step,), do_not=(_REMOVE,))
    if _REGISTERED in reason:
        means = say(
            "kustomize gets {sort} {name} twice: two of the listed resources, files or bases, define it",
            sort=c.resource,
            name=c.name,
        )
        step = mend(
            say(
                "list it once: remove one of the files or bases from resources, or change it by a patch "
                "instead of a second definition"
            )
        )
        return make_finding(pod, one, means, (step,))
    if _DUPLICATE in reason:
        means = say("{sort} {name} is there twice: “{reason}”", sort=c.resource, name=c.name, reason=reason)
        return make_finding(pod, one, means, (mend(say("give one of the two another name, or remove one")),))
    means = say("{sort} {name} is taken: “{reason}”", sort=c.resource, name=c.name, reason=reason)
    step = mend(
        say("choose another one, or see who has {name}, and release it if it is left over", name=c.name)
    )
    return make_finding(pod, one, means, (step,), do_not=(_REMOVE,))


def _make_unowned_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for an operator's version of an earlier installation, which OLM does not replace."""
    name = one.complaint.name
    means = say(
        "ClusterServiceVersion {name} is left over from an earlier installation: no Subscription owns it, "
        "and OLM installs no second one",
        name=name,
    )
    look = Step(
        say("see in which Namespaces it is, and which Subscriptions there are"),
        command=command("kubectl get clusterserviceversions,subscriptions.operators.coreos.com -A"),
    )
    step = Step(
        say(
            "delete ClusterServiceVersion {name} in the Subscription's Namespace: the Subscription then "
            "installs it again; the operator stops meanwhile, what it manages goes on",
            name=name,
        ),
        risk="disrupts",
    )
    kept = DoNot(
        say("delete the operator's CustomResourceDefinitions for this"),
        say("all of their objects, and what the operator made for them, are deleted with them"),
    )
    return make_finding(pod, one, means, (look, step), do_not=(kept,))


CAUSE = Cause(
    id="program.name-taken",
    title=say("a name, number or range that a program needs is already taken"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
