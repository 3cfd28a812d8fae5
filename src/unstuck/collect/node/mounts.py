"""Mounts in every mount namespace, each namespace read once.

Source: proc(5) "mountinfo", Documentation/filesystems/sharedsubtree.rst; pkg/kubelet/kubelet_getters.go for
the Pod's directories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import MountEntry, MountHolder
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import POD_UID, regex

_ESCAPE = regex(r"\\([0-3][0-7]{2})")
_ID = regex(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_POD_PATH = regex(rf"/pods/({POD_UID})(?:/|$)")
_MAX_MOUNTINFO = 32 << 20
_MAX_TRIED = 20

# Their server is another machine or a process, which may not answer; looking below them may hang.
_FUSE = ("fuse", "fuseblk", "virtiofs")
_SERVED = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "9p", "afs", "coda", "ncpfs")
_CLUSTER = ("lustre", "gpfs", "beegfs", "glusterfs", "orangefs", "pvfs2", "ocfs2", "gfs2", "wekafs")
_REMOTE = frozenset((*_FUSE, *_SERVED, *_CLUSTER))
# On this machine's own devices or in its memory.
_ON_DISK = ("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "reiserfs", "vfat", "bcachefs")
_LOCAL = frozenset((*_ON_DISK, "tmpfs", "ramfs", "hugetlbfs", "rootfs", "overlay", "aufs"))
# Possible mounts on a volume directory of an emptyDir, and of the volumes built on it; tried on 1.34: the
# kubelet unmounts any tmpfs that it finds there, its own or not, and any other mount makes removing the
# directory fail with EBUSY.
_MEMORY = frozenset(("tmpfs", "hugetlbfs"))
_WRAPPED = frozenset(
    f"kubernetes.io~{p}"
    for p in ("empty-dir", "secret", "configmap", "projected", "downward-api", "git-repo")
)


def is_remote(fstype: str) -> bool:
    """Tell whether another machine or a process serves such a file system."""
    return fstype.partition(".")[0] in _REMOTE


def is_local(fstype: str) -> bool:
    """Tell whether such a file system is known to need no other machine or process. Types that are neither
    local nor remote are unknown.
    """
    return fstype in _LOCAL


def is_read_only(mount: MountEntry) -> bool:
    """Tell by its options whether a mount is read-only; since 6.15 ext4 has options of its own for that."""
    return not {"ro", "emergency_ro", "shutdown"}.isdisjoint(mount.options.split(","))


def is_fuse(fstype: str) -> bool:
    """Tell whether the file system has a connection below /sys/fs/fuse/connections."""
    return fstype.partition(".")[0] in _FUSE


def unescape(text: str) -> str:
    """Return a word of mountinfo or fstab without its escapes."""
    # The kernel escapes blank, tab, newline, # and backslash; everything else is verbatim.
    return _ESCAPE.sub(lambda m: chr(int(m.group(1), 8)), text) if "\\" in text else text


class Mounts(tuple[MountEntry, ...]):
    """The mounts that a process sees, in the kernel's order."""

    @cached_property
    def at(self) -> Mapping[str, MountEntry]:
        """The visible mount of each mount point: the last one, which hides earlier mounts."""
        return {e.mountpoint: e for e in self}


def parse_mountinfo(text: str) -> Mounts:
    """Return the entries of all valid lines."""
    out = []
    for line in text.split("\n"):
        left, found, right = line.partition(" - ")
        a, b = left.split(" "), right.split(" ")
        if not found or len(a) < 6 or not b[0]:
            continue
        options = a[5] + ("," + b[2] if len(b) > 2 and b[2] else "")
        source = unescape(b[1]) if len(b) > 1 else ""
        out.append(
            MountEntry(
                unescape(a[4]),
                b[0],
                source,
                root=unescape(a[3]),
                dev=a[2],
                options=options,
                propagation=" ".join(filter(None, a[6:])),
            )
        )
    return Mounts(out)


def mount_of(path: str, mounts: Mounts) -> MountEntry | None:
    """Return the mount of a path: the deepest mount point above it, the last one mounted there."""
    above = path.rstrip("/")
    while above and above not in mounts.at:
        above = above.rpartition("/")[0]
    return mounts.at.get(above or "/")


def pod_in_path(path: str) -> str | None:
    """Return the uid in `…/pods/UID/…`."""
    found = _POD_PATH.search(path)
    return found.group(1) if found else None


class MountTable:
    """Mounts by namespace.

    processes: the table of the same root. Namespaces whose every process may not be read are in `closed`.
    """

    def __init__(self, root: Root, processes: ProcessTable) -> None:
        self.root = root
        self.processes = processes

    def of_process(self, pid: int | str) -> Mounts | None:
        """Return the mounts that a process sees; None if its mountinfo cannot be read.

        The table of processes with one namespace and one root is read once.
        """
        seen_from = (self.root.link(f"/proc/{pid}/ns/mnt")[0], self.root.link(f"/proc/{pid}/root")[0])
        known = self.processes.mounts_read
        if seen_from in known:
            return known[seen_from]
        text = self.root.text(f"/proc/{pid}/mountinfo", _MAX_MOUNTINFO)
        found = parse_mountinfo(text) if text else None
        if found is not None and all(seen_from):
            known[seen_from] = found
        return found

    @cached_property
    def by_namespace(self) -> Mapping[str, Mounts]:
        """Mounts of each mount namespace, read once each through its first readable process; a process in a
        chroot sees only a part.
        """
        out = {}
        for name, pids in self.processes.mount_namespaces[0].items():
            first = (
                sorted(pids[:_MAX_TRIED], key=lambda pid: self.root.link(f"/proc/{pid}/root")[0] != "/")
                if len(pids) > 1
                else pids
            )
            entries = next((e for pid in first if (e := self.of_process(pid)) is not None), None)
            if entries is not None:
                out[name] = entries
        return out

    @cached_property
    def complete(self) -> bool:
        """Whether the mounts of every process were seen."""
        named, closed = self.processes.mount_namespaces
        return not closed and all(
            n in self.by_namespace or self._have_ended(pids) for n, pids in named.items()
        )

    def _have_ended(self, pids: Iterable[int]) -> bool:
        return all(self.root.data(f"/proc/{pid}/stat", 16) is None for pid in pids)

    def holders(self, path: str, home: str | None) -> tuple[MountHolder, ...]:
        """Mount namespaces other than `home` in which a path is mounted, each identified by its first
        process.

        A host seen below a prefix (`/rootfs/var/lib/…`) and a data root behind a link are found too: by the
        path's end, and by the 64-digit id in it.
        """
        wanted = _ID.search(path)
        key = f"/{path[wanted.start() :].strip('/')}" if wanted else path.rstrip("/")
        out = []
        for name, entries in sorted(self.by_namespace.items()):
            hit = next((e for e in entries if (e.mountpoint + "/").find(key + "/") >= 0), None)
            if hit is not None and name != home:
                first = min(self.processes.mount_namespaces[0][name])
                out.append(
                    MountHolder(self.processes.as_fact(self.processes.all[first]), name, hit.mountpoint)
                )
        return tuple(out)


def pod_mounts(
    directory: str, entries: Sequence[MountEntry]
) -> tuple[tuple[MountEntry, ...], tuple[MountEntry, ...]]:
    """Return mounts at or below a Pod's directory, and those among them that no volume of the Pod
    explains.
    """
    items = tuple(e for e in entries if is_at_or_below(e.mountpoint, directory))
    seen: set[str] = set()
    extra = []
    for e in items:
        if e.mountpoint in seen or not _is_explained(e, directory):
            extra.append(e)
        seen.add(e.mountpoint)
    return items, tuple(extra)


def _is_explained(entry: MountEntry, directory: str) -> bool:
    """Tell whether the kubelet itself creates such a mount there, and therefore unmounts it."""
    match entry.mountpoint[len(directory.rstrip("/")) :].strip("/").split("/"):
        case ["volumes", plugin, _] if plugin in _WRAPPED:
            return entry.fstype in _MEMORY
        case ["volumes", "kubernetes.io~csi", _, "mount"]:
            return True
        case ["volumes", plugin, _]:
            return plugin != "kubernetes.io~csi"
        case ["volume-subpaths", _, _, index]:
            return index.isdigit()
        case ["volumeDevices", _, _]:
            return True
    return False
