"""The Nodes that the Pod could otherwise use are short of memory, disk, PIDs or network

## How it happens

The kubelet reports MemoryPressure, DiskPressure or PIDPressure, or that its network is not set up, and the
node controller turns that into a taint (`node.kubernetes.io/disk-pressure:NoSchedule`), so no more Pods are
placed there.

## How to tell

The condition says `node(s) had untolerated taint(s)`. Compared with the objects, the Nodes that the Pod may
choose carry such a taint. It is removed with the condition; the reason for the pressure is a question to the
Node.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go,
  pkg/scheduler/framework/plugins/tainttoleration (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes import _kubelet_settings
from unstuck.causes._kubelet_settings import tell_thresholds
from unstuck.causes._node_config import add_node_words
from unstuck.causes.scheduling import _placed
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "node-pressure-taint"
_PRESSURE = regex(r"/(?P<what>disk|memory|pid)-pressure")
# The conditions themselves were looked at until 1.12 (pkg/scheduler/algorithm/predicates/error.go).
_BEFORE_TAINTS = (
    "node(s) had memory pressure",
    "node(s) had disk pressure",
    "node(s) had pid pressure",
    "node(s) had unavailable network",
    "node(s) were out of disk space",
)


def _words(text: str) -> bool:
    return text in _BEFORE_TAINTS or (
        "taint" in text and ("{" not in text or "-pressure" in text or "/network-unavailable" in text)
    )


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(
        pod,
        snap,
        _KIND,
        _words,
        lambda at, hits: _add_thresholds(_make_finding(pod, at, hits), at, hits, snap),
        lambda text: text in _BEFORE_TAINTS or "-pressure" in text or "/network-unavailable" in text,
    )


def _add_thresholds(
    finding: Finding, at: PlacementAnalysis | None, hits: tuple[NodeRejection, ...], snap: Facts
) -> Finding:
    """Return the finding with the kubelet's thresholds for the pressure on the first such Node."""
    names = _placed.list_closed_nodes(at, _KIND)
    pressure = next((m["what"] for r in hits if (m := _PRESSURE.search(r.what))), "")
    if not names or not pressure:
        return finding
    return add_node_words(
        finding, tell_thresholds(Ref("Node", None, names[0]), pressure, snap, _placed.PLACED)
    )


def _make_finding(pod: Ref, at: PlacementAnalysis | None, hits: tuple[NodeRejection, ...]) -> Finding:
    names = _placed.list_closed_nodes(at, _KIND)
    first = names[0] if names else "NODE"
    return Finding(
        _placed.name_nodes(at, _KIND)
        + say(" are short of resources themselves")
        + _placed.quote_taints(hits),
        culprit=_placed.make_nodes_ref(names),
        blocks=(pod,),
        help=(
            Step(
                say("see what fills the node"),
                command=command("kubectl describe {node}", node=given.obj("node", first)),
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("remove the taint by hand"),
                say(
                    "it comes back while the condition lasts, and a Pod scheduled meanwhile is among the "
                    "first to be evicted"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.node-pressure-taint",
    title=say("the remaining nodes are short of memory, disk, PIDs or network"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | _kubelet_settings.READS,
    rule=_rule,
)
