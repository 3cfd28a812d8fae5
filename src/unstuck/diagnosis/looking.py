"""Looks at what a message names: one command for each sort of thing, where the thing is. None changes what is there, but a pull by
hand, which the kubelet repeats anyway.

What may wait for a server that is gone is given five seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname
from types import MappingProxyType

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.mentioned import Mentioned, MentionedErrorWord
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record

say = Messages(__name__)


@record()
class NamedLook(Record):
    """A command about what a message names. on_node: whether it is run there, else from where the API server is reached."""

    command: Command
    says: Text
    on_node: bool = True


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

# The node's own directories: what a container names by these lies on the node.
NODE_PATHS = ("/var/lib/kubelet", "/var/lib/docker", "/var/lib/containerd", "/var/run/", "/run/", "/sys/", "/proc/", "/dev/")
_CORRUPT: frozenset[MentionedErrorWord] = frozenset(("EIO", "metadata-corrupt", "fs-corrupted", "blob-mismatch", "layer-unreadable"))


def components(path: str) -> Command:
    """Return each directory on the way to a path, with its mode, and what a link leads to."""
    return command("timeout 5 namei -l {path}", path=given.path(path))


def room(path: str) -> Command:
    """Return the room and the inodes of the file system that a path lies on; the path itself may not have come to be."""
    return command("timeout 5 df -P {path}; timeout 5 df -iP {path}", path=given.path(dirname(path) or "/"))


def fills(path: str) -> Command:
    """Return what takes most of a file system's room; other file systems below it are not walked."""
    return command("timeout 60 du -xh -d 3 -- {path} | sort -h | tail -n 30", path=given.path(path))


def holders(path: str) -> Command:
    """Return the processes in whose mount namespaces a path is mounted."""
    return command("grep -lF -e {path} /proc/[0-9]*/mountinfo", path=given.path(path))


def device(path: str) -> Command:
    """Return a block device with all that is stacked on it."""
    return command("lsblk -o NAME,TYPE,FSTYPE,MOUNTPOINT -- {path}", path=given.path(path))


def attributes(path: str) -> Command:
    """Return a file's attributes."""
    return command("timeout 5 lsattr -d -- {path}", path=given.path(path))


def mount_under(path: str) -> Command:
    """Return the mount that a path lies on, from the kernel's list: a dead server is not touched."""
    return command("timeout 5 findmnt -T {path} -o TARGET,SOURCE,FSTYPE,OPTIONS", path=given.path(path))


def mounts_of(path: str) -> Command:
    """Return the mounts of a path and below, from the kernel's list alone."""
    return command("grep -F -e {path} /proc/self/mountinfo", path=given.path(path))


def content(path: str) -> Command:
    """Return what a directory holds."""
    return command("timeout 5 ls -la -- {path}", path=given.path(path))


def bad_disk() -> Command:
    """Return what the kernel says of disks and file systems."""
    return command("dmesg -T | grep -iE 'i/o error|ext4-fs|xfs|btrfs|nvme|corrupt' | tail -n 50")


def of_pod(uid: str) -> Command:
    """Return the mounts of a Pod, as the node sees them."""
    return command("grep -F -e {uid} /proc/self/mountinfo", uid=given.uid(uid))


def volume(name: str) -> Command:
    """Return a PersistentVolume."""
    return command("kubectl get {volume} -o yaml", volume=given.obj("pv", name))


def describe(ref: Ref) -> Command:
    """Return what kubectl says of an object."""
    return command("kubectl describe {object} {space}", object=given.of(ref), space=given.space(ref))


def pull(image: str) -> Command:
    """Pull an image as the kubelet has it pulled, which it does again anyway."""
    return command("crictl pull -- {image}", image=given.image(image))


def process(pid: int) -> Command:
    """Return a process: whose it is by its cgroup, and in which function it waits."""
    return command("ps -o pid,ppid,stat,wchan:32,cgroup,args -p {pid}", pid=given.number(pid))


def kernel_stack(pid: int) -> Command:
    """Return where in the kernel a task waits."""
    return command("cat /proc/{pid}/stack /proc/{pid}/wchan", pid=given.number(pid))


def out_of_memory() -> Command:
    """Return the kernel's whole report of memory that ran out."""
    return command("journalctl -k --since -2h --no-pager | grep -A 40 'invoked oom-killer'")


def page_allocation() -> Command:
    """Return the kernel's whole report of an allocation that failed."""
    return command("dmesg -T | grep -A 40 'page allocation failure'")


def why_denied(program: str) -> Command:
    """Return why SELinux denies it."""
    return command("ausearch -m AVC -c {program} -ts recent | audit2why", program=given.plain(program))


def client_certificate() -> Command:
    """Return the dates of the kubelet's client certificate."""
    return command("openssl x509 -noout -subject -dates -in /var/lib/kubelet/pki/kubelet-client-current.pem")


def server(host: str) -> Command:
    """Ask an API server for its version, for five seconds at most."""
    return command("curl -k -m 5 https://{host}/version", host=given.host(host))


def resolving(name: str) -> Command:
    """Resolve a name as the node does."""
    return command("getent hosts -- {name}", name=given.host(name))


def route(host: str) -> Command:
    """Return the route to an address."""
    return command("ip route get {host}", host=given.host(host))


def runtime_log() -> Command:
    """Return what the container runtimes said within the hour, whichever it is."""
    return command("journalctl -u containerd -u docker -u cri-docker -u crio --since -1h --no-pager")


def unit_log(unit: str) -> Command:
    """Return what a unit said within the hour."""
    return command("journalctl -u {unit} --since -1h --no-pager", unit=given.unit(unit))


def looks(named: Mentioned) -> Iterator[NamedLook]:
    """Yield the looks at what is named, the one nearest to the fault first; what can be nobody's name gives none."""
    yield from (one for one in _looks(named) if one.command)


def _looks(named: Mentioned) -> Iterator[NamedLook]:
    yield from _of_kernel(named)
    if named.program:
        yield NamedLook(why_denied(named.program), _AUDIT)
    if named.host:
        yield from _of_network(named, named.host)
    if "certificate has expired" in named.words and "client certificate" in named.words:
        yield NamedLook(client_certificate(), _CERTIFICATE)
    if named.error in _CORRUPT:
        yield NamedLook(bad_disk(), _BAD_DISK)
    if named.uid and (named.error == "ENOENT" or named.error not in _BY_ERROR):
        yield NamedLook(of_pod(named.uid), _OF_POD)
    if named.path and named.error in _BY_ERROR:
        yield _of_path(named.error, named.path)
    if named.volume:
        yield NamedLook(volume(named.volume), _VOLUME, on_node=False)
    if named.image:
        yield NamedLook(pull(named.image), _PULL)
    if named.pid:
        yield NamedLook(process(named.pid), _PROCESS)


def paths(named: Mentioned) -> Iterator[NamedLook]:
    """Yield the look at a path of which nothing is said to be wrong: what is left where nothing else is named."""
    if named.path and named.path.startswith(NODE_PATHS) and (look := NamedLook(components(named.path), _COMPONENTS)).command:
        yield look


def _of_kernel(named: Mentioned) -> Iterator[NamedLook]:
    if "oom-killer" in named.words:
        yield NamedLook(out_of_memory(), _OOM)
    if "page allocation failure" in named.words:
        yield NamedLook(page_allocation(), _KERNEL)
    if "blocked for more than" in named.words and named.pid:
        yield NamedLook(kernel_stack(named.pid), _TASK)


def _of_network(named: Mentioned, host: str) -> Iterator[NamedLook]:
    address, _, port = host.rpartition(":") if host.count(":") == 1 else (host, "", "")
    if named.error == "unresolved":
        yield NamedLook(resolving(address), _RESOLVES)
    elif port in ("443", "6443", "8443"):
        yield NamedLook(server(host), _ANSWERS)
    elif named.error == "unreachable":
        yield NamedLook(route(address), _ROUTE)


_BY_ERROR: Mapping[MentionedErrorWord, tuple[Callable[[str], Command], Text]] = MappingProxyType(
    {
        "ENOENT": (components, _COMPONENTS),
        "EACCES": (components, _COMPONENTS),
        "ENOTDIR": (components, _COMPONENTS),
        "EPERM": (attributes, _ATTRIBUTES),
        "ENOSPC": (room, _ROOM),
        "EDQUOT": (room, _ROOM),
        "EBUSY": (holders, _HOLDERS),
        "EROFS": (mount_under, _MOUNTED),
        "ESTALE": (mounts_of, _MOUNTED),
        "ENOTCONN": (mounts_of, _MOUNTED),
        "ENOTEMPTY": (content, _CONTENT),
        "EEXIST": (content, _CONTENT),
    }
)


def _of_path(error: MentionedErrorWord, path: str) -> NamedLook:
    if error == "EBUSY" and path.startswith("/dev/"):
        return NamedLook(device(path), _DEVICE)
    made, says = _BY_ERROR[error]
    return NamedLook(made(path), says)


def look_at_object(ref: Ref) -> NamedLook:
    """Return the look at an object that an error names."""
    return NamedLook(describe(ref), _OBJECT, on_node=False)


def look_at_process(pid: int) -> NamedLook:
    """Return the look at a process."""
    return NamedLook(process(pid), _PROCESS)


def look_at_room(path: str) -> NamedLook:
    """Return the look at what fills a file system."""
    return NamedLook(fills(path), _FILLS)


def look_at_runtime() -> NamedLook:
    """Return the look at the runtime's own log."""
    return NamedLook(runtime_log(), _RUNTIME_LOG)


def look_at_unit(unit: str) -> NamedLook:
    """Return the look at a unit's log."""
    return NamedLook(unit_log(unit), _UNIT_LOG)
