"""Facts from the kernel's log, about the Node and about the Pods whose tasks or cgroups it names."""

from __future__ import annotations

from dataclasses import replace

from unstuck.collect.node.cgroup import parse_groups
from unstuck.collect.node.kernel import KernelLog
from unstuck.collect.node.kernel_messages import parse_events, parse_hung_tasks
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.kernel import HungTask, HungTasks, KernelEvent, KernelEvents
from unstuck.facts.core import Ref, Source

# The first PID namespace, whose numbers the kernel uses in its log (include/linux/proc_ns.h,
# PROC_PID_INIT_INO).
_FIRST_PIDS = "pid:[4026531836]"


def events_of_node(view: NodeView) -> KernelEvents | None:
    """Return the kernel's reports, about the Node; None if its log cannot be read."""
    log = view.kernel_log
    return None if log is None else _events_fact(log, parse_events(log.lines), view, view.ref)


def events_of_pod(view: NodeView, pod: Ref) -> KernelEvents | None:
    """Return the events that name one of the Pod's cgroups."""
    log = view.kernel_log
    if log is None:
        return None
    return _events_fact(
        log,
        [e for e in parse_events(log.lines) if parse_groups(f"1:pids:{e.what}").pod == pod.uid],
        view,
        pod,
    )


def _events_fact(log: KernelLog, items: list[KernelEvent], view: NodeView, about: Ref) -> KernelEvents:
    last = next((e for e in reversed(items) if not e.over), None)
    src = Source(
        f"{view.name} {log.where}",
        last.quote if last else f"{len(log.lines)} lines",
        last.last if last else None,
    )
    return KernelEvents(about=about, src=src, whole=log.complete, items=tuple(items), since=log.since)


def hung_tasks_of_node(view: NodeView) -> HungTasks | None:
    """Return tasks that the kernel found blocked."""
    log = view.kernel_log
    return (
        None
        if log is None
        else _hung_tasks_fact(log, _match_processes(view, parse_hung_tasks(log.lines)), view, view.ref)
    )


def hung_tasks_of_pod(view: NodeView, pod: Ref) -> HungTasks | None:
    """Return the Pod's blocked tasks. A task that has ended cannot be matched to a Pod: never the whole of
    it.
    """
    log = view.kernel_log
    if log is None:
        return None
    mine = [t for t in _match_processes(view, parse_hung_tasks(log.lines)) if t.pod == pod.uid]
    return replace(_hung_tasks_fact(log, mine, view, pod), whole=False)


def _hung_tasks_fact(log: KernelLog, items: list[HungTask], view: NodeView, about: Ref) -> HungTasks:
    last = items[-1] if items else None
    quote = (
        f"task {last.comm}:{last.pid} blocked for more than {last.seconds} seconds"
        if last
        else f"{len(log.lines)} lines"
    )
    return HungTasks(
        about=about,
        src=Source(f"{view.name} {log.where}", quote, last.last if last else None),
        whole=log.complete and _is_still_reported(view),
        items=tuple(items),
    )


def _is_still_reported(view: NodeView) -> bool:
    """Tell whether the kernel looks for blocked tasks and would still report them (-1: without end)."""
    read = {
        n: (view.root.text(f"/proc/sys/kernel/hung_task_{n}", 64) or "").strip()
        for n in ("warnings", "timeout_secs")
    }
    return read["warnings"] not in ("", "0") and read["timeout_secs"] not in ("", "0")


def _match_processes(view: NodeView, tasks: list[HungTask]) -> list[HungTask]:
    """Return the tasks with their present state, if this PID namespace is the kernel's own.

    A node that is itself a container has other pids, and the kernel reports all tasks of the machine: a task
    belongs to this node only if a task of that name is in D here.
    """
    pids = view.root.link("/proc/1/ns/pid")[0]
    if pids == _FIRST_PIDS:
        return [_match_process(view, t) for t in tasks]
    threads, all_seen = view.table.stuck
    if not (tasks and pids and view.sees_node and all_seen):
        return tasks
    here = {t.comm for those in threads.values() for t in those}
    return [t if t.comm in here else replace(t, alive=False) for t in tasks]


def _match_process(view: NodeView, task: HungTask) -> HungTask:
    status = view.root.text(f"/proc/{task.pid}/status", 8192) or ""
    fields = dict(line.partition(":\t")[::2] for line in status.split("\n"))
    if fields.get("Name", "").strip() != task.comm:
        return replace(task, alive=False) if view.sees_node else task
    pod = parse_groups(view.root.text(f"/proc/{task.pid}/cgroup", 1 << 16) or "").pod
    return replace(task, alive=fields.get("State", "").startswith("D"), pod=pod)
