"""The directory of a Pod that no longer exists stays on the Node

## How it happens

A Pod vanished from the API before its kubelet had cleaned up: it was force deleted, its Node was off or
rebooted, its kubelet or CSI driver was down, or an unmount failed repeatedly. The kubelet finds the directory
`pods/UID` without a Pod and removes only empty directories from it, because a file there may be user data. A
remaining mount, a `vol_data.json` without its mount, the target of a subPath that is a file, or data written
while no volume was mounted, makes it give up and try again every two seconds.

## How to tell

The directory exists, its uid is in neither the API nor the kubelet's list, no process of it runs, and its
`volumes` are not empty: a mount in the kubelet's mount namespace, or a file. The kubelet says `orphaned pod
"UID" found, but …` and names one of many in that line; for mounts it does so at verbosity 3 only. It repeats
the message at every look, so the message alone makes this likely only if it is repeated to the end of its
log: if it appears once, or is followed by other lines for 10 s or by a newer kubelet without it, the
directory may have been removed by now, and only a look at it decides.

## Known limits

It is nearly always a by-product: it keeps no new Pod from starting unless its volume can be attached only
once, and the fault is the first failure of that Pod, which the log may no longer hold. A kubelet up to 1.20
removes no volume directory at all, not even an empty one; 1.22 to 1.27 leave a `vol_data.json` (PR 116134). A
directory that changed within the last minute may still be on its way. Directories of static Pods are left
out: the API knows those Pods under another uid.

## References

- pkg/kubelet/kubelet_volumes.go (cleanupOrphanedPodDirs, removeOrphanedPodVolumeDirs)
- kubernetes/kubernetes issues 60987, 105536, 106942, 114698; PR 116134; umount(8)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen, MountEntry
from unstuck.facts.aspects.kubelet import KubeletPods
from unstuck.facts.aspects.leftovers import LeftDirectory, PodDirectories
from unstuck.facts.aspects.objects import Below, Conditions, Failure, Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.earlier import is_of_earlier_process
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.waiting import reports

say = Messages(__name__)

# The kubelet looks every two seconds; a directory unchanged for so long is no longer being removed.
_STILL = timedelta(minutes=1)
# Five looks: if its log goes on for so long without another complaint, there is none any more, or the kubelet
# has stopped looking.
_SILENT = timedelta(seconds=10)
_IN_MEMORY = ("tmpfs", "ramfs", "hugetlbfs")
_SHOWN = 8
# Below it a directory for each Pod: the Pod chose the file names, and a `.bashrc` directly in a home
# directory would be run.
_AWAY = "/root/left-by-pods"


@record()
class _KnownDirectory(Record):
    """Pods that a list holds. uids: None if no list was seen whole."""

    uids: frozenset[str] | None
    seen: tuple[Fact, ...]
    wants: tuple[Want, ...]

    def lacks(self, uid: str) -> Sign[Any]:
        """Tell whether the list was seen and holds no such Pod."""
        if self.uids is None:
            return Sign(None, wants=self.wants)
        return Sign(False, seen=self.seen) if uid in self.uids else Sign(True, seen=self.seen)


def _rule(subject: Ref, snap: Facts) -> Signs:
    node = subject if subject.kind == "Node" else find_node_of_pod(subject, snap)
    said = _find_kubelet_words(subject, snap)
    api, own = _in_api(node, snap), _in_kubelet(node, snap)
    there = _judge_there(subject, node, snap, {f.key for f in said.hits})
    left = _find_orphans(there, [api, own], {f.key for f in said.hits})
    # Of directories that are gone by now the log speaks too.
    words = (
        _find_words_about(said, {i.uid for i in left.hits})
        if left.value
        else _repeats(_find_to_the_end(said, snap))
    )
    uid = left.hits[0].uid if left.hits else next((f.key or "" for f in said.hits), subject.uid or "")
    gone = _is_deleted(subject, uid, api, snap)
    # The kubelet that calls it orphaned has no such Pod in its list.
    unlisted: Sign[Any] = any_of(
        [s for s in (_find_words_about(said, {uid}), own.lacks(uid)) if s.value is not None]
        or [own.lacks(uid)]
    )
    raised: Sign[Any] = all_of([reports(subject, snap), gone, unlisted])
    if not said.value and not left.value and not there.value:
        raised = _judge_silence(subject, node, snap)
    return Signs(
        applies=raised,
        decisive={"a directory without its Pod contains files that the kubelet does not remove": left},
        supporting={"the kubelet calls it orphaned": words},
        finding=lambda: _make_finding(subject, node, left.hits, words.hits),
    )


def _find_kubelet_words(subject: Ref, snap: Facts) -> Sign[Failure]:
    """Find the kubelet's messages about this Pod, or about any on the Node; never a no."""
    hits = tuple(
        f
        for f in snap.every(Failure)
        if f.operation == "pod-directory-remove"
        and (snap.canon(f.about) == subject or (f.key is not None and f.key == subject.uid))
    )
    return Sign(True, hits, hits, sure=any(snap.sure(f) for f in hits)) if hits else Sign(None)


def _find_to_the_end(said: Sign[Failure], snap: Facts) -> Sign[Failure]:
    """Return yes if it is reported up to the end of a log that is known to continue; never a no."""
    hits = tuple(f for f in said.hits if _ends_with(f, snap))
    return Sign(True, hits, hits, sure=said.sure) if hits else Sign(None)


def _ends_with(said: Failure, snap: Facts) -> bool:
    """Tell whether the log ends soon after the message, or goes on naming directories: each line names one of
    many.

    A kubelet that ended does not speak for the running one.
    """
    same = [
        f
        for f in snap.of(Failure, said.about)
        if f.operation == said.operation and f.reporter == said.reporter
    ]
    told = [f.src.at for f in same if f.src.at and not is_of_earlier_process(f, said.about, snap)]
    ends = [log.until for log in snap.of(LogSeen, said.about) if log.component == said.reporter and log.until]
    return bool(told and ends) and max(ends) - max(told) < _SILENT


def _repeats(said: Sign[Failure]) -> Sign[Failure]:
    """Return yes for a directory that was reported twice: after a single report, the kubelet may remove it
    on its next pass.
    """
    times = Counter[str | None]()
    for f in said.hits:
        times[f.key] += f.count
    again = tuple(f for f in said.hits if times[f.key] > 1)
    return Sign(True, again, again, sure=said.sure) if again else Sign(None, said.hits, said.hits)


def _find_words_about(said: Sign[Failure], uids: set[str]) -> Sign[Failure]:
    """Return the messages about these uids; never a no."""
    hits = tuple(f for f in said.hits if f.key in uids)
    return Sign(True, hits, hits, sure=said.sure) if hits else Sign(None)


def _judge_there(
    subject: Ref, node: Ref | None, snap: Facts, said: Iterable[str | None]
) -> Sign[LeftDirectory]:
    """Find unchanged directories that are not empty, or about which the kubelet complains."""
    if node is None:
        return Sign(None, wants=(Want(Placement, subject),))
    complained = frozenset(said)

    def pick(f: PodDirectories) -> list[LeftDirectory]:
        mine = [i for i in f.items if subject.kind == "Node" or i.uid == subject.uid]
        still = [i for i in mine if i.holds and i.changed is not None and snap.now - i.changed >= _STILL]
        return [*still, *(i for i in mine if i.uid in complained and i not in still)]

    return some(snap, PodDirectories, node, pick)


def _find_orphans(
    there: Sign[LeftDirectory], lists: list[_KnownDirectory], said: set[str | None]
) -> Sign[LeftDirectory]:
    """Find directories whose Pod is in no known list, if at least the API or the kubelet was asked or
    complains.
    """
    if not there.value:
        return there
    seen = unique((*there.seen, *(f for k in lists for f in k.seen)))
    strange = [i for i in there.hits if not any(k.uids is not None and i.uid in k.uids for k in lists)]
    if not strange:
        return Sign(False, seen=seen)
    known = tuple(i for i in strange if lists[0].uids is not None or i.uid in said)
    if not known:
        return Sign(None, hits=tuple(strange), seen=there.seen, wants=lists[0].wants)
    return Sign(True, known, seen, sure=there.sure)


def _in_api(node: Ref | None, snap: Facts) -> _KnownDirectory:
    """Return the Node's Pods as the API lists them; a list without uids is none."""
    lists = [
        f
        for f in (snap.of(Below, node) if node else ())
        if f.kind == "Pod" and f.whole and all(r.uid for r in f.refs)
    ]
    uids = frozenset(r.uid or "" for f in lists for r in f.refs) if lists else None
    return _KnownDirectory(uids, tuple(lists), (Want(Below, node),) if node else ())


def _in_kubelet(node: Ref | None, snap: Facts) -> _KnownDirectory:
    """Return the kubelet's own list."""
    lists = [f for f in (snap.of(KubeletPods, node) if node else ()) if f.whole]
    uids = frozenset(i.pod.uid or "" for f in lists for i in f.items) if lists else None
    return _KnownDirectory(uids, tuple(lists), (Want(KubeletPods, node),) if node else ())


def _is_deleted(subject: Ref, uid: str, api: _KnownDirectory, snap: Facts) -> Sign[Any]:
    """Tell whether the API has no Pod of this uid: by its list of the Node's Pods, else by a GET of the
    Pod.
    """
    if api.uids is not None or subject.kind == "Node":
        return api.lacks(uid)
    there = some(snap, Presence, subject, lambda f: [] if f.exists else [f])
    return there if there.value is not None else Sign(None, wants=(*there.wants, *api.wants))


def _judge_silence(subject: Ref, node: Ref | None, snap: Facts) -> Sign[Any]:
    """Tell whether to look unprompted: never about a Pod; about a Node while it is Ready, for such a
    directory makes none unready.
    """
    if subject.kind != "Node" or node is None:
        return Sign(False)
    ready = some(
        snap, Conditions, node, lambda f: [c for c in f.items if c.type == "Ready" and c.status == "True"]
    )
    return all_of([reports(subject, snap), ready])


def _make_finding(
    subject: Ref, node: Ref | None, left: tuple[LeftDirectory, ...], said: tuple[Failure, ...]
) -> Finding:
    name = node.name if node else None
    first = min(left, key=lambda i: (not i.mounts, not i.files, i.uid)) if left else _of_words(said)
    more = len(left) - 1
    says = say(
        "A deleted Pod's directory is left on Node {name}: {path}",
        name=name or "?",
        path=first.path or first.uid,
    ) + _describe_holders(first)
    if more > 0:
        says += say(" (and {more} more such directories)", more=more)
    return Finding(
        says,
        # Any other cause that holds this Pod is the root, and this its by-product.
        culprit=subject if subject.kind == "Pod" else Ref("Pod", uid=first.uid),
        blocks=(),
        notes=(*_list_first_failures(first), *_list_words(said)),
        help=_help(first, place_on_node(name)),
        do_not=(
            DoNot(
                same_in_both("rm -rf ") + (same_in_both(first.path) if first.path else say("the directory")),
                say(
                    "while anything is mounted below it, this deletes the volume's own data, for every Pod "
                    "that uses it"
                ),
            ),
        ),
    )


def _of_words(said: tuple[Failure, ...]) -> LeftDirectory:
    """Return the evidence of the kubelet's message alone."""
    uid = said[0].key or said[0].about.uid or "UID"
    return LeftDirectory(uid, "", files=tuple(f.path for f in said if f.path and f.key == said[0].key))


def _describe_holders(left: LeftDirectory) -> Text:
    if left.mounts:
        n = len(left.mounts)
        return say("; {n} {n:mount|mounts} below it", n=n)
    if left.files:
        return say("; {files} is in the way", files=left.files[0])
    return NO_TEXT


def _list_first_failures(left: LeftDirectory) -> tuple[Text, ...]:
    """Return the Pod's earlier failures: the first is the fault, and the directory its leftover."""
    if not left.earlier:
        text = say(
            "this is left over from another fault: find the first failure of this uid in the kubelet's log"
        )
        return (text,)
    return tuple(
        say(
            "earlier failure of this Pod{at}: {operation}: {message}",
            at=say(" at {at:%Y-%m-%d %H:%M} UTC", at=e.at) if e.at else NO_TEXT,
            operation=e.operation,
            message=e.message,
        )
        for e in left.earlier
    )


def _list_words(said: tuple[Failure, ...]) -> tuple[Text, ...]:
    times = sum(f.count for f in said)
    if times < 2:
        return ()
    return (say("the kubelet has logged this {times} times; each line shows one directory", times=times),)


def _help(left: LeftDirectory, where: str) -> tuple[Step, ...]:
    below = left.path or f"/var/lib/kubelet/pods/{left.uid}"
    quiet = say("the kubelet no longer logs it, and the directory is gone")
    empty = Step(
        say("then remove only empty directories; a kubelet of 1.21 or later does this within seconds"),
        where=where,
        command=command("find {directory} -xdev -depth -type d -empty -delete", directory=given.path(below)),
        verify=quiet,
    )
    if not left.path:
        mounted = Step(
            say("see what is mounted below it; unmount only that first"),
            where=where,
            command=command("grep -s {uid} /proc/1/mountinfo", uid=given.uid(left.uid)),
        )
        files = Step(
            say("then see which entries are not directories, and move only those away"),
            where=where,
            command=command("find {directory} -xdev ! -type d", directory=given.path(below)),
        )
        return (mounted, files, empty)
    unmount = [_unmount(m, where) for m in sorted(left.mounts, key=lambda m: -len(m.mountpoint))[:_SHOWN]]
    return (*unmount, *([_move(left, where)] if left.files else []), empty)


def _unmount(mount: MountEntry, where: str) -> Step:
    if mount.fstype in _IN_MEMORY:
        return Step(
            say("unmount only this one; it is in memory, so its content is lost: copy what you need first"),
            where=where,
            command=command("umount {point}", point=given.path(mount.mountpoint)),
            risk="loses-data",
        )
    return Step(
        say(
            "unmount only this one, which is not mounted again automatically, and never lazily: umount "
            "fails while a process uses it; then look at that process"
        ),
        where=where,
        command=command("umount {point}", point=given.path(mount.mountpoint)),
        risk="disrupts",
    )


def _move(left: LeftDirectory, where: str) -> Step:
    away = f"{_AWAY}/{left.uid}"
    return Step(
        say(
            "once nothing is mounted there any more, move only these files away; they may be the last copy "
            "of someone's data"
        ),
        where=where,
        command=command(
            "mkdir -p -m 700 {away} && mv --backup=numbered -t {away} {files}",
            away=given.path(away),
            files=given.paths(left.files),
        ),
        risk="reversible",
        undo=command(
            "mv {away} {file}",
            away=given.path(f"{away}/{left.files[0].rpartition('/')[2]}"),
            file=given.path(left.files[0]),
        ),
    )


CAUSE = Cause(
    id="kubelet.orphaned-pod-directory",
    title=say("a deleted Pod's directory is left on the node"),
    subjects=("Pod", "Node"),
    reads=frozenset(
        {PodDirectories, Failure, Below, KubeletPods, Presence, Placement, Conditions, Lease, LogSeen}
    ),
    rule=_rule,
)
