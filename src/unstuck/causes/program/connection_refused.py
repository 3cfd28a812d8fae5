"""The program ends because a server refuses its connection

## How it happens

The program connects to a server that it needs (a database, a queue, another service), the port has no
listener, and it gives up: the server is not up yet or crashes, its Service has no ready Pod, the port is
wrong, or the address is that of the Pod itself (`localhost`), where no other container listens.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `connection refused` or
`ECONNREFUSED`, with the address if the language gives it. It is proven if the name belongs to a Service, and
no Pod behind it is ready, or it has no such port.

## Known limits

The endpoints of the Service are seen some time after the refusal: an endpoint that is ready by now does not
disprove it. A bare address is looked up among the addresses of Services, and with a port of every node among
the Nodes', not among the addresses of Pods.
The API server's own address is reported by network.pod-to-apiserver-broken.

## References

- Linux errno(3), ECONNREFUSED; documentation "Debug Services"
"""

from __future__ import annotations

from unstuck.causes import _addresses, _neighbour_log, _told_ports
from unstuck.causes.program._asked_address import add_address_source
from unstuck.causes.program._reach import make_unreachable_signs
from unstuck.causes.program._told import READS, STAGES, find_last_words
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.services import AddressHolders, ServicePods, ServicesAt, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _says(where: Text) -> Text:
    return say("its connection is refused{where}", where=where)


def _rule(pod: Ref, snap: Facts) -> Signs:
    signs = make_unreachable_signs(pod, snap, "connection-refused", _says)
    return add_address_source(pod, snap, "connection-refused", signs)


CAUSE = Cause(
    id="program.connection-refused",
    title=say("the program ends because a server refuses its connection"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS
    | _addresses.READS
    | _neighbour_log.READS
    | _told_ports.READS
    | {AddressHolders, Placement, ServicePods, ServicesAt, ServiceSpec},
    rule=_rule,
)
