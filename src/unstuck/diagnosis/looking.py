"""Looks at things that a message names: one command for each sort of thing, on its machine
(`diagnosis/look_commands.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from unstuck.diagnosis import look_commands as by
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.mentioned import NODE_PATHS, Mentioned, MentionedErrorWord
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)


@record()
class NamedLook(Record):
    """A command about a named thing. on_node: whether to run it there, else on a machine that reaches the API
    server.

    for_reader: whether its output is for a person alone, because it is not parsed here. node: its name, "" if
    unknown.
    """

    command: Command
    says: Text
    on_node: bool = True
    for_reader: bool = False
    node: str = ""


_OOM = say("whose memory ran out: a container's limit, or the machine's")
_KERNEL = say("what the kernel wrote with it")
_TASK = say("in which function of the kernel it waits")
_AUDIT = say("which rule of SELinux denies it")
_CERTIFICATE = say("until when the kubelet's client certificate is valid")
_ANSWERS = say("whether it answers from there")
_RESOLVES = say("whether this name is known there")
_ROUTE = say("by which way it is reached from there")
_COMPONENTS = say("each directory on the way: where it ends, who may enter, what is a link")
_ROOM = say("how much room and how many inodes are left there")
_HOLDERS = say("which processes still have it mounted")
_DEVICE = say("what sits on top of this device")
_ATTRIBUTES = say("whether an attribute keeps it from being changed")
_MOUNTED = say("what is mounted there, and how")
_CONTENT = say("what is still in it")
_BAD_DISK = say("whether the disk or its file system is damaged")
_OF_POD = say("what of this Pod is still mounted")
_VOLUME = say("its mount options, its driver, and where it may be used")
_PULL = say("the same pull by hand")
_PROCESS = say("whose process this is, and what it waits for")
_OBJECT = say("what this object says")
_RUNTIME_LOG = say("what the container runtime wrote about it")
_UNIT_LOG = say("what this unit wrote in the last hour")
_FILLS = say("what takes the room there")
_LABELS = say("each directory on the way: who may enter, and what SELinux calls it")
_CLIENT = say("what is mounted there, and whether the program behind it still runs")
_CGROUPS = say("how many cgroups the kernel counts, and how many are there")
_PROCESSES = say("whether its processes are still there, and what they wait for")
_DISK = say("what lies on this disk, and what the kernel wrote about it")
_FILESYSTEM = say("whether this kernel has the file system, and what it wrote about it")
_PROGRAM_FILE = say("whether this program is installed there")
_DATES = say("until when this certificate is valid, and whose it is")
_ROUTES = say("which networks are reached from there")
_APPARMOR = say("whether AppArmor is on there, and which profiles are loaded")
_API = say("whether this API answers, and which Service stands behind it")
_BEHIND_SERVICE = say("whether the Service is there, and who stands behind it")
_HOOKS = say("which webhook this is, and which Service it calls")
_WHOLE_NAMESPACE = say("its conditions and its finalizers")
_KUBELET_ROOM = say("how much room is left where the kubelet measures it, and from which mark on it evicts")
_PLUGIN = say("which network plugin is configured there, and with which addresses")
_ATTACHED = say("to which node it is attached")
_REMAINING = say("what is left, and which finalizers hold it")
_OWN_ADDRESSES = ("127.0.0.1", "localhost")
_OWN_LOG = say("what the program in it says itself")

# File systems for which the kernel itself uses the network.
_KERNEL_CLIENTS = ("libceph:", "nfs:", "CIFS:", "rbd:")
_UNSUPPORTED = regex(r"protocol not supported|unknown filesystem type", re.I)
_EVICTING = regex(r"reclaim (?:ephemeral-storage|inodes)|threshold .{0,40}(?:nodefs|imagefs)", re.I)
_NO_ROOM = ("ENOMEM", "ENOSPC")
_CORRUPT: frozenset[MentionedErrorWord] = frozenset(
    ("EIO", "metadata-corrupt", "fs-corrupted", "blob-mismatch", "layer-unreadable")
)


def looks(named: Mentioned) -> Iterator[NamedLook]:
    """Yield the looks at the named things, the nearest to the fault first; invalid names give none."""
    yield from (one for one in _list_looks(named) if one.command)


def _list_looks(named: Mentioned) -> Iterator[NamedLook]:
    yield from _look_at_kernel(named)
    if named.program:
        yield NamedLook(by.why_denied(named.program), _AUDIT)
    yield from _look_at_cluster(named)
    if named.host:
        yield from _look_at_network(named, named.host)
    if "expired" in named.words and "certificate" in named.words:
        yield from _look_at_certificate(named)
    if named.absent:
        yield NamedLook(by.installed(named.absent), _PROGRAM_FILE)
    if named.error in _CORRUPT and not named.device:
        yield NamedLook(by.bad_disk(), _BAD_DISK)
    if named.uid and (named.error == "ENOENT" or named.error not in _BY_ERROR):
        yield NamedLook(by.of_pod(named.uid), _OF_POD)
    if named.path:
        yield from _look_at_path(named.error, named.path)
    if named.volume:
        yield _look_at_volume(named, named.volume)
    if named.image:
        yield NamedLook(by.pull(named.image), _PULL)
    if named.pid:
        yield NamedLook(by.process(named.pid), _PROCESS)
    if named.container:
        yield NamedLook(by.processes_of(named.container), _PROCESSES)


def look_at_paths(named: Mentioned) -> Iterator[NamedLook]:
    """Yield the look at a path without a reported fault: the fallback if nothing else is named."""
    if (
        named.path
        and named.path.startswith(NODE_PATHS)
        and (look := NamedLook(by.components(named.path), _COMPONENTS)).command
    ):
        yield look


def _look_at_kernel(named: Mentioned) -> Iterator[NamedLook]:
    if "oom-killer" in named.words:
        yield NamedLook(by.out_of_memory(), _OOM)
    if "page allocation failure" in named.words:
        yield NamedLook(by.page_allocation(), _KERNEL)
    if "blocked for more than" in named.words and named.pid:
        yield NamedLook(by.kernel_stack(named.pid), _TASK)
    if "apparmor" in named.words.lower():
        yield NamedLook(by.apparmor(), _APPARMOR)
    if _EVICTING.search(named.words):
        yield NamedLook(by.kubelet_room(), _KUBELET_ROOM)
    if named.device:
        yield NamedLook(by.disk(named.device), _DISK)
    if named.filesystem and _UNSUPPORTED.search(named.words):
        yield NamedLook(by.filesystem(named.filesystem), _FILESYSTEM)
    if (
        named.error == "unreachable"
        and not named.host
        and any(word in named.words for word in _KERNEL_CLIENTS)
    ):
        yield NamedLook(by.routes(), _ROUTES)


def _look_at_cluster(named: Mentioned) -> Iterator[NamedLook]:
    """Yield the looks at objects that, according to a line, do not answer or block the operation."""
    if named.resources:
        yield NamedLook(by.remaining(named.resources, named.space), _REMAINING, on_node=False)
    if named.object is None:
        return
    if named.object.kind == "APIService":
        yield NamedLook(by.whole(named.object), _API, on_node=False)
    elif named.object.kind == "Namespace":
        yield NamedLook(by.whole(named.object), _WHOLE_NAMESPACE, on_node=False)
    elif "webhook" in named.words and "not found" in named.words:
        # The called object is gone; the reporting object remains.
        yield NamedLook(by.hooks(), _HOOKS, on_node=False, for_reader=True)
    else:
        yield NamedLook(by.behind_service(named.object), _BEHIND_SERVICE, on_node=False)


def _look_at_certificate(named: Mentioned) -> Iterator[NamedLook]:
    if named.certificate:
        yield NamedLook(by.certificate(named.certificate), _DATES)
    elif "client certificate" in named.words:
        yield NamedLook(by.client_certificate(), _CERTIFICATE)


def _look_at_volume(named: Mentioned, name: str) -> NamedLook:
    if "attached to" in named.words:
        return NamedLook(by.attachments(name), _ATTACHED, on_node=False, for_reader=True)
    return NamedLook(by.volume(name), _VOLUME, on_node=False)


def _look_at_network(named: Mentioned, host: str) -> Iterator[NamedLook]:
    address, _, port = host.rpartition(":") if host.count(":") == 1 else (host, "", "")
    if named.error == "unresolved":
        yield NamedLook(by.resolving(address), _RESOLVES)
    elif port in ("443", "6443", "8443"):
        yield NamedLook(by.server(host), _ANSWERS)
    elif named.error == "unreachable" and address not in _OWN_ADDRESSES:
        yield NamedLook(by.route(address), _ROUTE)


_BY_ERROR: Mapping[MentionedErrorWord, tuple[Callable[[str], Command], Text]] = MappingProxyType(
    {
        "ENOENT": (by.components, _COMPONENTS),
        "EACCES": (by.labels, _LABELS),
        "ENOTDIR": (by.components, _COMPONENTS),
        "EPERM": (by.attributes, _ATTRIBUTES),
        "ENOSPC": (by.room, _ROOM),
        "EDQUOT": (by.room, _ROOM),
        "EBUSY": (by.holders, _HOLDERS),
        "EROFS": (by.mount_under, _MOUNTED),
        "ESTALE": (by.mounts_of, _MOUNTED),
        "ENOTCONN": (by.client_of, _CLIENT),
        "ENOTEMPTY": (by.content, _CONTENT),
        "EEXIST": (by.content, _CONTENT),
    }
)


def _look_at_path(error: MentionedErrorWord, path: str) -> Iterator[NamedLook]:
    """Yield the look at a path that its error calls for; a cgroup has no room, but a number."""
    if error in _NO_ROOM and path.startswith("/sys/fs/cgroup/"):
        yield NamedLook(by.cgroups(), _CGROUPS)
    elif error == "EBUSY" and path.startswith("/dev/"):
        yield NamedLook(by.device(path), _DEVICE)
    elif error in _BY_ERROR:
        made, says = _BY_ERROR[error]
        yield NamedLook(made(path), says)


def look_at_object(ref: Ref) -> NamedLook:
    """Return the look at an object that an error names."""
    return NamedLook(by.describe(ref), _OBJECT, on_node=False)


def look_at_log(pod: Ref, container: str | None) -> NamedLook:
    """Look at the log of a container's program. container: None for a Pod's only one."""
    return NamedLook(by.logs(pod, container), _OWN_LOG, on_node=False, for_reader=True)


def look_at_process(pid: int) -> NamedLook:
    """Return the look at a process."""
    return NamedLook(by.process(pid), _PROCESS)


def look_at_processes(container: str) -> NamedLook:
    """Return the look at the processes of a container."""
    return NamedLook(by.processes_of(container), _PROCESSES)


def look_at_network_plugin() -> NamedLook:
    """Return the look at the network plugin's configuration."""
    return NamedLook(by.network_plugin(), _PLUGIN)


def look_at_room(path: str) -> NamedLook:
    """Return the look at the largest users of a file system."""
    return NamedLook(by.fills(path), _FILLS)


def look_at_runtime() -> NamedLook:
    """Return the look at the runtime's own log."""
    return NamedLook(by.runtime_log(), _RUNTIME_LOG)


def look_at_unit(unit: str) -> NamedLook:
    """Return the look at a unit's log."""
    return NamedLook(by.unit_log(unit), _UNIT_LOG)
