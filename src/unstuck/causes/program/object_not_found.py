"""An object that a program needs does not exist

## How it happens

A controller or a command looks up an object by its name: it was deleted before its dependents, was never
created, or its name or Namespace is misspelled.

## How to tell

The API server's words in an error: `KIND "NAME" not found`. Deleting an absent object is harmless, and is not
reported.

## Known limits

A later creation is not seen. A mere check for its existence reads the same: only a line written as an error
counts.

## References

- apimachinery pkg/api/errors (`NewNotFound`)
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._listed import find_namesake, tell_listed
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.kind_words import CLUSTER_SCOPED, KIND_WORDS
from unstuck.knowledge.names import parse_kind

say = Messages(__name__)

# kubelet pkg/kubelet/kubelet_node_status.go (registerWithAPIServer).
_REGISTER = Step(
    say(
        "a Node is registered by its kubelet: see in the first lines of that kubelet's log why it does not "
        "register it (no connection, no credentials, another name), or whether the Node was deleted, and "
        "then restart the kubelet"
    ),
    where="source",
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("object-missing",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    c = one.complaint
    kind, name = c.resource, c.name
    word = KIND_WORDS.get(kind, kind)
    of = parse_kind(word) or kind
    if elsewhere := find_namesake(of, name, c.namespace or None, snap):
        return _make_elsewhere_finding(pod, one, elsewhere)
    means = say(
        "{kind} {name}, which it needs, is not there",
        kind=word,
        name=f"{c.namespace}/{name}" if c.namespace else name,
    )
    means += tell_listed(of, name, c.namespace or None, snap)
    look = Step(
        say("see whether it exists by now, and in which Namespace"),
        command=command("kubectl get {kind} -A", kind=given.kind_of(kind)),
    )
    if of in CLUSTER_SCOPED:
        look = Step(
            say("see whether it is there by now"),
            command=command("kubectl get {object}", object=given.obj(kind, name)),
        )
    if of == "Node":
        return make_finding(pod, one, means, (look, _REGISTER))
    step = mend(say("make it, correct the name, or remove what still refers to it"))
    return make_finding(pod, one, means, (look, step))


def _make_elsewhere_finding(pod: Ref, one: ProgramMessage, there: Presence) -> Finding:
    """Return the finding of an object that the same text shows in another Namespace."""
    space = there.about.within or ""
    means = say(
        "{object} is there, but was looked for in another Namespace than {space}",
        object=who(there.about),
        space=space,
    )
    look = Step(
        say("see it there"),
        command=command(
            "kubectl get {object} {space}", object=given.of(there.about), space=given.space(there.about)
        ),
    )
    step = mend(
        say(
            "name Namespace {space} where it is looked for: -n {space} of kubectl, or {space}/{name} in the "
            "program's setting",
            space=space,
            name=there.about.name or "",
        )
    )
    found = make_finding(pod, one, means, (look, step))
    return replace(found, seen=(*found.seen, there))


CAUSE = Cause(
    id="program.object-not-found",
    title=say("an object that a program needs does not exist"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {Names, Presence},
    rule=_rule,
)
