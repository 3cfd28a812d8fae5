"""The paths and kernels of "busy" errors: shared by the causes of a mount that cannot be undone."""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.sign import Sign, any_of, hearsay, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.host import Host, MountHolder, MountHolders, Proc
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.knowledge.versions import FOREIGN_MOUNTS_BLOCK, RHEL_WITHOUT_DETACH

say = Messages(__name__)

_REMOVALS: tuple[Operation, ...] = (
    "volume-tear-down",
    "subpath-clean",
    "rootfs-remove",
    "snapshot-remove",
    "container-remove",
    "netns-remove",
    "device-unmount",
)
_BUSY: tuple[ErrorWord, ...] = ("EBUSY", "mounted-elsewhere")
_MANY = 8
_FIRST = 1


def find_busy_failures(subject: Ref, snap: Facts) -> Sign[Failure]:
    """Find removals and unmounts about this subject that ended in EBUSY, in any log."""
    return hearsay(
        snap, Failure, subject, lambda f: [f] if f.operation in _REMOVALS and f.error in _BUSY else []
    )


def find_foreign_holders(
    subject: Ref, node: Ref | None, refused: Sign[Failure], snap: Facts
) -> tuple[tuple[Ref, ...], Sign[MountHolder]]:
    """Return the mounts that were refused as busy, and the foreign mount namespaces that still have one of
    them.
    """
    paths = unique(f.path for f in refused.hits if f.path)[:_MANY]
    mounts = tuple(Ref("Mount", node.name, path) for path in paths) if node else ()
    signs = [some(snap, MountHolders, mount, lambda f: f.items) for mount in mounts]
    return mounts, any_of(signs) if signs else Sign(None, wants=() if node else (Want(Placement, subject),))


def does_kernel_refuse(
    subject: Ref, refused: Sign[Failure], held: Sign[MountHolder], snap: Facts
) -> Sign[str]:
    """Tell whether a mount in a foreign namespace is in the way here: a block device is in use on every
    kernel.

    If the kernel's release is unknown, a refusal for a path that is no mount in the kubelet's own namespace
    shows it, and so does a foreign namespace that still has the very thing refused: by assumption only.
    """
    if any((f.path or "").startswith("/dev/") for f in refused.hits):
        return Sign(True, seen=refused.seen)
    release = does_foreign_mount_block(subject, snap)
    if release.value is not None:
        return release
    if any(f.error == "mounted-elsewhere" for f in refused.hits) or _in_foreign_namespaces(held):
        node = find_node(subject, snap)
        asked = (Want(NodeInfo, node),) if node else ()
        return Sign(True, seen=refused.seen, wants=(*release.wants, *asked), sure=False)
    return release


def _in_foreign_namespaces(held: Sign[MountHolder]) -> bool:
    """Tell whether only namespaces other than the node's own have it: the first process of a list, with
    pid 1, shows it.
    """
    return bool(held.value) and all(h.proc.pid != _FIRST for h in held.hits)


def does_question_arise(
    subject: Ref, refused: Sign[Failure], blocks: Sign[str], held: Sign[MountHolder]
) -> Sign[Any]:
    """Ask about a Node only after a refusal; if a mount blocks by assumption only, ask for the kernel and the
    holders.
    """
    if subject.kind == "Node" and not refused.value:
        return Sign(False)
    seen = refused.seen if subject.kind == "Node" else ()
    return Sign(True, seen=seen) if blocks.sure else Sign(None, seen=seen, wants=(*blocks.wants, *held.wants))


def is_sub_path(path: str) -> bool:
    """Tell whether a path is in a mount that the kubelet made for a container's subPath
    (pkg/volume/util/subpath).
    """
    return "/volume-subpaths/" in path


def name_process(proc: Proc) -> Text:
    """Return `27187 (node_exporter)`; the name is unknown if only `/proc/27187/mountinfo` was seen."""
    return say("{pid} ({comm})", pid=proc.pid, comm=proc.comm) if proc.comm else say("{pid}", pid=proc.pid)


def does_foreign_mount_block(subject: Ref, snap: Facts) -> Sign[str]:
    """Tell whether the Node's kernel refuses to remove a directory that is a mount in another namespace
    only. Hits: its release.
    """
    node = find_node(subject, snap)
    if node is None:
        return Sign(None, wants=(Want(Placement, subject),))
    releases: list[tuple[Fact, str, str | None]] = [
        (f, f.kernel, dict(f.sysctls).get("fs.may_detach_mounts")) for f in snap.of(Host, node) if f.kernel
    ]
    releases += [(f, f.kernel, None) for f in snap.of(NodeInfo, node) if f.kernel]
    open_: tuple[Fact, ...] = ()
    for fact, release, detach in releases:
        answer = _refuses(release, detach)
        if answer is not None:
            return Sign(answer, (release,) if answer else (), (fact,))
        open_ = (*open_, fact)
    return Sign(None, seen=open_, wants=(Want(Host, node),))


def _refuses(release: str, detach: str | None) -> bool | None:
    """Return None if it depends on the sysctl and that was not seen."""
    if not FOREIGN_MOUNTS_BLOCK.has(release):
        return FOREIGN_MOUNTS_BLOCK.has(release)
    if RHEL_WITHOUT_DETACH.has(release) is not False:
        return True
    return None if detach is None else detach == "0"
