"""The Node's memory is in pieces too small for the kernel

## How it happens

Some of what the kernel makes for a container (a memory cgroup on old kernels, tables of a network namespace) takes a run of pages that lie
side by side. Memory may be free and still none such is left, after weeks under load with a full page cache. The call fails with `cannot
allocate memory`, though `free` shows plenty.

## How to tell

Creating sandboxes fails with `cannot allocate memory`, and the kernel's log says `page allocation failure: order:N` with N of 3 or more at
the same time.

## Known limits

`cannot allocate memory` alone is also a limit in a wrong unit, a leak of memory cgroups (cgroup.kmem-leak), or memory that is really used
up.

## References

- Linux mm/page_alloc.c (warn_alloc), Documentation/admin-guide/sysctl/vm.rst (compact_memory, min_free_kbytes)
"""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, heard
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation

_CREATIONS: tuple[Operation, ...] = ("sandbox-create", "container-create", "container-start", "network-set-up")
# Below this the kernel goes on trying by itself (PAGE_ALLOC_COSTLY_ORDER).
_LARGE = 3
_SPAN = timedelta(minutes=15)


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = heard(snap, Failure, pod, lambda f: [f] if f.operation in _CREATIONS and f.error == "ENOMEM" and _near(f.src.at, snap) else [])
    node = node_of(pod, snap)
    failed: Sign[KernelEvent] = Sign(None, wants=(Want(Placement, pod),))
    if node:
        failed = heard(snap, KernelEvents, node, lambda f: [e for e in f.items if _large(e, snap)])
        failed = failed if failed.value else Sign(None, wants=(Want(KernelEvents, node),) if said.value else ())
    return Signs(
        necessary={"the kernel had no memory for a creation": said},
        decisive={"at the same time it found no run of pages": failed if failed.value else Sign(None, said.hits, said.seen, failed.wants)},
        finding=lambda: _finding(pod, node, failed.hits[-1]),
    )


def _large(e: KernelEvent, snap: Facts) -> bool:
    order = int(e.what) if e.what.isdigit() else 0
    return e.kind == "allocation-failed" and order >= _LARGE and _near(e.last, snap)


def _near(at: datetime | None, snap: Facts) -> bool:
    return at is None or snap.now - at <= _SPAN


def _finding(pod: Ref, node: Ref | None, event: KernelEvent) -> Finding:
    name = (node.name if node else None) or "NODE"
    return Finding(
        Text(
            f"Node {name} has no contiguous free pages left for the kernel (order {event.what})",
            f"节点 {name} 没有可供内核使用的连续空闲页（order {event.what}）",
        ),
        culprit=Ref("Memory", name, "fragmented"),
        blocks=(pod,),
        notes=(Text(f"kernel: {event.quote}", f"内核：{event.quote}"),) if event.quote else (),
        help=(
            Step(
                Text(
                    "have the kernel compact memory; the node is slower for some seconds meanwhile",
                    "让内核整理内存页；期间节点会变慢数秒",
                ),
                where=f"node:{name}",
                command=command("sysctl -w vm.compact_memory=1"),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
            Step(
                Text(
                    "permanently: raise vm.min_free_kbytes, or use a 5.x kernel, which needs smaller contiguous runs",
                    "长期措施：提高 vm.min_free_kbytes，或使用所需连续页更少的 5.x 内核",
                ),
                where=f"node:{name}",
            ),
        ),
        do_not=(
            DoNot(
                Text("drop caches repeatedly (vm.drop_caches) from a timer", "用定时任务反复清空缓存（vm.drop_caches）"),
                Text(
                    "every program on the node then rereads its files from disk, and memory stays fragmented",
                    "节点上每个程序都得重新从磁盘读取文件，而内存页依旧零散",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.memory-fragmented",
    title=Text("the node's memory is too fragmented for the kernel", "节点内存碎片过多，内核无法使用"),
    subjects=("Pod",),
    stages=("sandbox-and-network", "init-done", "containers-created", "started", "stays-up"),
    reads=frozenset({Failure, KernelEvents, Placement}),
    rule=_rule,
)
