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
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("address-in-use",), lambda one: _finding(pod, one, snap))


def _finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    port = one.complaint.port
    means = say("another process listens on port {port}", port=port) if port else say("another process listens on its port")
    shared = any(f.host_network for f in snap.of(Containers, pod))
    notes = (say("the Pod uses the Node's own network"),) if shared else ()
    step = mend(
        say("give it another port, or do not use the Node's network (hostNetwork)")
        if shared
        else say("give each container of the Pod a port of its own")
    )
    return finding(pod, one, means, (step,), notes=notes)


CAUSE = Cause(
    id="program.address-in-use",
    title=say("the program ends because another process listens on its port"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
