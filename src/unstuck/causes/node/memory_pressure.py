"""The Node is short of memory

## How it happens

The Pods and daemons of the Node use more than what is left above the kubelet's eviction threshold (`memory.available`, 100Mi by default):
Pods whose limits lie far above their requests, Pods without limits, a daemon outside of Kubernetes, or nothing reserved for the system.

## How to tell

The Node's condition MemoryPressure is True: the kubelet itself measures it. It then evicts Pods that use more than they requested, lets no
BestEffort Pod in, and the taint `node.kubernetes.io/memory-pressure` keeps others away.

## Known limits

The condition stays for five minutes after the pressure has gone (`--eviction-pressure-transition-period`). Memory that is used up within
seconds is not measured in time: the kernel kills then, which is node.out-of-memory.

## References

- Kubernetes documentation "Node-pressure Eviction"; pkg/kubelet/eviction/eviction_manager.go
"""

from __future__ import annotations

from unstuck.causes._commands import usage_on
from unstuck.causes.node._pressure import signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Conditions, Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(node: Ref, snap: Facts) -> Signs:
    return signs(node, snap, "MemoryPressure", "NodeHasInsufficientMemory", lambda since: _finding(node, since))


def _finding(node: Ref, since: tuple[Text, ...]) -> Finding:
    name = node.name or "NODE"
    return Finding(
        Text(f"Node {name} is short of memory, and its kubelet is evicting Pods", f"节点 {name} 内存不足，其 kubelet 正在因此驱逐 Pod"),
        culprit=node,
        blocks=(),
        notes=since,
        help=(
            Step(
                Text("see which of its Pods use most, compared to their requests", "查看其上哪些 Pod 用量最大，并与其请求量比较"),
                command=usage_on(name),
            ),
            Step(
                Text(
                    "raise the requests of Pods that use more than they request, so that they are scheduled where there is room",
                    "提高用量超过请求量的 Pod 的请求值，使其被调度到有余量的节点",
                ),
                where="source",
                verify=Text("MemoryPressure turns False some minutes later", "几分钟后 MemoryPressure 变为 False"),
            ),
        ),
        do_not=(
            DoNot(
                Text("lower the kubelet's eviction threshold", "降低 kubelet 的驱逐阈值"),
                Text(
                    "the kernel would then kill arbitrary processes, including the runtime and the kubelet",
                    "届时内核会随意杀死进程，包括运行时与 kubelet",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.memory-pressure",
    title=Text("the node is short of memory", "节点内存不足"),
    subjects=("Node",),
    reads=frozenset({Conditions, Events}),
    rule=_rule,
)
