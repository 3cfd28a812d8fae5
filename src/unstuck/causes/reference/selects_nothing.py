"""The selector of a policy, a budget, a class, a volume or a DaemonSet matches nothing

## How it happens

A label is misspelt, was renamed on the other side, or is in another Namespace: the selector of a
NetworkPolicy or a PodDisruptionBudget reaches the Pods of its own Namespace alone. A RuntimeClass, a
StorageClass or a PersistentVolume requires a label that no Node has, or names a Node that is gone. A
ServiceMonitor or a PodMonitor selects no target for Prometheus. The API server accepts any selector, and no
controller reports one without a match. A DaemonSet whose nodeSelector no Node meets wants no Pod, and so
counts as complete.

## How to tell

Held against every Pod of the Namespace, or every Node, none has the labels; no Deployment, StatefulSet or
DaemonSet would make such Pods either. The others' values for the same labels are reported.

## Known limits

It may be meant for future Pods or Nodes, so this is likely at most. Templates of Jobs and of CustomResources
are not looked at. Many DaemonSets are made for Nodes that a cluster may lack (Windows, GPUs): a DaemonSet is
reported only if a Node has the same label with a similar value.

## References

- Kubernetes networking/v1, policy/v1, node/v1, storage/v1 and core/v1 API types (1.34)
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.references import Selects
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import stays
from unstuck.stages.selecting import SELECTING, find_empty_selection, find_near_labels

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    empty = find_empty_selection(subject, snap)
    return Signs(
        applies=stays(subject, snap),
        necessary={"its selector matches no existing object": empty},
        # Only its author knows whether it is meant for future objects.
        decisive={},
        supporting={"nothing would make any of it either": empty},
        finding=lambda: _make_finding(subject, empty.hits[0]),
    )


def _make_finding(subject: Ref, found: Selects) -> Finding:
    notes: tuple[Text, ...] = ()
    near = find_near_labels(found)
    if found.others:
        others = unique((*near, *found.others))
        notes = (say("the {of}s there have {others}", of=found.of, others=list_names(others)),)
    if found.elsewhere:
        notes += (say("{it} has them, in another Namespace", it=who(found.elsewhere[0])),)
    correct = (
        say(
            "correct the selector, perhaps to {near}: labels are compared by each letter, capital or not",
            near=near[0],
        )
        if near
        else say(
            "if it is meant for something that is there: correct the selector, or "
            "the labels on the other side"
        )
    )
    return Finding(
        _tell(subject, found),
        culprit=subject,
        blocks=(subject,),
        notes=notes,
        help=(
            Step(say("compare the labels"), command=_show_labels(subject, found.of)),
            Step(
                correct,
                where="source",
                verify=say("asked again, {subject} selects something", subject=who(subject)),
            ),
        ),
    )


def _tell(subject: Ref, found: Selects) -> Text:
    if found.of == "Pod":
        return say(
            "{subject} selects {selector}, and no Pod of its Namespace has these labels",
            subject=who(subject),
            selector=found.selector,
        )
    if found.of == "Service":
        return say(
            "{subject} selects {selector}, and no Service has these labels in the "
            "Namespaces that it looks at",
            subject=who(subject),
            selector=found.selector,
        )
    return say(
        "{subject} asks for a Node with {selector}, and no Node has these labels",
        subject=who(subject),
        selector=found.selector,
    )


def _show_labels(subject: Ref, of: str) -> Command:
    if of == "Pod":
        return command("kubectl get pods {space} --show-labels", space=given.space(subject))
    if of == "Service":
        return command("kubectl get services -A --show-labels")
    return command("kubectl get nodes --show-labels")


CAUSE = Cause(
    id="reference.selects-nothing",
    title=say("its selector matches nothing"),
    subjects=SELECTING,
    reads=frozenset({Selects, Deletion, Workload}),
    rule=_rule,
)
