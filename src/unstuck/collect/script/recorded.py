"""A stream as a node's root, in memory. See docs/why/shell-collector.md for why it is not unpacked."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.collect.node.root import MAX_FILE, MAX_NAMES, Root
from unstuck.collect.script.stream import LARGEST, NoStreamError, RecordedLook, Recording, is_stream, parse
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.record import record
from unstuck.facts.regex import regex
from unstuck.facts.text import Messages

say = Messages(__name__)

# Files that the script reads twice.
_TWICE = regex(
    r"^/proc/\d+/(?:stat|mountstats|task/\d+/(?:stat|status|wchan))$|^/sys/fs/fuse/connections/\d+/waiting$",
    re.ASCII,
)
_HOLD = regex(r"^/proc/\d+/(?:cwd|root|fd/\d+)$", re.ASCII)
_MOUNTINFO = regex(r"^/proc/(\d+)/mountinfo$", re.ASCII)
_STAT = regex(r"^/proc/(\d+)/stat$", re.ASCII)
_PROCESS = regex(r"^/proc/(\d+)/", re.ASCII)
_ELSEWHERE = b"-"

# The sections without which a fact has not seen the full extent. Unlisted facts are never seen in full.
_NEEDS: Mapping[type[Fact], frozenset[str]] = {
    o.fact: frozenset(o.script) for o in NODE_OBSERVABLES if o.script
}
_NEVER = frozenset(("",))


@dataclass(slots=True)
class _Memory:
    """children: names below each directory. shared: by mount namespace, a process whose mounts were
    recorded. read: paths read once.
    """

    children: dict[str, set[str]] = field(default_factory=dict)
    shared: dict[bytes, str] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)

    def add(self, path: str) -> None:
        """Add a path, and hence every directory above it."""
        while path != "/":
            above, _, name = path.rpartition("/")
            path = above or "/"
            inside = self.children.setdefault(path, set())
            if name in inside:
                return
            inside.add(name)


@record()
class RecordedRoot(Root):
    """A recording as a Root. A file that the script read twice has its first content at the first read,
    then its second one.
    """

    recording: Recording = field(
        default_factory=lambda: Recording(RecordedLook(), RecordedLook(), frozenset(), ended=False)
    )
    _memory: _Memory = field(default_factory=_Memory)

    def __post_init__(self) -> None:
        first, again = self.recording.first, self.recording.again
        if "again" in self.recording.done:
            _remove_ended(first, again)
        for path in (*first.files, *first.links, *first.listed, *first.closed):
            self._memory.add(path)
        for path in [
            p for p in first.links if _HOLD.match(p) and first.links[p] != _ELSEWHERE and p not in again.links
        ]:
            # It only passed by, or there was no second look.
            first.links[path] = _ELSEWHERE
        for path in first.files:
            if (found := _MOUNTINFO.match(path)) and (
                namespace := first.links.get(f"/proc/{found[1]}/ns/mnt")
            ):
                self._memory.shared.setdefault(namespace, path)

    @property
    def live(self) -> bool:
        """Never."""
        return False

    def real(self, path: str, follow: bool = True) -> str:  # noqa: ARG002
        """Refuse: the path is not on this machine. Errors: OSError, always."""
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def _resolve_name(self, path: str, follow: bool = True) -> str | None:
        done = self._walked(path, follow)
        return None if done is None else "/" + "/".join(done)

    def _target(self, parts: list[str]) -> str | None:
        target = self.recording.first.links.get("/" + "/".join(parts))
        return None if target is None else os.fsdecode(target)

    def data(self, path: str, cap: int = MAX_FILE, offset: int = 0) -> bytes | None:
        """Read as a Root does."""
        name = self._resolve_name(path)
        if name is None:
            return None
        memory, recording = self._memory, self.recording
        if offset == 0 and _TWICE.match(name):
            if name in memory.read:
                text = recording.again.text(name)
                return None if text is None or "again" not in recording.done else text[:cap]
            memory.read.add(name)
        text = recording.first.text(name)
        if text is None and (found := _MOUNTINFO.match(name)):
            # Processes of one mount namespace have the same mounts; they were recorded once.
            other = memory.shared.get(recording.first.links.get(f"/proc/{found[1]}/ns/mnt", b""))
            text = recording.first.text(other) if other else None
        return None if text is None else text[offset : offset + cap]

    def brief(self, path: str, cap: int = 64 << 10) -> str | None:
        """Read as `text` does."""
        return self.text(path, cap)

    def names(self, path: str) -> tuple[str, ...] | None:
        """Return the recorded names, as a Root does."""
        name = self._resolve_name(path)
        if name is None or (name not in self._memory.children and name not in self.recording.first.listed):
            return None
        return tuple(sorted(self._memory.children.get(name, ()))[:MAX_NAMES])

    def link(self, path: str) -> tuple[str, int]:
        """Return a link as a Root does; "-" for a link to an irrelevant target."""
        name = self._resolve_name(path, follow=False)
        first = self.recording.first
        if name is None:
            return "", errno.ELOOP
        if name in first.closed:
            return "", errno.EACCES
        target = first.links.get(name)
        if target is None:
            return "", errno.EINVAL if self._exists(name) else errno.ENOENT
        return os.fsdecode(target), 0

    def stat(self, path: str) -> os.stat_result | None:
        """Return kind and size as a Root does; other numbers mean nothing."""
        name = self._resolve_name(path)
        if name is None or not self._exists(name):
            return None
        text = self.recording.first.text(name)
        kind = stat.S_IFREG if text is not None else stat.S_IFDIR
        return os.stat_result((kind | 0o444, hash(name) & 0x7FFFFFFF, 0, 1, 0, 0, len(text or b""), 0, 0, 0))

    def _exists(self, name: str) -> bool:
        first = self.recording.first
        return (
            name in first.files
            or name in first.links
            or name in first.listed
            or name in first.closed
            or name in self._memory.children
        )


def _remove_ended(first: RecordedLook, again: RecordedLook) -> None:
    """Remove the processes that were gone at the second look, the script's own among them."""
    there = {found[1] for path in again.files if (found := _STAT.match(path))}
    gone = {found[1] for path in first.files if (found := _STAT.match(path))} - there
    for seen in (first.files, first.links, first.listed, first.closed):
        for path in [p for p in seen if (found := _PROCESS.match(p)) and found[1] in gone]:
            seen.pop(path) if isinstance(seen, dict) else seen.discard(path)


def open_root(path: str) -> Root:
    """Open a directory as a root, or a stream saved as a file. Errors: NoStreamError for any other file."""
    if not Path(path).is_file():
        return Root(path)
    with Path(path).open("rb") as file:
        data = file.read(LARGEST)
    if not is_stream(data[:64]):
        raise NoStreamError(say("neither a directory nor what `unstuck node --script` prints on a node"))
    return RecordedRoot(path, parse(data))


def find_cut(root: Root, node: Ref) -> Iterator[Refused]:
    """Yield a refusal if the recording has no end."""
    if isinstance(root, RecordedRoot) and not root.recording.ended:
        src = Source(f"node:{node.name}")
        yield Refused(
            about=node,
            src=src,
            want="survey",
            why="unreachable",
            detail="the recording was cut off before its end",
        )


def limit_to_seen(root: Root, facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the facts; a fact that needs a section missing from a cut stream is marked as not whole."""
    if not isinstance(root, RecordedRoot):
        yield from facts
        return
    for fact in facts:
        missing = _NEEDS.get(type(fact), _NEVER) - root.recording.done
        yield replace(fact, whole=False) if missing and fact.whole and not isinstance(fact, Refused) else fact
