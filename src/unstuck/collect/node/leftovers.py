"""Reads the directories of Pods without processes: the mounts below them, and the files that the kubelet
cannot remove.

Only directories are opened, none of them at or below a mount point.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from unstuck.collect.node import logs
from unstuck.collect.node.cgroup import normalize_uid
from unstuck.collect.node.pods import list_volumes
from unstuck.collect.node.root import escape_name
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.leftovers import Earlier, LeftDirectory, PodDirectories
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact, Ref, Source

_MAX_PODS = 200
_MAX_TOLD = 10
_MAX_ENTRIES = 2_000
_MAX_FILES = 10
_MAX_MOUNTS = 100
_MAX_EARLIER = 3
# In both the kubelet removes only empty directories; the rest of a Pod's directory it removes with its
# contents.
_WALKED = ("volumes", "volume-subpaths")
# At verbosity 2 the kubelet says of each of its rounds that it cleans up orphaned Pods; a complaint has these
# words.
_LINE = b" found, but "
_MAX_LINES = 600


@dataclass(slots=True)
class _Walk:
    """A walk through directories. left: how many more entries it may read; points: mount points, which it
    does not enter.
    """

    view: NodeView
    points: frozenset[str]
    left: int
    files: list[str] = field(default_factory=list)
    looked: bool = True
    changed: float = 0.0

    def walk(self, top: str) -> None:
        """Walk one directory and all below it; a missing directory is an empty one."""
        todo = [top]
        while todo:
            path = todo.pop()
            at = self.view.kubelet.files.stat(path) if path not in self.points else None
            if at is None:
                continue
            if not stat.S_ISDIR(at.st_mode):
                self.files.append(path)
                continue
            self.changed = max(self.changed, at.st_mtime)
            names = self.view.kubelet.files.names(path)
            if names is None or len(names) > self.left or len(self.files) >= _MAX_FILES:
                self.looked = False
                continue
            self.left -= len(names)
            todo += [f"{path}/{n}" for n in reversed(names)]


def directories(view: NodeView) -> list[Fact]:
    """Return the directories of Pods without a process here, and the kubelet's messages about any; [] if the
    directory of Pods cannot be listed.
    """
    top = f"{view.kubelet.root_dir}/pods"
    there = view.kubelet.files.names(top) if view.may_touch(top) else None
    if there is None or not view.sees_node:
        return []
    running = {p.groups.pod for p in view.table.user}
    # The API knows a static Pod under its mirror's uid; its directory has its own, a hash without dashes.
    uids = [n for n in there if "-" in n and normalize_uid(n) == n and n not in running]
    points = frozenset(e.mountpoint for table in (view.home[1], view.own_mounts) for e in table)
    mounts = _mounts_of_pods(view, top)
    items = [_read_directory(view, f"{top}/{uid}", mounts.get(uid, ()), points) for uid in uids[:_MAX_PODS]]
    telling = [i.uid for i in items if i.holds][:_MAX_TOLD]
    items = [
        replace(i, earlier=tuple(_find_earlier(view, i.uid))[:_MAX_EARLIER]) if i.uid in telling else i
        for i in items
    ]
    worst = next((i for i in items if i.holds), None)
    quote = (
        f"{worst.uid}: {len(worst.mounts)} mounts, {len(worst.files)} files"
        if worst
        else f"{len(items)} of {len(there)} at rest"
    )
    fact = PodDirectories(
        about=view.ref,
        src=Source(f"{view.name} {worst.path if worst else top}", quote),
        whole=view.root.live
        and view.kubelet.sure
        and view.home_sure
        and len(uids) <= _MAX_PODS
        and all(i.looked for i in items),
        items=tuple(items),
        total=len(there),
    )
    return [fact, *_find_complaints(view)]


def _mounts_of_pods(view: NodeView, top: str) -> Mapping[str, Sequence[MountEntry]]:
    """Return the mounts at or below each Pod's directory, by its name."""
    out: dict[str, list[MountEntry]] = {}
    for e in view.home[1]:
        if e.mountpoint.startswith(f"{top}/"):
            out.setdefault(e.mountpoint[len(top) + 1 :].partition("/")[0], []).append(e)
    return out


def _read_directory(
    view: NodeView, path: str, mounts: Sequence[MountEntry], points: frozenset[str]
) -> LeftDirectory:
    walk = _Walk(view, points, _MAX_ENTRIES)
    at = view.kubelet.files.stat(path)
    walk.changed = at.st_mtime if at else 0.0
    for name in _WALKED:
        walk.walk(f"{path}/{name}")
    return LeftDirectory(
        uid=path.rpartition("/")[2],
        path=path,
        volumes=tuple(list_volumes(view, path)),
        mounts=tuple(mounts[:_MAX_MOUNTS]),
        files=tuple(escape_name(f) for f in walk.files[:_MAX_FILES]),
        looked=walk.looked,
        # In a recorded tree the file times are the recording's own.
        changed=datetime.fromtimestamp(int(walk.changed), UTC) if view.root.live and walk.changed else None,
    )


def _find_earlier(view: NodeView, uid: str) -> Iterator[Earlier]:
    """Yield this Pod's failures before the kubelet's first complaint about its directory, oldest first."""
    found = (
        f
        for log in view.log_tails
        if log.component == "kubelet"
        for f in _list_before_complaint(view, log, uid)
    )
    told = [f for f in found if f.operation != "pod-directory-remove"]
    for f in sorted(told, key=lambda f: ((f.first or f.src.at or view.now), f.src.where)):
        yield Earlier(f.operation, f.error, f.message, f.src.where, f.first or f.src.at)


def _list_before_complaint(view: NodeView, log: logs.Log, uid: str) -> Iterator[Failure]:
    """Yield the failures logged before the first complaint: it is repeated every two seconds, and from then
    on the log has nothing else about the Pod.
    """
    needle = uid.encode()
    if all(piece.data.rfind(needle) < 0 for piece in log.pieces):
        return
    complaint = re.compile(rb"rphaned pod[^\n]{0,300}" + re.escape(needle))
    pieces = []
    for piece in log.pieces:
        first = complaint.search(piece.data)
        pieces.append(replace(piece, data=piece.data[: first.start()]) if first else piece)
        if first:
            break
    found = logs.find_entries(replace(log, pieces=tuple(pieces)), [needle], view.now, _MAX_LINES)
    yield from logs.fold_failures(found, log, about=Ref("Pod", uid=uid), node=view.name)


def _find_complaints(view: NodeView) -> list[Failure]:
    """Return the kubelet's latest complaints about directories of unknown Pods; each has the Pod's uid as
    `key`.
    """
    out: list[Failure] = []
    for log in (log for log in view.log_tails if log.component == "kubelet"):
        found = [
            f
            for f in logs.find_entries(log, [_LINE], view.now, _MAX_LINES)
            if "rphaned pod" in f.record.message
        ]
        out += [
            f
            for f in logs.fold_failures(found, log, about=view.ref, node=view.name)
            if f.operation == "pod-directory-remove"
        ]
    return out[-_MAX_TOLD:]
