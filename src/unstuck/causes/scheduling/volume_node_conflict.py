"""No Node that the Pod could otherwise use reaches its volume

## How it happens

A PersistentVolume can be reached from some Nodes only: a disk from its zone, a local volume from its one
Node. Where that Node was deleted, or is full or cordoned, or the Pod's own selector asks for another zone,
the Pod cannot be placed anywhere.

## How to tell

The condition says `node(s) didn't match PersistentVolume's node affinity` (before 1.33 `had volume node
affinity conflict`) or `had no available volume zone`. Compared with the objects, no Node that the Pod may use
meets the node affinity of the volume; both are named.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/volumebinding, pkg/scheduler/framework/plugins/volumezone (1.34)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Labels
from unstuck.facts.aspects.placing import ClaimInput, VolumeInput
from unstuck.facts.aspects.placing_terms import NodeTerm
from unstuck.facts.aspects.storage import Reserved
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import holds, write_requirement
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis

_KIND = "volume-node-conflict"
_NAMED = 3


def _words(text: str) -> bool:
    return (
        "volume node affinity" in text or "PersistentVolume's node affinity" in text or "volume zone" in text
    )


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, _: _make_finding(pod, at, snap))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, snap: Facts) -> Finding:
    what, culprit, notes = _details(pod, at) if at else _find_shown_volume(snap)
    return Finding(
        _placed.name_nodes(at, _KIND) + say(" cannot reach the Pod's volume{what}", what=what),
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say(
                    "free capacity, or add a node, where the volume is; if the Pod has its own selector, "
                    "make the two match"
                ),
                where="source",
                verify=_placed.PLACED,
            ),
            Step(
                say("or restore the data from a backup into a reachable volume"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("delete the PVC to get a new volume"),
                say("the old volume's data is lost, or left on a volume that nothing mounts"),
            ),
        ),
    )


def _details(pod: Ref, at: PlacementAnalysis | None) -> tuple[str, Ref, tuple[Text, ...]]:
    names = [v.claim for v in at.pod.shape.spec.volumes if v.claim] if at else []
    claims = [c for n in names if at and (c := at.cluster.claims.get((pod.within or "", n))) and c.volume]
    bound = [(c, at.cluster.volumes[c.volume]) for c in claims if at and c.volume in at.cluster.volumes]
    tied = [(c, v) for c, v in bound if v.node_affinity]
    if not tied:
        return "", Ref("PersistentVolume", None, bound[0][1].name if bound else None), ()
    notes = tuple(_describe_place(c, v) for c, v in tied[:3])
    return f" {tied[0][1].name}", Ref("PersistentVolume", None, tied[0][1].name), notes


def _find_shown_volume(snap: Facts) -> tuple[str, Ref, tuple[Text, ...]]:
    """Return the only volume in the same text that is tied to some Nodes, and which of the Nodes there are
    others.
    """
    tied = [(pv, f) for pv in snap.subjects("PersistentVolume") for f in snap.of(Reserved, pv) if f.places]
    if len({pv for pv, _ in tied}) != 1:
        return "", Ref("PersistentVolume", None, None), ()
    pv, volume = tied[0]
    notes = list[Text]()
    keys = {r.key for t in volume.places for r in t.expressions}
    labels = [(node, dict(f.items)) for node in snap.subjects("Node") for f in snap.of(Labels, node)]
    others = [
        (node, ",".join(f"{k}={has[k]}" for k in sorted(keys) if k in has))
        for node, has in labels
        if any(k in has for k in keys) and not any(_meets(t, has) for t in volume.places)
    ]
    notes += [say("Node {node} has {has}", node=node.name, has=has) for node, has in others[:_NAMED]]
    return f" {pv.name} ({_write(volume.places)})", pv, tuple(notes)


def _meets(term: NodeTerm, labels: Mapping[str, str]) -> bool:
    return bool(term.expressions) and all(holds(r, labels) for r in term.expressions)


def _write(terms: tuple[NodeTerm, ...]) -> str:
    return " or ".join(", ".join(write_requirement(r) for r in t.expressions) for t in terms)


def _describe_place(claim: ClaimInput, volume: VolumeInput) -> Text:
    return say(
        "PVC {claim} is bound to {volume}, which needs {needs}",
        claim=claim.name,
        volume=volume.name,
        needs=_write(volume.node_affinity or ()),
    )


CAUSE = Cause(
    id="scheduling.volume-node-conflict",
    title=say("the volume is not reachable from any remaining node"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Labels, Reserved},
    rule=_rule,
)
