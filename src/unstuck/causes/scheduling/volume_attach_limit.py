"""Every Node that the Pod could otherwise use has as many volumes attached as it may have

## How it happens

A driver tells how many volumes a Node can have attached (`CSINode`, `allocatable.count`); many small Pods with a volume each use that up
long before memory. Attachments that were never removed count, too.

## How to tell

The condition says `node(s) exceed max volume count`. Held against the objects, the Nodes that come nearest lack nothing else.

## Known limits

The objects are read now, the scheduler's message is of its last attempt: where they give different reasons, nothing is proven. Filters of a
scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.refused import NodeRejection

_KIND = "volume-attach-limit"


def _words(text: str) -> bool:
    return "max volume count" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.signs(pod, snap, _KIND, _words, lambda at, hits: _finding(pod, at, hits))


def _finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit, notes = _details(at)
    return Finding(
        _placed.nodes_of(at, _KIND) + Text(f" have reached their volume attach limit{what}", f"挂接的卷数已达上限{what}"),
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                Text("see what is attached, and what should no longer be", "查看已挂接的卷，以及哪些不应再挂接"),
                command=command("kubectl get volumeattachments"),
                verify=_placed.PLACED,
            ),
            Step(
                Text("or add a node, or spread Pods with volumes over more nodes", "或增加节点，或把带卷的 Pod 分散到更多节点"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                Text("delete VolumeAttachments by hand", "手动删除 VolumeAttachment"),
                Text("a volume may still be mounted, and a second writer destroys its data", "卷可能仍被挂载，第二个写入者会毁坏数据"),
            ),
        ),
    )


def _details(at: PlacementAnalysis | None) -> tuple[str, Ref, tuple[Text, ...]]:
    names = _placed.named(at, _KIND)
    known = at.cluster.csi_nodes.get(names[0]) if at and names else None
    limits = ", ".join(f"{driver}: {n}" for driver, n in known.drivers if n is not None) if known else ""
    notes = (Text(f"limits of {names[0]}: {limits}", f"{names[0]} 的上限：{limits}"),) if limits else ()
    return "", _placed.some_nodes(names), notes


CAUSE = Cause(
    id="scheduling.volume-attach-limit",
    title=Text("every remaining node has reached its volume attach limit", "其余节点挂接的卷数均已达上限"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
