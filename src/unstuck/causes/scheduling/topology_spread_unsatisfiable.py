"""A topology spread constraint allows no Node that the Pod could otherwise use

## How it happens

With `whenUnsatisfiable: DoNotSchedule` a Pod may not be placed in a domain that would then have more than
`maxSkew` more of its kind than the emptiest one. If the emptiest domain (a zone, a Node) has no room or is
closed, all further Pods wait for it. Nodes without the label are out at once.

## How to tell

The condition says `node(s) didn't match pod topology spread constraints`. Compared with the objects, the
nearest Nodes have no other obstacle. The root cause lies in the emptiest domain: see why its Nodes exclude
the Pod.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._terms import describe_terms
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "topology-spread-unsatisfiable"
# k8s.io/api core/v1 well_known_labels.go.
_USUAL = "topology.kubernetes.io/zone"


def _words(text: str) -> bool:
    return "topology spread" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit = describe_terms(pod, "spread", at.pod.shape.spec.spread if at else ())
    if keys := _find_absent_keys(at):
        return _make_unlabelled_finding(pod, keys, culprit)
    return Finding(
        _placed.name_nodes(at, _KIND) + say(" would violate a topology spread constraint{what}", what=what),
        culprit=culprit,
        blocks=(pod,),
        help=(
            Step(
                say("make room in the domain with the fewest of these Pods"),
                where="source",
                verify=_placed.PLACED,
            ),
            Step(
                say("or raise maxSkew, or use ScheduleAnyway if a preference is enough"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("delete the Pods of the fullest domain by hand"),
                say("each is recreated under the same constraint, and serves no traffic meanwhile"),
            ),
        ),
    )


def _find_absent_keys(at: PlacementAnalysis | None) -> tuple[str, ...]:
    """Return the topology keys of required constraints that no Node has as a label."""
    if at is None:
        return ()
    labels = [node.labels for node in at.cluster.nodes.values()]
    return tuple(
        c.topology_key
        for c in at.pod.shape.spec.spread
        if c.when == "DoNotSchedule" and not any(c.topology_key in one for one in labels)
    )


def _make_unlabelled_finding(pod: Ref, keys: tuple[str, ...], culprit: Ref) -> Finding:
    return Finding(
        say(
            "no Node has label {key}, by which a topology spread constraint of the Pod divides them",
            key=keys[0],
        ),
        culprit=culprit,
        blocks=(pod,),
        help=(
            Step(say("see which labels the Nodes have"), command=command("kubectl get nodes --show-labels")),
            Step(
                say(
                    "set topologyKey to a label that the Nodes have, such as {usual}, or have the Nodes "
                    "labelled with {key} where they are made",
                    usual=_USUAL,
                    key=keys[0],
                ),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.topology-spread-unsatisfiable",
    title=say("a topology spread constraint excludes every remaining node"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
