"""A selector within a NetworkPolicy's rules, or of a webhook, matches nothing

## How it happens

A NetworkPolicy allows traffic from, or to, the Namespaces and Pods that its rules select by labels. A label
that no Namespace has (`name=monitoring`, where only `kubernetes.io/metadata.name=monitoring` is set
automatically) or that is spelt differently on the other side allows no traffic, and the policy still isolates
its Pods. A webhook whose namespaceSelector no Namespace meets is never called. The API server accepts any
selector.

## How to tell

Each selector in its rules is compared with the labels of all Namespaces, and of the Pods and workloads'
templates in the selected ones. It is reported if no other rule of the policy allows any traffic, or if an
existing object has the same label with a similar value.

## Known limits

It may be meant for future objects, so this is likely at most. Whether the cluster's network plugin enforces
policies is not looked at. For a policy with several peers a single missing one is not reported, and for
webhooks only a label that looks misspelt: most webhooks are opt-in by a label, which no Namespace may have.

## References

- Kubernetes networking/v1 NetworkPolicyPeer, admissionregistration/v1 namespaceSelector (1.34);
  documentation: Network Policies, "Targeting a Namespace by its name"
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.references import DeadSelector, Selects
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import stays
from unstuck.stages.selecting import WITH_RULES, find_dead_rules, list_near_labels

say = Messages(__name__)

_MOST = 3


def _rule(subject: Ref, snap: Facts) -> Signs:
    dead = find_dead_rules(subject, snap)
    return Signs(
        applies=stays(subject, snap),
        necessary={"a selector in its rules matches no existing object": dead},
        # Only its author knows whether it is meant for future objects.
        decisive={},
        supporting={"nothing else replaces it, or a label is nearly the same": dead},
        finding=lambda: _make_finding(subject, dead.hits),
    )


def _make_finding(subject: Ref, dead: tuple[DeadSelector, ...]) -> Finding:
    first = dead[0]
    near = _find_nearest(first)
    notes: list[Text] = []
    if first.others:
        notes.append(say("the {of}s there have {others}", of=first.of, others=list_names(first.others)))
    notes += [
        say("{field} selects no {of} either: {selector}", field=d.field, of=d.of, selector=d.selector)
        for d in dead[1:_MOST]
    ]
    return Finding(
        say(
            "{subject} asks in {field} for {selector}, and no {of} has these labels",
            subject=who(subject),
            field=first.field,
            selector=first.selector,
            of=first.of,
        )
        + (say("; {near} is there", near=near) if near else NO_TEXT)
        + _tell_effect(subject, first),
        culprit=subject,
        blocks=(subject,),
        notes=tuple(notes),
        help=(
            Step(say("compare the labels"), command=_show_labels(subject, first)),
            Step(
                say(
                    "select {near} in {field}, or give the {of} that is meant the label {selector}",
                    near=near,
                    field=first.field,
                    of=first.of,
                    selector=first.selector,
                )
                if near
                else say(
                    "correct {field}, or give the {of} that is meant these labels",
                    field=first.field,
                    of=first.of,
                ),
                where="source",
                verify=say("asked again, this selector matches something"),
            ),
        ),
    )


def _tell_effect(subject: Ref, first: DeadSelector) -> Text:
    if not first.alone:
        return NO_TEXT
    if subject.kind != "NetworkPolicy":
        return say(": it is never called")
    if first.field.startswith("spec.egress"):
        return say(": its rules allow the Pods that it selects no connection")
    return say(": its rules allow no connection to the Pods that it selects")


def _find_nearest(one: DeadSelector) -> str:
    """Return the existing label that was probably intended; "" if none is similar."""
    if alike := list_near_labels(one.selector, one.others):
        return alike[0]
    values = {part.partition("=")[2] for part in one.selector.split(",")} - {""}
    return next((o for o in one.others if o.partition("=")[2] in values), "")


def _show_labels(subject: Ref, one: DeadSelector) -> Command:
    if one.of == "Namespace":
        return command("kubectl get namespaces --show-labels")
    if one.field.endswith(".podSelector") and subject.within:
        return command("kubectl get pods {space} --show-labels", space=given.space(subject))
    return command("kubectl get pods -A --show-labels")


CAUSE = Cause(
    id="reference.rule-selects-nothing",
    title=say("a selector in the object's rules matches nothing"),
    subjects=WITH_RULES,
    reads=frozenset({Selects, Deletion}),
    rule=_rule,
)
