"""A pool has nothing left to allocate

## How it happens

Addresses, ports, devices, licences and the like come from a pool, a range or a number of places. The
allocator has none for this request: all are in use, the pool is empty or was never loaded, or the request is
for another pool than the one with free items.

## How to tell

The line is written as an error and says that none is free: `no available VLANs`, `all 8 slots are in use`,
`failed to allocate … from pool "main": pool empty`.

## Known limits

Its evidence is the message alone: it is never more than likely. They do not show which of the four it is. If
the text has a more specific message, that is reported instead.

## References

- MetalLB internal/allocator/allocator.go; Cilium operator/pkg/ipam; Kubernetes documentation: Service
  ClusterIP allocation
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("pool-exhausted",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = say(
        "no {sort} can be given out: the pool that it comes from is used up, is empty, was not loaded, or "
        "is not the one that was asked for: “{reason}”",
        sort=c.resource,
        reason=c.reason,
    )
    look = Step(
        say(
            "see which kinds of pools the cluster has, then their objects: their size, and what has been "
            "given out"
        ),
        command=command("kubectl api-resources -o wide | grep -i -e pool -e ipam -e range"),
    )
    log = Step(say("read what the program that gives them out wrote at its start: which pools it loaded"))
    step = mend(say("enlarge the pool, free what nobody uses any more, or ask for a pool that has some"))
    return make_finding(pod, one, means, (look, log, step))


CAUSE = Cause(
    id="program.pool-exhausted",
    title=say("a pool has nothing left to allocate"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
