"""No Node matches the Pod's required node affinity

## How it happens

`requiredDuringSchedulingIgnoredDuringExecution` of `nodeAffinity` asks for labels that no Node has: a pool
that is gone, a zone that was never there, a value spelled otherwise, two terms in one list entry that no Node
meets together, or a volume's zone in the template.

## How to tell

The condition says `node(s) didn't match Pod's node affinity/selector` (older: `didn't match node selector`)
for every Node, and no Node's labels meet a term of the affinity. A nodeSelector's mismatch is reported by
`scheduling.node-selector-mismatch`; if the Pod itself was not read, the message may mean either.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.34)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._makers import say_maker, see_maker
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pod import Demands
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.requirements import write_requirement
from unstuck.facts.lookup import Facts
from unstuck.knowledge.node_labels import Maker, find_maker

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis

_KIND = "node-affinity-mismatch"


def _words(text: str) -> bool:
    return (
        # The latter is 1.19's and older, which covers required affinity as well
        # (pkg/scheduler/framework/plugins/nodeaffinity).
        text.startswith(("node(s) didn't match Pod's node affinity", "node(s) didn't match node selector"))
        or "didn't satisfy plugin" in text
        or text == "pod affinity terms conflict"
    )


def _rule(pod: Ref, snap: Facts) -> Signs:
    # The scheduler has the same message for a Pod's nodeSelector.
    selects = any(f.selector for f in snap.of(Demands, pod))

    def plain(text: str) -> bool:
        return _words(text) and not (selects and "selector" in text)

    seen = bool(snap.of(Demands, pod))
    signs = _placed.make_signs(
        pod, snap, _KIND, _words, lambda at, _: _make_finding(pod, at, snap, either=not seen), plain
    )
    if seen:
        return signs
    return replace(
        signs,
        decisive={
            name: s._replace(wants=(*s.wants, Want(Demands, pod))) for name, s in signs.decisive.items()
        },
    )


def _make_finding(pod: Ref, at: PlacementAnalysis | None, snap: Facts, *, either: bool) -> Finding:
    """Return the finding. either: the Pod was not read, so the message may mean its nodeSelector as well."""
    what, culprit, notes = _details(at)
    missed = say(" do not meet the required node affinity{what}", what=what)
    if either and not at:
        missed = say(" do not match the Pod's nodeSelector or required node affinity")
        missed += _placed.tell_unlisted_labels(snap)
    makers = _list_makers(at)
    if makers:
        missed += say_maker(makers[0][0])
    return Finding(
        _placed.name_nodes(at, _KIND) + missed,
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=fitting(
            *(see_maker(maker, value) for maker, value in makers[:1]),
            Remedy(
                not makers,
                Step(
                    say(
                        "if the Nodes that are meant have other labels, correct the nodeSelector or "
                        "affinity; if they should have these, label them"
                    ),
                    where="source",
                    verify=_placed.PLACED,
                ),
            ),
            Remedy(bool(makers), Step(say("correct the affinity"), where="source", verify=_placed.PLACED)),
        ),
        do_not=(
            DoNot(
                say("make the affinity preferred as a workaround"),
                say("the Pod may then land where its disk, license or zone is missing"),
            ),
        ),
    )


def _correct(says: Text) -> Step:
    return Step(says, where="source", verify=_placed.PLACED)


def _list_makers(at: PlacementAnalysis | None) -> list[tuple[Maker, str]]:
    """Return the creators of Nodes with labels that the affinity requires and no Node has, each with the
    value.
    """
    if at is None:
        return []
    wanted = (r for t in at.pod.shape.spec.node_affinity or () for r in t.expressions if r.operator == "In")
    nodes = at.cluster.nodes.values()
    absent = (r for r in wanted if not any(n.labels.get(r.key) in r.values for n in nodes))
    return [(maker, ", ".join(r.values)) for r in absent if (maker := find_maker(r.key))]


def _details(at: PlacementAnalysis | None) -> tuple[str, Ref, tuple[Text, ...]]:
    terms = (at.pod.shape.spec.node_affinity or ()) if at else ()
    shown = " or ".join(", ".join(write_requirement(r) for r in (*t.expressions, *t.fields)) for t in terms)
    return (f" ({shown})" if shown else ""), Ref("NodeAffinity", None, shown or None), ()


CAUSE = Cause(
    id="scheduling.node-affinity-mismatch",
    title=say("no node matches the Pod's required node affinity"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Demands},
    rule=_rule,
)
