"""A write was refused because the object had changed in the meantime

## How it happens

Each object has a resourceVersion. A write that names an older one is refused, so that no change is
overwritten unseen. A controller and a person, two controllers, or two pipelines write the same object;
controllers read it again and repeat by themselves.

## How to tell

`Operation cannot be fulfilled on … the object has been modified; please apply your changes to the latest
version and try again`.

## Known limits

Its evidence is the message alone: it is never more than likely, and in a controller's log no more than
possible: the controller retries by itself, and the reason it does not work is usually another.

## References

- apiserver pkg/registry/generic/registry/store.go; API conventions: Concurrency Control and Consistency
"""

from __future__ import annotations

from unstuck.causes.program._told import ProgramMessage, find_lone_messages, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import symptom
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# The beginning of the line with which kubectl and similar tools end.
_OF_A_COMMAND = regex(r"^(?:[\w./-]{1,60}: )?(?:Error from server\b|[Ee]rror: )")
_FORCE = DoNot(
    say("replace it by force (`kubectl replace --force`)"),
    say("it deletes the object and creates a new one: its Pods and dependents may be deleted with it"),
)


def _rule(text: Ref, snap: Facts) -> Signs:
    said = find_lone_messages(text, snap, "object-changed")
    # A controller retries by itself; its work is blocked by another fault.
    own = said if any(_OF_A_COMMAND.match(one.complaint.line) for one in said.hits) else symptom(said)
    return Signs(
        decisive={},
        supporting={"a command was refused for it": own},
        finding=lambda: _make_finding(text, said.hits[0]),
    )


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    resource, name = one.complaint.resource, one.complaint.name
    means = say(
        (
            "{resource} {name} changed between reading and writing it: this write was refused, and nothing "
            "is lost"
        ),
        resource=resource,
        name=name,
    )
    again = Step(say("do it again: by a command or a controller that reads first, it goes through"))
    who = Step(
        say(
            "if it keeps happening: see who writes the object (managers and times), "
            "and stop one of the writers"
        ),
        command=command("kubectl get {of} -o yaml --show-managed-fields", of=given.obj(resource, name)),
    )
    return make_finding(text, one, means, (again, who), do_not=(_FORCE,))


CAUSE = Cause(
    id="apiserver.object-changed",
    title=say("a write was refused because the object had changed in the meantime"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
