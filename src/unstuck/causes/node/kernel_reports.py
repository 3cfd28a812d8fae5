"""Lines of a Node's kernel log report a failure that no other cause explains

## How it happens

A disk returns errors, a file system is damaged, a processor is kept busy for seconds, or a table or limit of
the kernel is used up. The kernel writes one line about it and goes on as far as it can; programs see
input/output errors, time-outs or refusals.

## How to tell

A text holds such a line: `EXT4-fs error (device sdb)`, `I/O error, dev sdb, sector`, `soft lockup`, `fork
rejected by pids controller`, `neighbor table overflow` and the like. No later line takes it back.

## Known limits

Only lines without a time count, cut out of the log: on the node itself, and in its whole log, the causes that
look at mounts, limits and tasks decide.

## References

- Linux fs/ext4/super.c, fs/xfs/xfs_fsops.c, block/blk-core.c, kernel/watchdog.c, kernel/rcu/tree_stall.h,
  kernel/cgroup/pids.c, net/core/neighbour.c, net/ceph/mon_client.c
"""

from __future__ import annotations

from unstuck.causes.node._limits import name_node
from unstuck.diagnosis import look_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents, KernelKind
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_OF_A_DISK: tuple[KernelKind, ...] = ("io-error", "fs-shutdown", "fs-error", "fs-read-only")
_OF_A_PROCESSOR: tuple[KernelKind, ...] = ("soft-lockup", "rcu-stall")
# The nearest to the root first: a disk's error damages its file system, which then becomes read-only.
_KINDS: tuple[KernelKind, ...] = (
    *_OF_A_DISK,
    "kernel-bug",
    *_OF_A_PROCESSOR,
    "fork-rejected",
    "neighbours-full",
)
_GOES = say("the kernel no longer logs it")


def _rule(node: Ref, snap: Facts) -> Signs:
    said = _find_undated_events(node, snap)
    return Signs(
        necessary={"the kernel's log reports it": said},
        decisive={},
        supporting={"the line stands without its time": said},
        finding=lambda: _make_finding(node, said.hits[0]),
    )


def _find_undated_events(node: Ref, snap: Facts) -> Sign[KernelEvent]:
    """Return the reports of a cut log that were not taken back, the nearest to the root first."""

    def list_events(log: KernelEvents) -> list[KernelEvent]:
        found = [e for e in log.items if e.kind in _KINDS and e.last is None and not e.over]
        return sorted(found, key=lambda e: _KINDS.index(e.kind))

    said = hearsay(snap, KernelEvents, node, list_events)
    whole = tuple(f for f in snap.of(KernelEvents, node) if f.whole and snap.sure(f))
    return Sign(False, seen=whole) if whole and not said.value else said


def _make_finding(node: Ref, one: KernelEvent) -> Finding:
    return Finding(
        _tell(name_node(node), one), culprit=node, blocks=(node,), help=_list_steps(f"node:{node.name}", one)
    )


def _tell(node: Text, one: KernelEvent) -> Text:
    if one.kind == "io-error":
        return say(
            "the kernel of {node} reports I/O errors of device {device}: the disk fails, or the "
            "connection to it",
            node=node,
            device=one.what,
        )
    if one.kind in _OF_A_DISK:
        return say(
            "the kernel of {node} reports that the file system on {device} is damaged",
            node=node,
            device=one.what,
        )
    if one.kind in _OF_A_PROCESSOR:
        return say(
            "a processor of {node} was busy in the kernel for many seconds, and nothing else ran on it",
            node=node,
        )
    if one.kind == "fork-rejected":
        return say(
            "the kernel of {node} starts no more processes in control group {group}: its PID limit is "
            "reached",
            node=node,
            group=one.what,
        )
    if one.kind == "neighbours-full":
        return say("the neighbor (ARP) table of {node} is full, so it reaches no further address", node=node)
    return say("the kernel of {node} reports a fault of its own", node=node)


def _list_steps(where: str, one: KernelEvent) -> tuple[Step, ...]:
    if one.kind in _OF_A_DISK:
        return (
            Step(
                say("see what else it says about {device}", device=one.what),
                where=where,
                command=look_commands.disk(one.what),
            ),
            Step(
                say(
                    "cordon and drain the node, unmount the file system and check it (fsck, xfs_repair); "
                    "replace the disk if it reports errors again"
                ),
                where=where,
                verify=_GOES,
            ),
        )
    if one.kind == "fork-rejected":
        return (
            Step(
                say("see which program starts that many processes or threads, and limit it"),
                where=where,
            ),
            Step(
                say("or raise the limit: podPidsLimit in the kubelet's configuration"),
                where="source",
                verify=_GOES,
            ),
        )
    if one.kind == "neighbours-full":
        return (
            Step(
                say("see how many entries there are"),
                where=where,
                command=command("ip neigh | wc -l"),
            ),
            Step(
                say("raise the limits: sysctl net.ipv4.neigh.default.gc_thresh1, gc_thresh2 and gc_thresh3"),
                where=where,
                verify=_GOES,
            ),
        )
    return (
        Step(
            say("see the call trace below the line, and how much CPU time the hypervisor takes (steal)"),
            where=where,
            command=command("vmstat 1 5"),
        ),
        Step(
            say("update the kernel, or move the machine to a host with free CPU time"),
            where=where,
            verify=_GOES,
        ),
    )


CAUSE = Cause(
    id="node.kernel-reports",
    title=say("the node's kernel reports a failure"),
    subjects=("Node",),
    reads=frozenset({KernelEvents}),
    rule=_rule,
)
