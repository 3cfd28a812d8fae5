"""The program ends because no space is left on its file system

## How it happens

The program writes to a volume or to its own layer, which has no free space or inode, or its quota is used up,
and it gives up.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `No space left on
device`, `Disk quota exceeded` or `ENOSPC`, usually with the path. If that is in a hostPath or an emptyDir, a
look at the Pod's node shows the free bytes and inodes of its file system: zero of either proves it. A message
without an absolute path is compared with each hostPath that the container mounts writable: a full one is
named, and stays likely. Where deleted files that a process still holds open take a good part of it, they are
named with that process: no listing shows them.

## Known limits

Other volumes are not looked up: it stays likely. A file system with free space by now is no proof. For an
`emptyDir` in memory, `sizeLimit` is the size of its file system; on the Node's disk it is only the kubelet's
threshold for eviction. A full file system of the Node is reported by node.disk-full. Exhausted inotify
watches have the same errno, and are reported by node.inotify-exhausted.

## References

- Linux errno(3), ENOSPC, EDQUOT; statvfs(3)
"""

from __future__ import annotations

import re
from dataclasses import replace

from unstuck.causes import _node_place
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_place import (
    NodePlace,
    find_full_space,
    find_node_place,
    list_node_places,
    list_wants_of_place,
)
from unstuck.causes._path_volume import find_volume
from unstuck.causes._port_holders import name_process
from unstuck.causes.node._full import lacks_inodes
from unstuck.causes.program._plain import NEXT_RUN, make_plain_signs, mend
from unstuck.causes.program._quota import is_quota, make_quota_finding
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.sign import Sign, all_of, any_of
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.node_paths import DeletedFile, NodePath
from unstuck.facts.aspects.pod import PodVolume
from unstuck.facts.aspects.space import Space
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_DELETE = DoNot(
    say("delete files of a database or a queue to make room"),
    say("what they hold is lost, and the rest may no longer fit together"),
)


# Deleted files that take a quarter of it explain a full file system.
_GOOD_PART = 4
_ERRORS: tuple[ProgramError, ...] = ("no-space",)
# shm_overview(7): a segment's name begins with a slash; PostgreSQL src/backend/storage/ipc/dsm_impl.c.
_SHARED = regex(r"shared memory (?:segment|file)|\bshm_open\b|shared memory object|/dev/shm\b", re.IGNORECASE)
_BYTES = regex(r"\bto (?P<bytes>\d{4,15}) bytes\b")
_SHM = "/dev/shm"  # noqa: S108 - a container's own


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = [one for one in find_program_messages(pod, snap, *_ERRORS).hits if one.complaint.path]
    full = any_of([all_of((_full(pod, one, snap), Sign(True, (one,)))) for one in said])
    return make_plain_signs(
        pod,
        snap,
        _ERRORS,
        lambda one: _make_finding(pod, one, snap),
        {"nothing is left on the file system behind its path": full},
    )


def _place(pod: Ref, one: ProgramMessage, snap: Facts) -> NodePlace | None:
    return (
        find_node_place(pod, one.run.name or None, one.complaint.path, snap) if one.complaint.path else None
    )


def _full(pod: Ref, one: ProgramMessage, snap: Facts) -> Sign[Space]:
    place = _place(pod, one, snap)
    if place:
        return find_full_space(place, snap)
    return Sign(None, wants=list_wants_of_place(pod, snap, one.run.name or None, one.complaint.path))


def _list_mounted(pod: Ref, one: ProgramMessage, snap: Facts) -> list[tuple[NodePlace, Sign[Space]]]:
    """Return the hostPaths that the container can write to, each with its file system if that is full."""
    return [
        (place, find_full_space(place, snap)) for place in list_node_places(pod, one.run.name or None, snap)
    ]


def _list_wants(pod: Ref, path: str, snap: Facts) -> tuple[Want, ...]:
    return () if path else list_wants_of_place(pod, snap)


def _name_place(place: NodePlace) -> Text:
    return say("; it mounts hostPath {path} of the Node", path=place.path.name or "")


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    if shared := _make_shared_memory_finding(pod, one, snap):
        return shared
    path = one.complaint.path
    means = (
        say("no space is left to write {path}", path=path)
        if path
        else say("no space is left where it writes")
    )
    if (place := _place(pod, one, snap)) and (full := _full(pod, one, snap).hits):
        return _make_full_finding(pod, one, means, place, full[0], snap)
    if is_quota(one):
        return make_quota_finding(pod, one, _place(pod, one, snap), (_DELETE,), snap)
    mounted = _list_mounted(pod, one, snap) if not path else []
    if filled := next((m for m in mounted if m[1].hits), None):
        told = _make_full_finding(
            pod, one, means + _name_place(filled[0]), filled[0], filled[1].hits[0], snap
        )
        return replace(told, seen=(*told.seen, *filled[1].seen))
    # The errno is the same for both, and more room gives no inode.
    look = Step(say("see which is used up where it writes, bytes (`df -h`) or inodes (`df -i`)"))
    volume = find_volume(pod, one.run.name or None, path, snap) if path else None
    of_claim = volume is not None and volume.type == "persistentVolumeClaim"
    size = (
        (Want(Claim, Ref("PersistentVolumeClaim", pod.within, volume.what)),)
        if volume and of_claim and volume.what
        else ()
    )
    asks = (*size, *(want for _, sign in mounted for want in sign.wants), *_list_wants(pod, path, snap))
    return make_finding(pod, one, means, (look, _step(volume)), do_not=(_DELETE,), enrich=asks)


def _make_shared_memory_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding | None:
    """Return the finding for exhausted shared memory: the name in the message is a segment's, and no path."""
    if not _SHARED.search(one.complaint.line):
        return None
    volume = find_volume(pod, one.run.name or None, _SHM, snap) if pod.kind == "Pod" else None
    wanted = int(m["bytes"]) if (m := _BYTES.search(one.complaint.line)) else 0
    size = say("; it asks for {size} MiB", size=-(-wanted >> 20)) if wanted else NO_TEXT
    if volume is not None and volume.type == "emptyDir":
        limit = volume.size_limit or say("half of the Node's memory, or the Pod's limit")
        means = (
            say(
                "its shared memory is used up: {shm} is emptyDir {name}, of {limit}",
                shm=_SHM,
                name=volume.name,
                limit=limit,
            )
            + size
        )
        return make_finding(
            pod,
            one,
            means,
            (
                mend(
                    say("raise sizeLimit of emptyDir {name}, and the memory limit with it", name=volume.name)
                ),
            ),
        )
    means = (
        say(
            "its shared memory is used up: {shm} of a container has 64 MiB where no volume is mounted there",
            shm=_SHM,
        )
        + size
    )
    step = mend(
        say(
            "mount an emptyDir with medium: Memory and a sizeLimit at {shm}; what lies there counts as the "
            "container's memory, so that its limit has to allow for it",
            shm=_SHM,
        )
    )
    lower = mend(
        say("or have the program take less of it (PostgreSQL: shared_buffers, max_parallel_workers)")
    )
    disk = DoNot(
        say("make room on the Node's disk, or enlarge a volume"), say("shared memory lies in neither")
    )
    return make_finding(pod, one, means, (step, lower), do_not=(disk,))


def _make_full_finding(
    pod: Ref, one: ProgramMessage, means: Text, place: NodePlace, space: Space, snap: Facts
) -> Finding:
    """Return the finding with the exhausted resource and the file system of the Node."""
    node, at = place.path.within or "", space.mountpoint or space.path
    if not lacks_inodes(space) and (held := _describe_holders(place, space, snap)):
        return _make_deleted_finding(pod, one, means, node, space, held)
    if lacks_inodes(space):
        means += say(
            (
                "; the file system {at} of Node {node} has no inodes left ({used} of {inodes} are used), "
                "while {free} of {size} MiB are free"
            ),
            at=at,
            node=node,
            used=space.inodes - space.inodes_free,
            inodes=space.inodes,
            free=space.bytes_free >> 20,
            size=space.bytes >> 20,
        )
        look = Step(
            say("see which directories have so many files"),
            where=place_on_node(node),
            command=command("du --inodes -xd1 {at}", at=given.path(at)),
        )
        return make_finding(
            pod,
            one,
            means,
            (look, mend(say("delete files there that are not needed; more bytes give no inodes"))),
            do_not=(_DELETE,),
        )
    means += say(
        "; the file system {at} of Node {node} has {free} of {size} MiB free",
        at=at,
        node=node,
        free=space.bytes_free >> 20,
        size=space.bytes >> 20,
    )
    look = Step(
        say("see what takes the room"),
        where=place_on_node(node),
        command=command("du -xahd1 {at}", at=given.path(at)),
    )
    return make_finding(
        pod,
        one,
        means,
        (look, mend(say("delete what the program can make again, or enlarge that file system"))),
        do_not=(_DELETE,),
    )


def _describe_holders(place: NodePlace, space: Space, snap: Facts) -> tuple[DeletedFile, ...]:
    """Return the files without a name that are held open and take a good part of a full file system."""
    found = next((f.deleted for f in snap.of(NodePath, place.path) if f.deleted), ())
    return found if sum(f.bytes for f in found) * _GOOD_PART >= space.bytes else ()


def _make_deleted_finding(
    pod: Ref, one: ProgramMessage, means: Text, node: str, space: Space, held: tuple[DeletedFile, ...]
) -> Finding:
    """Return the finding for space that no listing shows: there is no file to delete, a process must close
    it.
    """
    first, at = held[0], space.mountpoint or space.path
    holder = name_process(first.proc, first.pod)
    means += say(
        "; the file system {at} of Node {node} has {free} of {size} MiB free, and {taken} MiB of it are "
        "deleted files that a process still holds open: {path}, by {holder}",
        at=at,
        node=node,
        free=space.bytes_free >> 20,
        size=space.bytes >> 20,
        taken=sum(f.bytes for f in held) >> 20,
        path=first.path,
        holder=holder,
    )
    unit = first.proc.unit or ""
    restart = (
        command("systemctl restart {unit}", unit=given.unit(unit))
        if not first.pod and unit.endswith(".service")
        else NO_COMMAND
    )
    see = command("ls -l /proc/{pid}/fd", pid=given.number(first.proc.pid))
    return make_finding(
        pod,
        one,
        means,
        (
            Step(say("see which deleted files it has open"), where=place_on_node(node), command=see),
            Step(
                say(
                    (
                        "restart {holder}, or have it close the file: the room comes back then; meanwhile "
                        "what it does stops"
                    ),
                    holder=holder,
                ),
                where=place_on_node(node),
                command=restart,
                risk="disrupts",
                verify=NEXT_RUN,
            ),
        ),
        do_not=(
            DoNot(
                say("look for files to delete there"),
                say("these have no name any more: no listing shows them, and `du` does not count them"),
            ),
        ),
    )


def _step(volume: PodVolume | None) -> Step:
    """Return the steps that make room, by the volume it writes to: only a claim can be enlarged."""
    if volume is None or not volume.type:
        return mend(
            say(
                "delete what the program can make again; where bytes are used up, enlarging the volume "
                "helps too"
            )
        )
    if volume.type == "persistentVolumeClaim":
        return mend(
            say(
                (
                    "delete what the program can make again; where bytes are used up, enlarging PVC {claim} "
                    "helps too"
                ),
                claim=volume.what,
            )
        )
    if volume.type == "emptyDir" and volume.what == "Memory" and volume.size_limit:
        return mend(
            say(
                (
                    "let it write less there, or raise the sizeLimit {limit} of emptyDir {name}; what lies "
                    "there counts as the Pod's memory"
                ),
                limit=volume.size_limit,
                name=volume.name,
            )
        )
    if volume.type == "hostPath":
        return mend(
            say(
                (
                    "delete files that the program can recreate, or make room on the "
                    "Node's file system of {path}"
                ),
                path=volume.what,
            )
        )
    return mend(
        say(
            "delete what the program can make again, or make room where volume {name} comes from",
            name=volume.name,
        )
    )


CAUSE = Cause(
    id="program.no-space-left",
    title=say("the program ends because no space is left on its file system"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | _node_place.READS,
    rule=_rule,
)
