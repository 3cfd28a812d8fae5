"""The call that a Pod's process waits in, as the kernel shows it, if that has only one meaning.

Sources: Linux fs/pipe.c (`fifo_open`), fs/locks.c, fs/fuse/dev.c (`request_wait_answer`), net/sunrpc/sched.c;
proc(5) `/proc/PID/wchan`.
"""

from __future__ import annotations

from types import MappingProxyType

from unstuck.causes._commands import place_on_node
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.host import PodProcesses
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, list_container_ids
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({ContainerStatuses, PodProcesses})
_LOCK = say("waits for a lock on a file that another process holds")
# By the function of the kernel that it sleeps in.
_WAITS = MappingProxyType(
    {
        "wait_for_partner": say("waits in opening a named pipe, until its other end is open, too"),
        "locks_lock_inode_wait": _LOCK,
        "flock_lock_inode_wait": _LOCK,
        "posix_lock_inode_wait": _LOCK,
        "fcntl_setlk": _LOCK,
        "request_wait_answer": say("waits for the answer of a FUSE file system"),
        "rpc_wait_bit_killable": say("waits for the answer of an NFS server"),
    }
)


def tell_waiting_call(pod: Ref, container: str | None, snap: Facts) -> NodeWords:
    """Return the call that a process of a container waits in; empty if its processes wait elsewhere."""
    node = find_node_of_pod(pod, snap)
    if pod.kind != "Pod" or not container or node is None or not node.name:
        return NodeWords()
    want = Want(PodProcesses, pod)
    ids = list_container_ids(pod, container, snap)
    for seen in snap.of(PodProcesses, pod):
        for proc in seen.items:
            if (proc.container or "") in ids and (waits := _WAITS.get(proc.waits_in)):
                says = say("; process {pid} ({comm}) {waits}", pid=proc.pid, comm=proc.comm, waits=waits)
                look = Step(
                    say("check what that process has open, and start or release what it waits for"),
                    where=place_on_node(node.name),
                    command=command("ls -l /proc/{pid}/fd", pid=given.number(proc.pid)),
                )
                return NodeWords(says, (look,), (seen,))
    return NodeWords(wants=() if snap.answered(want) else (want,))
