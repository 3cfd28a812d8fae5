"""The program ends because another process listens on its port

## How it happens

The program listens on a port that is taken, and gives up: two containers of the Pod use the same port (they share one network), it is
started twice inside of its container, or, with `hostNetwork`, another Pod or a daemon of the Node has it.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `address already in use` or `EADDRINUSE`, mostly with the port.

## Known limits

Who listens there is not looked up: it stays likely.

## References

- bind(2), EADDRINUSE
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("address-in-use",), lambda one: _finding(pod, one, snap))


def _finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    port = one.complaint.port
    means = (
        Text(f"another process listens on port {port}", f"端口 {port} 已被其他进程占用")
        if port
        else Text("another process listens on its port", "其端口已被其他进程占用")
    )
    shared = any(f.host_network for f in snap.of(Containers, pod))
    notes = (Text("the Pod uses the Node's own network", "该 Pod 使用节点自身的网络"),) if shared else ()
    step = mend(
        Text(
            "give it another port, or do not use the Node's network (hostNetwork)",
            "改用另一个端口，或不再使用节点网络（hostNetwork）",
        )
        if shared
        else Text("give each container of the Pod a port of its own", "让 Pod 的各个容器使用不同的端口")
    )
    return finding(pod, one, means, (step,), notes=notes)


CAUSE = Cause(
    id="program.address-in-use",
    title=Text("the program ends because another process listens on its port", "程序因端口已被占用而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
