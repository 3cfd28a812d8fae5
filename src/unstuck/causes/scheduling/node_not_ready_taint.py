"""The Nodes that are left to the Pod are not ready

## How it happens

The node controller taints a Node whose kubelet does not report, or reports that it is not ready: `node.kubernetes.io/not-ready`,
`node.kubernetes.io/unreachable`. A new Pod tolerates that for running on (NoExecute), not for being placed (NoSchedule).

## How to tell

The condition says `node(s) had untolerated taint(s)`. Held against the objects, the Nodes that the Pod may choose carry one of these
taints. Why the Node is not ready is a question to the Node: `unstuck why node/NAME`.

## Known limits

What was read is of now, the scheduler's words are of its last try: where the two give other reasons, nothing is proven. Filters of a
scheduler that is configured otherwise, or extended, are not known here.

## References

- Kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/scheduler/framework/plugins/tainttoleration (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

if TYPE_CHECKING:
    from unstuck.scheduling.found import Found
    from unstuck.scheduling.refused import Refused

_KIND = "node-not-ready-taint"


def _words(text: str) -> bool:
    return "taint" in text and (
        "node.kubernetes.io/" not in text or "/not-ready" in text or "/unreachable" in text or "/out-of-service" in text
    )


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    return _placed.signs(
        pod, snap, _KIND, _words, lambda at, hits: _finding(pod, at, hits), lambda text: "/not-ready" in text or "/unreachable" in text
    )


def _finding(pod: Ref, at: Found | None, hits: tuple[Refused, ...]) -> Finding:
    names = _placed.named(at, _KIND)
    first = names[0] if names else "NODE"
    return Finding(
        _placed.nodes_of(at, _KIND) + Text(" are not ready", "未就绪") + _placed.whats(hits),
        culprit=_placed.some_nodes(names),
        blocks=(pod,),
        help=(
            Step(
                Text("see what is wrong with the Node", "查看该节点出了什么问题"),
                command=("unstuck", "why", f"node/{first}"),
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                Text("tolerate the taint so that the Pod is placed there", "让 Pod 容忍该污点以便放到那里"),
                Text(
                    "nobody is there to start it, and it would hang where it is harder to see",
                    "那里没有可用的 kubelet 启动它，它会卡在更难发现的地方",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.node-not-ready-taint",
    title=Text("the Nodes that are left to the Pod are not ready", "留给该 Pod 的节点都未就绪"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
