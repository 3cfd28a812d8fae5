"""No Node has the labels of the Pod's nodeSelector

## How it happens

`spec.nodeSelector` names a label that no Node carries, or not with that value: a typing error, a label that
was set by hand on Nodes which have been replaced since, a label that a newer version calls differently
(`beta.kubernetes.io/instance-type`), or a pool that was scaled to zero.

## How to tell

The scheduler says `node(s) didn't match Pod's node affinity/selector` (older: `didn't match node selector`)
and no Node has all labels of the selector. The labels of all Nodes decide; labels that look like the wanted
one are named.

## Known limits

A Pod with required node affinity as well gets the same message for it. If a Node has the labels, this is not
the cause, though the message includes the other Nodes: then look at the reason given for that Node. Without
the right to read all Nodes the answer is `likely` at most, and only if the scheduler gives this reason for
every Node.

## References

- Kubernetes pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.34)
"""

from __future__ import annotations

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._makers import say_maker, see_maker
from unstuck.causes.scheduling._said import find_condition, find_shapes, find_statement_reasons
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeNames, NodeShape, Unschedulable
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.pod import Demands
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.knowledge.node_labels import find_maker
from unstuck.scheduling.similar_labels import Label, similar_labels

say = Messages(__name__)

_MANY = 3


def _names(reason: str) -> bool:
    return reason.startswith("node(s) didn't match") and "selector" in reason


def _rule(pod: Ref, snap: Facts) -> Signs:
    selector = some(snap, Demands, pod, lambda f: f.selector)
    named = find_statement_reasons(pod, snap, _names)
    every = any(_placed.covers_every_node(f, _names) for f in snap.of(Unschedulable, pod))
    affinity = any(f.affinity for f in snap.of(Demands, pod))
    nowhere = _find_unmatched_labels(pod, snap, selector)
    chosen = _placed.find_rejections(pod, snap, lambda r: r.kind == "node-selector-mismatch")
    of_every = named if every and not affinity and selector.value else Sign(None, named.hits, named.seen)

    def finding() -> Finding:
        return _make_finding(pod, snap, nowhere.hits or _find_absent_labels(pod, snap) or selector.hits)

    return Signs(
        applies=selector,
        necessary={"the scheduler says so": _placed.combine_words_and_objects(named, chosen)},
        decisive={"no Node has these labels": _placed.fall_back_on(chosen, nowhere)},
        supporting={"the scheduler says so of every Node": of_every},
        finding=finding,
    )


def _find_absent_labels(pod: Ref, snap: Facts) -> tuple[Label, ...]:
    """Return the labels of the selector that no Node has, by the objects; none if each has some."""
    at = _placed.find_known_analysis(pod, snap)
    if at is None:
        return ()
    nodes = at.cluster.nodes.values()
    return tuple(
        (k, v) for k, v in at.pod.shape.spec.node_selector if not any(n.labels.get(k) == v for n in nodes)
    )


def _list_labels(pod: Ref, snap: Facts) -> list[tuple[Label, ...]]:
    """Return the labels of every Node that was read, from either fact."""
    at = _placed.find_known_analysis(pod, snap)
    return (
        [n.spec.labels for n in at.cluster.nodes.values()]
        if at
        else [n.labels for n in find_shapes(snap).hits]
    )


def _find_unmatched_labels(pod: Ref, snap: Facts, selector: Sign[Label]) -> Sign[Label]:
    """Find the labels that no Node has, or all of the selector where no Node has them together."""
    if not selector.value:
        return Sign(None)
    every = find_shapes(snap)
    wanted = set(selector.hits)
    fit = tuple(n for n in every.hits if n.whole and wanted <= set(n.labels))
    if fit:
        return Sign(False, seen=fit[:_MANY])
    if not every.value or find_condition(pod, snap) is None:
        return Sign(None, seen=every.seen, wants=every.wants or (Want(Conditions, pod),))
    lacking = tuple(label for label in selector.hits if not any(label in n.labels for n in every.hits))
    return Sign(True, lacking or selector.hits, unique((*selector.seen, *every.seen[: 1 + _MANY])))


def _make_finding(pod: Ref, snap: Facts, labels: tuple[Label, ...]) -> Finding:
    shown = ", ".join(f"{k}={v}" for k, v in labels)
    nodes = _list_labels(pod, snap)
    count = f"{len(nodes)} " if nodes else ""
    says = say("none of the {count}nodes has label {shown} from the nodeSelector", count=count, shown=shown)
    if len(labels) > 1:
        says = say(
            "none of the {count}nodes has all labels {shown} from the nodeSelector", count=count, shown=shown
        )
    if not nodes:
        says = say("no node has label {shown} from the nodeSelector", shown=shown)
    near = similar_labels(labels[0], (label for labels_ in nodes for label in labels_), _MANY)
    notes = tuple(say("{n} {n:node has|nodes have} {key}={value}", n=n, key=k, value=v) for (k, v), n in near)
    first, value = labels[0]
    maker = find_maker(first)
    if maker:
        says += say_maker(maker)
    suggestion = f"{near[0][0][0]}={near[0][0][1]}" if near else ""
    correct = say("correct nodeSelector")
    if suggestion:
        correct += say(", perhaps to {suggestion}", suggestion=suggestion)
    return Finding(
        says,
        culprit=Ref("Label", None, f"{first}={value}"),
        blocks=(pod,),
        notes=notes,
        help=(
            *((see_maker(maker, value),) if maker else ()),
            Step(correct, where="source", verify=say("the new Pod is scheduled within seconds")),
            *(() if maker else (_label_nodes(first, value),)),
        ),
        do_not=(
            DoNot(
                say("set spec.nodeName to bypass the scheduler"),
                say(
                    "nothing then checks whether that node has room, and the label was required for a reason"
                ),
            ),
        ),
    )


def _label_nodes(key: str, value: str) -> Step:
    return Step(
        say("or label the intended nodes (replace NODE with their name)"),
        command=command("kubectl label node/NODE {label}", label=given.label(key, value)),
        risk="reversible",
        undo=command("kubectl label node/NODE {key}-", key=given.key(key)),
        verify=say("the scheduler retries automatically"),
    )


CAUSE = Cause(
    id="scheduling.node-selector-mismatch",
    title=say("no node has the labels of the Pod's nodeSelector"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=frozenset({Demands, NodeNames, NodeShape}) | _placed.READS,
    rule=_rule,
)
