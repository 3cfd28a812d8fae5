"""The container needed more memory than its limit

## How it happens

The processes of the container, with the files they write to memory-backed volumes, reached `limits.memory`, and the kernel killed one of
them: the limit is too low for what the program needs at its peak, the program does not know its limit (a heap sized by the machine's
memory), or it leaks.

## How to tell

The kubelet gives the reason OOMKilled for the last run, and the container has a memory limit. Exit code 137 without that reason is no
proof: see container.killed-without-witness. Init containers and sidecars have their own limits.

## Known limits

A child process that is killed while the container's first process lives leaves no trace in the Pod's status; the kernel's log on the Node
has it. A limit below 1 MiB is a unit mistaken and found as resources.memory-unit-wrong instead. Without a limit of its own a container
was killed because the Node, or the Pod as a whole, had no memory left: not meant here.

## References

- Linux Documentation/admin-guide/cgroup-v2.rst (memory.max), cgroup-v1/memory.rst; containerd: reason OOMKilled from the cgroup's OOM event
"""

from __future__ import annotations

from typing import Any

from unstuck.causes.container._ends import STAGES, Run, container_ref, ended, how_often, judged
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pod import Containers, ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.quantity import amount
from unstuck.facts.snapshot import Snapshot

_LEAST = 1 << 20


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    runs = ended(pod, snap)
    killed = tuple(r for r in runs.hits if r.end.reason == "OOMKilled")
    by_limit = judged([(r, _limited(pod, snap, r)) for r in killed], runs.seen) if killed else _none(runs)

    def finding() -> Finding:
        return _finding(pod, by_limit.hits[0])

    return Signs(decisive={"the kubelet reports OOMKilled, and the container has a limit": by_limit}, finding=finding)


def _none(runs: Sign[Run]) -> Sign[Run]:
    return Sign(False, seen=runs.seen) if runs.value is not None else runs


def _limit(run: Run) -> str:
    return next((v for k, v in run.spec.limits if k == "memory"), "") if run.spec else ""


def _limited(pod: Ref, snap: Snapshot, run: Run) -> Sign[Any]:
    def enough(f: Containers) -> list[str]:
        return [v for c in f.items if c.name == run.name for k, v in c.limits if k == "memory" and (amount(k, v) or 0) >= _LEAST]

    return some(snap, Containers, pod, enough)


def _finding(pod: Ref, run: Run) -> Finding:
    limit = _limit(run)
    measure = Step(
        Text("measure what it needs at its peak while it runs", "在其运行时测量峰值内存用量"),
        command=("kubectl", "top", "pod", *(("-n", pod.within) if pod.within else ()), pod.name or "POD", "--containers"),
    )
    raise_ = Step(
        Text(
            "raise limits.memory (and the request) in the owner's template above that peak, or make the program keep to it (heap size)",
            "在所属工作负载的模板中把 limits.memory（及请求）提高到峰值以上，或让程序遵守限制（如堆大小）",
        ),
        where="source",
        verify=Text("no new OOMKilled in the container's status", "容器状态中不再出现新的 OOMKilled"),
    )
    unlimited = DoNot(
        Text("take the limit away", "去掉内存限制"),
        Text(
            "a leak would then take the Node's memory, and the kernel would kill other Pods' processes",
            "一旦泄漏会耗尽节点内存，内核会杀死其他 Pod 的进程",
        ),
    )
    return Finding(
        Text(f"container {run.name} exceeded its memory limit of {limit} and was killed", f"容器 {run.name} 超过内存限制 {limit}，被杀死"),
        container_ref(pod, run.name),
        (pod,),
        how_often(run),
        (measure, raise_),
        (unlimited,),
    )


CAUSE = Cause(
    id="container.out-of-memory",
    title=Text("the container needed more memory than its limit", "容器所需内存超过其限制"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({ContainerStatuses, Containers}),
    rule=_rule,
)
