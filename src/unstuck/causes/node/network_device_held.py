"""The kernel waits for a network device that is still held

## How it happens

A container's network namespace is taken down, and the kernel waits for the last reference to its devices. A
leaked reference, which is a kernel bug, keeps it waiting forever. It holds a lock
meanwhile: every creation or removal of a network namespace on this node waits, and with it Pods that start or
end.

## How to tell

The kernel writes every ten seconds `unregister_netdevice: waiting for eth0 to become free. Usage count = 1`.

## Known limits

One such line is also written of a device that is given back a moment later; at a Node it counts from the
third. Which program holds the reference is not seen.

## References

- Linux net/core/dev.c (`netdev_wait_allrefs`); kubernetes/node-problem-detector config/kernel-monitor.json
"""

from __future__ import annotations

from unstuck.causes.node._limits import count_of, find_kernel_events
from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage
from unstuck.diagnosis import class_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# So often it is written of a device that is not given back a moment later.
_OFTEN = 3


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind == "Text":
        return make_signs_in_text(subject, snap, "device-held", lambda one: _make_text_finding(subject, one))
    said: Sign[KernelEvent] = find_kernel_events(subject, snap, "netdev-held")
    often = said if count_of(said) >= _OFTEN else Sign[KernelEvent](None, said.hits, said.seen, said.wants)
    return Signs(
        decisive={},
        supporting={"the kernel still writes that it waits": often},
        finding=lambda: _make_node_finding(subject, said),
    )


def _make_text_finding(text: Ref, one: ProgramMessage) -> Finding:
    return Finding(_means(one.complaint.name), text, (one.of,) if one.of else (), (), _steps("node"))


def _make_node_finding(node: Ref, said: Sign[KernelEvent]) -> Finding:
    notes = (say("the kernel logged this {count} times", count=count_of(said)),)
    name = next((e.what for e in said.hits), "")
    on = say(" on Node {node}", node=node.name) if node.name else NO_TEXT
    return Finding(
        _means(name) + on,
        Ref("Device", node.name, name),
        (node,),
        notes,
        _steps(f"node:{node.name}" if node.name else "node"),
    )


def _means(device: str) -> Text:
    return say(
        "The kernel waits for the network device {device} of a container, whose last reference is never "
        "given back (a fault of the kernel); what makes or removes Pods' networks waits too",
        device=device,
    )


def _steps(where: str) -> tuple[Step, ...]:
    look = Step(
        say("see whether it continues, and which kernel release runs"),
        where=where,
        command=class_commands.kernel(),
    )
    boot = Step(
        say(
            "only a restart of the machine frees it: drain the node first, as far as "
            "possible; its Pods end meanwhile"
        ),
        where=where,
        risk="disrupts",
        verify=say("the kernel no longer writes it"),
    )
    return look, boot, Step(say("use a kernel with this bug fixed, on all nodes"), where="source")


CAUSE = Cause(
    id="node.network-device-held",
    title=say("the kernel waits for a network device that is still held"),
    subjects=("Node", "Text"),
    reads=frozenset({KernelEvents, ToldErrors}),
    rule=_rule,
)
