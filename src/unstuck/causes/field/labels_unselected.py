"""An object's labels should be selected, but no selector matches them

## How it happens

A Prometheus takes the ServiceMonitors that its `serviceMonitorSelector` matches, in the Namespaces that its
`serviceMonitorNamespaceSelector` matches; a chart asks for a label of its own release. An object without that
label is valid, reports no error, and is ignored.

## How to tell

Of the objects of its API group that have a selector for its kind, each was read, and none takes its labels
and its Namespace.

## Known limits

Only selectors whose field is named after the kind are looked at. The object may be meant for a future
selector: it is likely at most.

## References

- prometheus-operator monitoring/v1 (CommonPrometheusFields, ruleSelector, alertmanagerConfigSelector)
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.references import LabelSelector, Selectors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import stays

say = Messages(__name__)


def _check(subject: Ref, snap: Facts) -> Sign[Misfit]:
    if not snap.of(Selectors, subject):
        # The object's state decides whether to ask: most objects report their own faults.
        return Sign(None)
    return some(
        snap,
        Selectors,
        subject,
        lambda f: (
            [_find_misfit(subject, f.items)]
            if f.whole and f.items and not any(s.takes for s in f.items)
            else []
        ),
    )


def _find_misfit(subject: Ref, selectors: tuple[LabelSelector, ...]) -> Misfit:
    one = min(selectors, key=lambda s: (bool(s.spaces), s.selector.count(",")))
    only = say(", the only one,") if len(selectors) == 1 else NO_TEXT
    wants: Text = (
        say("selects objects with {selector}", selector=one.selector)
        if one.selector
        else say("takes any labels")
    )
    if one.spaces:
        wants += (
            say(", only in its own Namespace")
            if one.spaces == "own"
            else say(", in Namespaces that have {spaces}", spaces=one.spaces)
        )
    mend = (
        say(
            "add the label {selector} to {subject}, or widen {field} of {of}",
            selector=one.selector,
            subject=who(subject),
            field=one.field,
            of=who(one.of),
        )
        if not one.spaces
        else say(
            "let the selector of Namespaces beside {field} of {of} take this Namespace",
            field=one.field,
            of=who(one.of),
        )
    )
    return Misfit(
        of=subject,
        field="metadata.labels",
        says=say(
            "{subject} is not selected: {field} of {of}{only} {wants}, and it does not match",
            subject=who(subject),
            field=one.field,
            of=who(one.of),
            only=only,
            wants=wants,
        ),
        help=(
            Step(mend, where="source", verify=say("{of} picks it up within a minute or two", of=who(one.of))),
            Step(
                say("see its labels"),
                command=command(
                    "kubectl get {object} {space} --show-labels",
                    object=given.of(subject),
                    space=given.space(subject),
                ),
            ),
        ),
        do_not=(
            DoNot(
                say("restart its operator because of it"),
                say("it works as configured: it takes the selected objects"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "no selector for its kind takes it", "contained", ("*",), _check, frozenset({Selectors}), proves=False
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    if "." not in subject.kind:
        return Signs(applies=Sign(False), decisive={}, finding=_make_empty_finding)
    signs = judge_pairs(PAIRS, subject, snap)
    # A selected object rules it out.
    return replace(signs, applies=stays(subject, snap), necessary=signs.supporting)


def _make_empty_finding() -> Finding:
    raise AssertionError("of Kubernetes' own kinds no one is looked for")


CAUSE = Cause(
    id="field.labels-unselected",
    title=say("an object's labels should be selected, but no selector matches them"),
    subjects=("*",),
    reads=list_reads(PAIRS) | {Deletion},
    rule=_rule,
)
