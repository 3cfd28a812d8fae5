"""A Pod is for another operating system than its Node

## How it happens

`spec.os.name` is the operating system of the Pod's containers. No scheduler looks at it: a Pod for Windows is
bound to a Linux Node unless another constraint prevents it, and the kubelet there refuses it. A Pod that has
failed so is never started.

## How to tell

The Pod has failed with `PodOSNotSupported` or `PodOSSelectorNodeLabelDoesNotMatch`, and its `spec.os.name` is
not the Node's label `kubernetes.io/os`.

## Known limits

Where the Node cannot be read, its system is not known, and this stays open.

## References

- Kubernetes pkg/kubelet/lifecycle/predicate.go (rejectPodAdmissionBasedOnOSField,
  rejectPodAdmissionBasedOnOSSelector)
"""

from __future__ import annotations

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_OS_REFUSED = ("PodOSNotSupported", "PodOSSelectorNodeLabelDoesNotMatch")
_OS_LABEL = "kubernetes.io/os"
_ACCEPTED = say("a new Pod of the same kind is accepted")


def _check_os(pod: Ref, snap: Facts) -> Sign[Misfit]:
    refused = some(snap, Phase, pod, lambda f: [f] if f.phase == "Failed" and f.reason in _OS_REFUSED else [])
    if not refused.value:
        return Sign(refused.value, seen=refused.seen)
    node = find_node_of_pod(pod, snap)
    wanted = next((f.os for f in snap.of(PodSettings, pod) if f.os), "")
    shape = snap.one(NodeShape, node) if node else None
    has = dict(shape.labels).get(_OS_LABEL, "") if shape else ""
    if not wanted or not node or wanted == has:
        return Sign(None)
    if not has:
        return Sign(None, wants=(Want(NodeShape, node),))
    kind = say("runs {os} ({label})", os=has, label=_OS_LABEL)
    misfit = Misfit(
        of=pod,
        field="spec.os.name",
        says=say(
            "the Pod's spec.os.name is {os}, and Node {node}, whose kubelet refused it ({reason}), {kind}",
            os=wanted,
            node=node.name,
            reason=refused.hits[0].reason,
            kind=kind,
        ),
        help=(
            Step(
                say(
                    "correct spec.os.name in the manifest, or let the Pod be scheduled to a {os} Node "
                    "(nodeSelector {label}: {os}); a failed Pod never starts: create a new one",
                    os=wanted,
                    label=_OS_LABEL,
                ),
                where="source",
                verify=_ACCEPTED,
            ),
        ),
        blocks=(Ref("Admission", node.name, refused.hits[0].reason),),
    )
    return Sign(
        True, (misfit,), unique((*refused.seen, *snap.of(PodSettings, pod), *((shape,) if shape else ())))
    )


PAIRS = (
    Pair(
        "the operating system of its Node is not the one that it asks for",
        "equal",
        ("Pod",),
        _check_os,
        frozenset({Phase, Placement, PodSettings, NodeShape}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.os-unlike-node",
    title=say("a Pod is for another operating system than its Node"),
    subjects=("Pod",),
    stages=("kubelet-accepted",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
