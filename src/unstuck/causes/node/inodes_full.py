"""A file system of the Node has no inode left, and the runtime fails for lack of it

## How it happens

Very many small files fill the table of inodes of the file system that the runtime, the kubelet or the logs
live on: bytes may be free. Every call that has to write there then fails with `no space left on device`:
containers and sandboxes are not created, images are not pulled. Older Docker also fails to end a container
whose state it cannot record.

## How to tell

`df -iP` of that directory shows no free inode, and the runtime's or kubelet's own message says `no space left
on device`.

## Known limits

With a modern containerd a full disk stops creation, not deletion: without a failed call this does not hold a
Pod up. Space that was freed since cannot be seen; a file that was deleted and is still open takes its space
until it is closed. The message is the same if bytes are missing: that is node.disk-full.

## References

- statvfs(3), write(2) ENOSPC; pkg/kubelet/eviction; field notes
"""

from __future__ import annotations

from unstuck.causes.node._full import STAGES, lacks_inodes, make_finding, make_full_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Phase
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.space import Consumer, DiskSpace, Space
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_WHAT = say("inode")


def _rule(subject: Ref, snap: Facts) -> Signs:
    def found(full: tuple[Space, ...], node: Ref, _: tuple[Failure, ...]) -> Finding:
        return make_finding(full, node, subject, snap, _WHAT, _describe_usage)

    return make_full_signs(subject, snap, lacks_inodes, found, of_bytes=False)


def _describe_usage(consumer: Consumer) -> Text:
    return say("{inodes:,} inodes", inodes=consumer.inodes)


CAUSE = Cause(
    id="node.inodes-full",
    title=say("a file system of the node has no inodes left"),
    subjects=("Pod", "Node"),
    stages=STAGES,
    reads=frozenset({DiskSpace, Failure, Events, Placement, Phase, Deletion, Conditions, NodeInfo}),
    rule=_rule,
)
