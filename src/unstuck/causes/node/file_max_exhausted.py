"""The machine has no file handle left

## How it happens

`fs.file-max` bounds the open files of all processes together. A leak in one program, or very many Pods on a
kernel with a low limit, uses them up. Then no program of an ordinary user can open a file or socket (`too
many open files in system`); root may continue a little longer.

## How to tell

`/proc/sys/fs/file-nr` shows as many handles in use as the limit allows, and the kernel says `VFS: file-max
limit … reached`.

## Known limits

`too many open files` without "in system" is a process' own limit (`LimitNOFILE`), which is another thing.
Kernels of today set the limit by the machine's memory, so it is seldom reached there.

## References

- Linux Documentation/admin-guide/sysctl/fs.rst (file-max, file-nr); fs/file_table.c; errno(3) ENFILE
"""

from __future__ import annotations

from unstuck.causes.node._limits import count_of, find_kernel_events, is_used_up, name_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.node_limits import HostLimit, HostLimits
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_COUNT = (
    'sysctl fs.file-nr; for p in /proc/[0-9]*; do echo "$(ls $p/fd | wc -l) $(cat $p/comm) $p"; done '
    "2>/dev/null | sort -n | tail"
)


def _rule(node: Ref, snap: Facts) -> Signs:
    full = is_used_up(node, snap, "open-files")
    said = find_kernel_events(node, snap, "file-max")
    refused = hearsay(snap, Failure, node, lambda f: [f] if f.error == "ENFILE" else [])
    return Signs(
        decisive={"every file handle is in use": full},
        supporting={"the kernel refused to open more": said, "a program was refused with ENFILE": refused},
        finding=lambda: _make_finding(node, full.hits, said),
    )


def _make_finding(node: Ref, full: tuple[HostLimit, ...], said: Sign[KernelEvent]) -> Finding:
    item = full[0] if full else None
    of = say(": {used} of {limit}", used=item.used, limit=item.limit) if item else NO_TEXT
    refused = count_of(said)
    where = f"node:{node.name}"
    raise_ = say("raise the limit until that is fixed")
    verify = say("the first number of fs.file-nr stays below the third")
    mend = (
        Step(
            raise_,
            where,
            command("sysctl -w fs.file-max={limit}", limit=given.number(item.limit * 2)),
            "reversible",
            command("sysctl -w fs.file-max={limit}", limit=given.number(item.limit)),
            verify,
        )
        if item
        # A number chosen without the present one might be lower.
        else Step(raise_, "source", verify=verify)
    )
    return Finding(
        say("no file handles are left on {node}{of}", node=name_node(node), of=of),
        culprit=Ref("Sysctl", node.name, "fs.file-max"),
        blocks=(node,),
        notes=(say("the kernel logged this {refused} times", refused=refused),) if refused else (),
        help=(
            Step(
                say("find out what has so many open"),
                where=where,
                command=command(_COUNT),
            ),
            mend,
        ),
        do_not=(
            DoNot(
                say("restart the kubelet or the runtime first"),
                say("they need file handles to start, and may not come back until some are free"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.file-max-exhausted",
    title=say("the machine has no file handles left"),
    subjects=("Node",),
    reads=frozenset({Failure, HostLimits, KernelEvents}),
    rule=_rule,
)
