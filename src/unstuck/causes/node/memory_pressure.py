"""The Node is short of memory

## How it happens

The Pods and daemons of the Node use more than the memory above the kubelet's eviction threshold
(`memory.available`, 100Mi by default): Pods whose limits lie far above their requests, Pods without limits, a
daemon outside of Kubernetes, or no reservation for the system.

## How to tell

The Node's condition MemoryPressure is True: the kubelet itself measures it. It then evicts Pods that use more
than they requested, lets no BestEffort Pod in, and the taint `node.kubernetes.io/memory-pressure` keeps
others away.

## Known limits

The condition stays for five minutes after the pressure has gone (`--eviction-pressure-transition-period`).
Memory that is used up within seconds is not measured in time: the kernel kills then, which is
node.out-of-memory.

## References

- Kubernetes documentation "Node-pressure Eviction"; pkg/kubelet/eviction/eviction_manager.go
"""

from __future__ import annotations

from unstuck.causes._commands import show_usage_on
from unstuck.causes._kubelet_settings import READS as THRESHOLD_READS
from unstuck.causes.node._pressure import make_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Conditions, Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(node: Ref, snap: Facts) -> Signs:
    return make_signs(
        node,
        snap,
        "MemoryPressure",
        "NodeHasInsufficientMemory",
        lambda since: _make_finding(node, since),
        reclaims=("memory",),
    )


def _make_finding(node: Ref, since: tuple[Text, ...]) -> Finding:
    name = node.name or "NODE"
    return Finding(
        say("Node {name} is short of memory, and its kubelet is evicting Pods", name=name),
        culprit=node,
        blocks=(),
        notes=since,
        help=(
            Step(
                say("see which of its Pods use most, compared to their requests"),
                command=show_usage_on(name),
            ),
            Step(
                say(
                    "raise the requests of Pods that use more than they request, so that they are scheduled "
                    "to Nodes with room"
                ),
                where="source",
                verify=say("MemoryPressure turns False some minutes later"),
            ),
        ),
        do_not=(
            DoNot(
                say("lower the kubelet's eviction threshold"),
                say("the kernel would then kill arbitrary processes, including the runtime and the kubelet"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.memory-pressure",
    title=say("the node is short of memory"),
    subjects=("Node",),
    reads=frozenset({Conditions, Events}) | THRESHOLD_READS,
    rule=_rule,
)
