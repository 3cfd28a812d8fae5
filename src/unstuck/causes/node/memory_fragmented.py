"""The Node's memory is too fragmented for the kernel

## How it happens

Some kernel objects of a container (a memory cgroup on old kernels, tables of a network namespace) need a run
of contiguous pages. Memory may be free without such a run, after weeks under load with a full page cache. The
call fails with `cannot allocate memory`, though `free` shows plenty.

## How to tell

Creating sandboxes fails with `cannot allocate memory`, and the kernel's log says `page allocation failure:
order:N` with N of 3 or more at the same time. If the process in that line is runc's own first one
(`runc:[1:CHILD]`), that line alone makes it likely.

## Known limits

`cannot allocate memory` alone is also a limit in a wrong unit, a leak of memory cgroups (cgroup.kmem-leak),
or memory that is really used up.

## References

- Linux mm/page_alloc.c (warn_alloc), Documentation/admin-guide/sysctl/vm.rst (compact_memory,
  min_free_kbytes)
"""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

_CREATIONS: tuple[Operation, ...] = (
    "sandbox-create",
    "container-create",
    "container-start",
    "network-set-up",
)
# Below this the kernel keeps trying by itself (PAGE_ALLOC_COSTLY_ORDER).
_LARGE = 3
_SPAN = timedelta(minutes=15)
# libcontainer/nsenter/nsexec.c names its processes so while they make a container.
_OF_RUNC = regex(r"runc:\[")


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _of_node(subject, snap) if subject.kind == "Node" else _of_pod(subject, snap)


def _of_node(node: Ref, snap: Facts) -> Signs:
    """Return the signs of a Node: the kernel refused pages to runc, so a container could not be started."""
    refused = hearsay(
        snap,
        KernelEvents,
        node,
        lambda f: [e for e in f.items if _large(e, snap) and _OF_RUNC.match(e.quote)],
    )
    return Signs(
        decisive={},
        supporting={"the kernel found no run of pages as runc made a container": refused},
        finding=lambda: _make_finding(node, node, refused.hits[-1]),
    )


def _of_pod(pod: Ref, snap: Facts) -> Signs:
    said = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation in _CREATIONS and f.error == "ENOMEM" and _near(f.src.at, snap) else [],
    )
    node = find_node_of_pod(pod, snap)
    failed: Sign[KernelEvent] = Sign(None, wants=(Want(Placement, pod),))
    if node:
        failed = hearsay(snap, KernelEvents, node, lambda f: [e for e in f.items if _large(e, snap)])
        failed = (
            failed if failed.value else Sign(None, wants=(Want(KernelEvents, node),) if said.value else ())
        )
    return Signs(
        necessary={"the kernel had no memory for a creation": said},
        decisive={
            "at the same time it found no contiguous pages": failed
            if failed.value
            else Sign(None, said.hits, said.seen, failed.wants)
        },
        finding=lambda: _make_finding(pod, node, failed.hits[-1]),
    )


def _large(e: KernelEvent, snap: Facts) -> bool:
    order = int(e.what) if e.what.isdigit() else 0
    return e.kind == "allocation-failed" and order >= _LARGE and _near(e.last, snap)


def _near(at: datetime | None, snap: Facts) -> bool:
    return at is None or snap.now - at <= _SPAN


def _make_finding(pod: Ref, node: Ref | None, event: KernelEvent) -> Finding:
    name = (node.name if node else None) or "NODE"
    return Finding(
        say(
            "Node {name} has no contiguous free pages left for the kernel (order {what})",
            name=name,
            what=event.what,
        ),
        culprit=Ref("Memory", name, "fragmented"),
        blocks=(pod,),
        notes=(say("kernel: {quote}", quote=event.quote),) if event.quote else (),
        help=(
            Step(
                say("have the kernel compact memory; the node is slower for some seconds meanwhile"),
                where=f"node:{name}",
                command=command("sysctl -w vm.compact_memory=1"),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
            Step(
                say(
                    "permanently: raise vm.min_free_kbytes, or use a 5.x kernel, which needs smaller "
                    "contiguous runs"
                ),
                where=f"node:{name}",
            ),
        ),
        do_not=(
            DoNot(
                say("drop caches repeatedly (vm.drop_caches) from a timer"),
                say(
                    "every program on the node then rereads its files from disk, and memory stays fragmented"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.memory-fragmented",
    title=say("the node's memory is too fragmented for the kernel"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network", "init-done", "containers-created", "started", "stays-up"),
    reads=frozenset({Failure, KernelEvents, Placement}),
    rule=_rule,
)
