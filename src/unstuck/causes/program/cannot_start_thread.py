"""The program ends because it can start no further process or thread

## How it happens

The kernel refuses a new process or thread: the Pod has used up its `podPidsLimit`, the user its limit of processes (`ulimit -u`), the
Node its pids, or no memory is left for a stack.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `can't fork`, `unable to create native thread` or `pthread_create
failed`.

## Known limits

Which limit it is, is not looked up: it stays likely. Pids of the Node are told by node.pids-exhausted where it is the cause.

## References

- fork(2), clone(2), EAGAIN; documentation "Process ID Limits And Reservations"
"""

from __future__ import annotations

from unstuck.causes._commands import on_node
from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("thread-refused",), lambda one: _finding(pod, one, snap))


def _finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    means = say("it can start no further process or thread")
    fewer = mend(say("start fewer of them, or raise the limit of its user (ulimit -u), where that is used up"))
    node = find_node_of_pod(pod, snap)
    if node is None or not node.name:
        return finding(pod, one, means, (fewer, Step(say("raise podPidsLimit in the kubelet's configuration, where that is used up"))))
    # It is the kubelet's, and no manifest of the Pod can raise it.
    limit = Step(
        say(
            "where pids.current of the Pod's cgroup is as large as its pids.max: raise podPidsLimit in the configuration of the kubelet of "
            "Node {node}",
            node=node.name,
        ),
        where=on_node(node.name),
    )
    return finding(pod, one, means, (fewer, limit))


CAUSE = Cause(
    id="program.cannot-start-thread",
    title=say("the program ends because it can start no further process or thread"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
