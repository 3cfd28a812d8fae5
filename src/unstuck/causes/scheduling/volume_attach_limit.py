"""Every Node that the Pod could otherwise use has reached its volume attach limit

## How it happens

A driver reports the number of volumes that a Node can have attached (`CSINode`, `allocatable.count`); many
small Pods with a volume each use that up long before memory. Attachments that were never removed count, too.

## How to tell

The condition says `node(s) exceed max volume count`. Compared with the objects, the nearest Nodes have no
other obstacle.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "volume-attach-limit"


def _words(text: str) -> bool:
    return "max volume count" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit, notes = _details(at)
    return Finding(
        _placed.name_nodes(at, _KIND) + say(" have reached their volume attach limit{what}", what=what),
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("see what is attached, and what should no longer be"),
                command=command("kubectl get volumeattachments"),
                verify=_placed.PLACED,
            ),
            Step(
                say("or add a node, or spread Pods with volumes over more nodes"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("delete VolumeAttachments by hand"),
                say("a volume may still be mounted, and a second writer destroys its data"),
            ),
        ),
    )


def _details(at: PlacementAnalysis | None) -> tuple[str, Ref, tuple[Text, ...]]:
    names = _placed.list_closed_nodes(at, _KIND)
    known = at.cluster.csi_nodes.get(names[0]) if at and names else None
    limits = ", ".join(f"{driver}: {n}" for driver, n in known.drivers if n is not None) if known else ""
    notes = (say("limits of {names}: {limits}", names=names[0], limits=limits),) if limits else ()
    return "", _placed.make_nodes_ref(names), notes


CAUSE = Cause(
    id="scheduling.volume-attach-limit",
    title=say("every remaining node has reached its volume attach limit"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
