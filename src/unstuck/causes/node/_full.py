"""A file system without free space, and the calls that failed for lack of it: shared by the causes of a full
disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.space import Consumer, DiskSpace, Space
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node, read_kubelet_version
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.stages import StageId
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.waiting import find_node_under, waits_for_kubelet

say = Messages(__name__)

STAGES: tuple[StageId, ...] = (
    "devices-and-volumes-prepared",
    "sandbox-and-network",
    "init-done",
    "images-pulled",
    "containers-created",
    "started",
    "containers-stopped",
    "sandbox-stopped",
    "volumes-unmounted",
)
# A thousandth is as good as nothing: the next call takes the remaining space.
_NOTHING = 1000
_SHOWN = 3
# Go os.PathError: the call, the path, the error.
_WRITTEN = regex(r"(?<![\w/-])write /[^\n:]{1,500}: no space left on device")
_HOLDS = {
    "runtime": say("the container runtime"),
    "kubelet": say("the kubelet"),
    "logs": say("the logs"),
    "root": say("the root directory"),
}

_BY_HAND = DoNot(
    say("remove files below the runtime's or the kubelet's directory by hand, or force delete the Pods"),
    say("the runtime's records then no longer match its files, and data in volumes is lost"),
)


def lacks_bytes(space: Space) -> bool:
    """Tell whether a writable file system has no free bytes."""
    return not space.read_only and space.bytes > 0 and space.bytes_free * _NOTHING <= space.bytes


def lacks_inodes(space: Space) -> bool:
    """Tell whether a file system that counts inodes has no free ones."""
    return not space.read_only and space.inodes > 0 and space.inodes_free * _NOTHING <= space.inodes


def make_full_signs(
    subject: Ref,
    snap: Facts,
    empty: Callable[[Space], bool],
    finding: Callable[[tuple[Space, ...], Ref, tuple[Failure, ...]], Finding],
    *,
    of_bytes: bool,
) -> Signs:
    """Return the signs of both causes. empty, of_bytes: the exhausted resource, bytes or inodes. finding:
    from the measured file systems, else from the failed calls.
    """
    node = find_node(subject, snap)
    spaces: Sign[Space] = Sign(None, wants=find_node_under(subject, snap).wants)
    if node is not None:
        named = [f.path for f in _refused(subject, node, snap)]
        spaces = some(snap, DiskSpace, node, lambda f: [s for s in f.items if empty(s)], named)
    failed = _find_space_failures(subject, node, snap, spaces.hits)
    if node is not None and spaces.value and not failed.value and not snap.of(Events, node):
        failed = failed._replace(wants=(Want(Events, node),))
    decisive = {"a call failed for want of it": failed}
    supporting: dict[str, Sign[Any]] = {}
    if spaces.value is None and failed.value and all(_wrote(f) for f in failed.hits):
        # Only the creation of a file takes an inode: a failed write lacks bytes.
        decisive = {
            "a call failed for want of it": Sign(
                None, failed.hits if of_bytes else (), failed.seen if of_bytes else (), spaces.wants
            )
        }
        if of_bytes:
            supporting = {"data could not be written": failed}
            spaces = Sign(True, (), failed.seen, sure=False)
    elif spaces.value and subject.kind == "Node":
        # For a Node as the subject this is worth reporting before any known failure. A user who pastes df
        # alone has seen a failure.
        pasted = not any(f.whole for f in spaces.seen)
        supporting = {"nothing is left of it": Sign(True if pasted else None, spaces.hits, spaces.seen)}
    applies: Sign[Any] = Sign(True) if failed.value or subject.kind == "Node" else _waits(subject, node, snap)
    return Signs(
        applies=applies,
        necessary={"nothing is left on a file system that the kubelet or the runtime writes to": spaces},
        decisive=decisive,
        supporting=supporting,
        finding=lambda: finding(spaces.hits, node or subject, failed.hits),
    )


def _waits(pod: Ref, node: Ref | None, snap: Facts) -> Sign[Any]:
    """Return whether the Pod waits for space: one that is being deleted does not where its kubelet is 1.22 or
    newer, unless a call of its own is seen to fail for lack of space.

    Tried on a 1.34 with the runtime's root and state full: Pods go, and none can be created.
    """
    version = read_kubelet_version(node, snap) if node and is_being_deleted(pod, snap) else None
    if version is not None and version >= (1, 22) and node:
        return Sign(False, seen=snap.of(NodeInfo, node))
    return waits_for_kubelet(pod, snap)


def _find_space_failures(
    subject: Ref, node: Ref | None, snap: Facts, full: tuple[Space, ...]
) -> Sign[Failure]:
    """Find failures with ENOSPC of this subject, or of its Node where no Pod is named, on the file system
    that is full.
    """

    def mine(fact: Failure) -> Iterator[Failure]:
        if _is_of_space(fact) and (not full or _on(fact.path, full, node, snap)):
            yield fact

    signs = [
        hearsay(snap, Failure, ref, mine) for ref in unique((snap.canon(subject), *([node] if node else [])))
    ]
    return next((s for s in signs if s.value), signs[0])


def _refused(subject: Ref, node: Ref, snap: Facts) -> Iterator[Failure]:
    """Yield the failures for lack of space, on any file system."""
    return (
        f for ref in unique((snap.canon(subject), node)) for f in snap.of(Failure, ref) if _is_of_space(f)
    )


def _wrote(fact: Failure) -> bool:
    """Tell whether data could not be written, on a file system of the Node's own: a volume of a Pod may be
    one in memory.
    """
    return _WRITTEN.search(fact.message) is not None and "/volumes/" not in (fact.path or "")


def _is_of_space(fact: Failure) -> bool:
    return fact.error == "ENOSPC" and not _of_cgroups(fact)


def _of_cgroups(fact: Failure) -> bool:
    """Tell whether the failure is a cgroup's: its directory takes no disk space, but the kernel limits their
    number and returns the same error.
    """
    return "/sys/fs/cgroup/" in (fact.path or "")


def _on(path: str | None, full: tuple[Space, ...], node: Ref | None, snap: Facts) -> bool:
    """Tell whether the path in the message is on one of these file systems, judged by the measured mount
    points.
    """
    if not path or not path.startswith("/") or node is None:
        return True
    deepest = max((p for f in snap.of(DiskSpace, node) if (p := f.on(path))), key=len, default=None)
    return deepest is None or deepest in {s.mountpoint or s.path for s in full}


def find_unmeasured(failed: tuple[Failure, ...], node: Ref, subject: Ref) -> Finding:
    """Return the finding about a file system that was not measured: data could not be written to it."""
    path = next((f.path for f in failed if f.path), None)
    at = say(" ({path})", path=path) if path else NO_TEXT
    return Finding(
        say("A file system of {node} is full: data could not be written", node=_name(node)) + at,
        culprit=Ref("FileSystem", node.name if node.kind == "Node" else None, path),
        blocks=unique((subject, node)) if subject != node else (node,),
        help=(
            Step(
                say("see the remaining space"),
                where=place_on_node(_find_node_name(node)),
                command=command("df -P"),
            ),
            _free_space(place_on_node(_find_node_name(node))),
        ),
        do_not=(_BY_HAND,),
    )


def _find_node_name(node: Ref) -> str | None:
    return node.name if node.kind == "Node" else None


def _name(node: Ref) -> str | Text:
    return _find_node_name(node) or say("the Node")


def _free_space(where: str) -> Step:
    return Step(
        say(
            "free space from known leftovers: old logs first, then images no container uses (crictl rmi "
            "--prune deletes them)"
        ),
        where=where,
        risk="disrupts",
        verify=say("the kubelet and the runtime retry automatically"),
    )


def make_finding(
    full: tuple[Space, ...],
    node: Ref,
    subject: Ref,
    snap: Facts,
    what: Text,
    measure: Callable[[Consumer], Text],
) -> Finding:
    """Return the finding about a full file system.

    what: the exhausted resource. measure: a consumer's share of it, in words.
    """
    space = min(full, key=lambda s: (s.bytes_free, s.inodes_free, s.mountpoint))
    point = space.mountpoint or space.path
    roles = [_HOLDS[h] for h in space.holds if h in _HOLDS and (h != "root" or len(space.holds) == 1)]
    who = (
        say(", on which {roles} {count:lives|live}", roles=join_texts(roles), count=len(roles))
        if roles
        else NO_TEXT
    )
    largest = [c for f in snap.of(DiskSpace, node) for c in f.largest if is_at_or_below(c.path, point)]
    notes = tuple(
        say(
            "{path} takes {measure}{partly}",
            path=c.path,
            measure=measure(c),
            partly=say(" or more") if c.partly else NO_TEXT,
        )
        for c in largest[:_SHOWN]
    )
    where = place_on_node(node.name)
    mount = given.path(point)
    look = (
        command("df -iP {mount}", mount=mount)
        if what.en == "inode"
        else command("df -P {mount}", mount=mount)
    )
    return Finding(
        say(
            "No {what} left on {point} of {node}{who}",
            what=what,
            point=point,
            who=who,
            node=node.name or say("the Node"),
        ),
        culprit=Ref("FileSystem", node.name, point),
        blocks=unique((subject, node)) if subject != node else (node,),
        notes=notes,
        help=(
            Step(say("see the remaining space"), where=where, command=look),
            _free_space(where),
        ),
        do_not=(_BY_HAND,),
        enrich=() if snap.of(DiskSpace, node) else (Want(DiskSpace, node),),
    )
