"""A network or FUSE file system does not respond

## How it happens

The server of an NFS or glusterfs volume, or the daemon of a FUSE mount, died or cannot be reached. Every
process that touches the mount waits in the kernel, the container's own ones, the kubelet's unmount, even
`docker ps`. The container cannot be ended or its volume cannot be unmounted, so the Pod stays; where such
Pods move on, the next Node hangs.

## How to tell

Requests wait unanswered (`/sys/fs/fuse/connections/N/waiting`, `mountstats`) and the same tasks stay in state
D in that file system's functions. The kernel may log `nfs: server … not responding`. The Node stays Ready for
minutes and no Event is written before `FailedKillPod`. A look at the volume (`ls`, `df`, a call that `strace`
shows last) that was aborted with Ctrl-C makes it likely. Without a look at the Node's mounts, its kernel's
own `nfs: server … not responding, still trying` (or that a CIFS or ceph server has not answered) makes it
likely, unless a later line says that the server answers again.

## Known limits

A busy server has requests under way as well, so without a task that waits on the mount this is possible only.
unstuck does not touch the mount, unless the user requests it (`--touch`): a look at such a mount would hang
itself. If the kernel does not show FUSE connections only the tasks are evidence. The kernel is silent after
the mount was given up (`umount -f`), and a paste may lack the line that ends the report: it counts for a day,
and only until the mounts are looked at.

## References

- Documentation/filesystems/fuse.rst, proc(5) mountstats, nfs(5); field notes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, accept_hearsay, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import DaemonState, PodMounts, PodProcesses, Proc, WaitingMount, WaitingMounts
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.objects import Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement, Volumes
from unstuck.facts.aspects.touched import Touched
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.knowledge.waits import waits_on
from unstuck.stages.overdue import is_overdue, stop_timed_out
from unstuck.stages.runtime import waits_for_runtime

say = Messages(__name__)

# Volumes that live on the Node itself; all others may be served over the network or by a daemon.
_LOCAL = ("emptyDir", "configMap", "secret", "projected", "downwardAPI", "gitRepo", "image")
# Messages of a kernel that keeps waiting: an NFS mount with `soft` logs `timed out`, and its callers continue
# with an error.
_WAITS = regex(r"not responding, still trying|has not responded in \d+ seconds|\bmds\d+ hung")
_LATELY = timedelta(days=1)
_KEEP = (
    DoNot(
        say("unmount it lazily (umount -l)"),
        say("that only hides the mount: waiting processes keep waiting, hidden"),
    ),
    DoNot(
        say("drain the node, or delete its Pods to start them elsewhere"),
        say("each node that gets such a Pod may hang next"),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    is_pod = subject.kind == "Pod"
    node = find_node_of_pod(subject, snap) if is_pod else snap.canon(subject)
    uid = snap.canon(subject).uid
    devices = {m.dev for f in snap.of(PodMounts, subject) for m in (*f.items, *f.extra) if m.dev}
    # Also a thread of a process whose first one has ended (`[java] <defunct>`).
    stuck = [p for f in snap.of(PodProcesses, subject) for p in f.items if p.state == "D" or p.stuck_threads]

    # A mount that the runtime itself waits for also holds a Pod that waits for its runtime.
    waits = is_pod and waits_for_runtime(subject, snap).value is True

    def is_used(item: WaitingMount) -> bool:
        mine = uid in item.pods or item.dev in devices or any(p.pid in item.tasks for p in stuck)
        return not is_pod or mine or (waits and bool(_list_runtimes(item, node, snap)))

    def find_seen(pick: Callable[[tuple[WaitingMount, ...]], Iterable[WaitingMount]]) -> Sign[WaitingMount]:
        return (
            some(snap, WaitingMounts, node, lambda f: pick(tuple(i for i in f.items if is_used(i))))
            if node
            else Sign(None)
        )

    hung = find_seen(
        lambda items: [i for i in items if i.waiting != 0 and (i.tasks or _is_by_function(i, items, stuck))]
    )
    slow = find_seen(lambda items: [i for i in items if _steady(i)])
    if hung.value is False and slow.value:
        # Requests are open; the waiting processes were not identified.
        hung = Sign(None, seen=slow.seen, wants=(Want(PodProcesses, subject),) if is_pod else ())
    touched = _find_touched_mounts(snap, node, is_used)
    silent = any_of([hung, touched]) if touched.value else hung
    kernel: Sign[KernelEvent] = Sign(None) if is_pod or node is None else _find_silent_servers(node, snap)
    blocked: Sign[Any] = (
        Sign(True) if any(_list_runtimes(i, node, snap) for i in hung.hits) and waits else Sign(False)
    )
    may = some(snap, Volumes, subject, lambda f: [v for v in f.items if v.type not in _LOCAL])
    late = stop_timed_out(subject, snap)
    return Signs(
        applies=accept_hearsay(may, silent) if is_pod and not blocked.value else Sign(True),
        necessary={
            "the deletion should be through": any_of([is_overdue(subject, snap), blocked])
            if is_pod
            else Sign(True),
            "a file system that it uses does not answer": kernel if kernel.value else silent,
        },
        decisive={
            "tasks wait for a file system that it uses": hung,
            "a touch of it, asked for by a person, did not return": touched,
        },
        supporting={
            "requests to it are not answered": only_yes(slow),
            "ending its container timed out": late,
            "the kernel says that its server does not answer": kernel,
        },
        finding=lambda: (
            _make_finding(subject, snap, silent.hits, node.name if node else None)
            if silent.hits
            else _make_kernel_finding(subject, kernel.hits)
        ),
    )


def _find_silent_servers(node: Ref, snap: Facts) -> Sign[KernelEvent]:
    """Find servers whose last kernel message is that it waits for them; asks no questions, and returns none
    once the mounts were looked at.
    """

    def waits(event: KernelEvent) -> bool:
        lately = event.last is None or abs(snap.now - event.last) <= _LATELY
        return (
            event.kind == "server-silent"
            and not event.over
            and lately
            and _WAITS.search(event.quote) is not None
        )

    if snap.of(WaitingMounts, node):
        return Sign(None)
    return hearsay(snap, KernelEvents, node, lambda f: [e for e in f.items if waits(e)])


def _list_runtimes(item: WaitingMount, node: Ref | None, snap: Facts) -> tuple[DaemonState, ...]:
    """Return the container runtimes of the Node with a thread in D on this mount: only such a thread shows
    that they wait for it.
    """
    facts = (f for f in (snap.of(DaemonState, node) if node else ()) if f.daemon != "kubelet" and f.proc)
    return tuple(f for f in facts if f.proc and f.proc.pid in item.processes)


def _find_touched_mounts(
    snap: Facts, node: Ref | None, used: Callable[[WaitingMount], bool]
) -> Sign[WaitingMount]:
    """Find a touched mount that hangs; never no, and no questions: only a person may allow a touch."""
    items = [(f, i) for f in (snap.of(WaitingMounts, node) if node else ()) for i in f.items if used(i)]
    for fact, item in items:
        for point in item.mountpoints:
            names = {node.name if node else None, None}
            touches = [
                t for name in sorted(names, key=str) for t in snap.of(Touched, Ref("Mount", name, point))
            ]
            if hung := [t for t in touches if not t.returned and t.dev in ("", item.dev)]:
                return Sign(True, (item,), (hung[0], fact), sure=any(t.whole for t in hung))
    return Sign(None)


def _steady(item: WaitingMount) -> bool:
    """Tell whether requests were open at both looks."""
    return bool(item.waiting) and item.seconds > 0


def _is_by_function(item: WaitingMount, mine: tuple[WaitingMount, ...], stuck: list[Proc]) -> bool:
    """Tell whether it is the subject's only file system that fits the kernel functions that its processes
    wait in.

    The kernel does not show the connection that a task waits on; others of the machine may have open requests
    as well.
    """
    can = [i for i in mine if _steady(i) and any(waits_on(p.waits_in, i.fstype) for p in stuck)]
    return can == [item]


def _make_finding(subject: Ref, snap: Facts, hung: tuple[WaitingMount, ...], node: str | None) -> Finding:
    item = max(hung, key=lambda i: (len(i.tasks), i.waiting or 0, i.dev))
    place = item.mountpoints[0] if item.mountpoints else item.dev
    name = item.source or item.fstype
    count = say("{n} {n:request|requests} and ", n=item.waiting) if item.waiting else NO_TEXT
    held = [p for f in snap.of(PodProcesses, subject) for p in f.items if p.state == "D" or p.stuck_threads]
    tasks = unique((*item.tasks, *(p.pid for p in held if waits_on(p.waits_in, item.fstype))))
    waits = say("{requests}{n} {n:task|tasks} waiting for it", requests=count, n=len(tasks))
    if not tasks and not item.waiting:
        waits = say("a test access did not return")
    processes = [Ref("Process", node, str(task)) for task in tasks]
    runtimes = _list_runtimes(item, Ref("Node", None, node), snap) if node else ()
    behind = [Ref("Runtime", node, f.daemon) for f in runtimes]
    pods = [snap.canon(Ref("Pod", uid=uid)) for uid in item.pods]
    return Finding(
        say(
            "The {fstype} file system {name} at {place} does not respond: {waits}",
            fstype=item.fstype,
            name=name,
            place=place,
            waits=waits,
        ),
        culprit=Ref("Mount", node, place),
        blocks=unique((subject, *pods, *processes, *behind)),
        notes=_list_notes(item, runtimes),
        help=_cordon(runtimes, node) + _help(item, place, node) + _go_on(runtimes, node),
        do_not=(
            *_list_no_restart(runtimes),
            *_KEEP,
        ),
    )


def _make_kernel_finding(subject: Ref, said: tuple[KernelEvent, ...]) -> Finding:
    event = said[-1]
    others = [e.what for e in said if e.what != event.what]
    revive = Step(
        say("check whether {what} is running and reachable from there, and restore it", what=event.what),
        verify=say("the kernel logs that it responds (`OK`), and waiting processes continue"),
    )
    return Finding(
        say(
            (
                "The node's kernel reports that file server {what} does not respond: every access to its "
                "mounts hangs"
            ),
            what=event.what,
        ),
        culprit=Ref("FileServer", None, event.what),
        blocks=(subject,),
        notes=(say("it reports the same for {others}", others=list_names(others)),) if others else (),
        help=(revive,),
        do_not=_KEEP,
    )


def _list_notes(item: WaitingMount, runtimes: Sequence[DaemonState]) -> tuple[Text, ...]:
    pods = say("on this node {n} {n:Pod|Pods} with it mounted", n=len(item.pods))
    waits = [
        say(
            (
                "a thread of {daemon} waits for it: no Pod on this node starts or stops; expect NotReady "
                "about two minutes later"
            ),
            daemon=f.daemon,
        )
        for f in runtimes
    ]
    return ((pods,) if item.pods else ()) + tuple(waits)


def _cordon(runtimes: Sequence[DaemonState], node: str | None) -> tuple[Step, ...]:
    if not runtimes or not node:
        return ()
    return (
        Step(
            say("stop scheduling Pods there"),
            command=command("kubectl cordon {node}", node=given.obj("node", node)),
            risk="reversible",
            undo=command("kubectl uncordon {node}", node=given.obj("node", node)),
        ),
    )


def _go_on(runtimes: Sequence[DaemonState], node: str | None) -> tuple[Step, ...]:
    return tuple(
        Step(
            say("{daemon} is also suspended: then resume it", daemon=f.daemon),
            where=f"node:{node}",
            command=command("kill -CONT {pid}", pid=given.number(f.proc.pid)),
            risk="reversible",
            undo=command("kill -STOP {pid}", pid=given.number(f.proc.pid)),
        )
        for f in runtimes
        if f.stopped and f.proc
    )


def _list_no_restart(runtimes: Sequence[DaemonState]) -> tuple[DoNot, ...]:
    return tuple(
        DoNot(
            say("restart {daemon} before the storage responds", daemon=f.daemon),
            say("it cannot exit while its thread waits, and a new one hangs on the same mount"),
        )
        for f in runtimes
    )


def _help(item: WaitingMount, place: str, node: str | None) -> tuple[Step, ...]:
    where = place_on_node(node)
    healed = say("the waiting tasks end, and the deletion of the Pod completes automatically")
    revive = Step(
        say("restore its server ({source})", source=item.source or item.fstype),
        verify=healed,
    )
    major, _, minor = item.dev.partition(":")
    if item.fstype.startswith("fuse") and major == "0" and minor:
        end = Step(
            say("only if it will not come back: abort the connection; unwritten data is lost"),
            where=where,
            command=command(
                "echo 1 | tee /sys/fs/fuse/connections/{connection}/abort", connection=given.number(minor)
            ),
            risk="loses-data",
            verify=healed,
        )
    else:
        end = Step(
            say("only if it will not come back: force-unmount it; unwritten data is lost"),
            where=where,
            command=command("umount -f {place}", place=given.path(place)),
            risk="loses-data",
            verify=healed,
        )
    return revive, end


CAUSE = Cause(
    id="volume.network-filesystem-hung",
    title=say("a network or FUSE file system does not respond"),
    subjects=("Pod", "Node"),
    stages=(
        "sandbox-and-network",
        "images-pulled",
        "containers-created",
        "containers-stopped",
        "sandbox-stopped",
        "volumes-unmounted",
    ),
    reads=frozenset(
        {
            WaitingMounts,
            KernelEvents,
            Touched,
            PodProcesses,
            PodMounts,
            Volumes,
            Placement,
            Deletion,
            DaemonState,
            Phase,
            ContainerStatuses,
            Failure,
        }
    ),
    rule=_rule,
)
