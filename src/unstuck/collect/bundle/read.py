"""Reads a bundle into facts: each member as a text, with the information in its path; bounded for any
content.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO

from unstuck.collect.bundle import saved
from unstuck.collect.bundle.layouts import LayoutPlace, place_of
from unstuck.collect.bundle.limits import MIB, Budget, BundleLimits, LimitReachedError
from unstuck.collect.bundle.member_times import contradicts, moment
from unstuck.collect.bundle.members import members, members_of_file
from unstuck.collect.bundle.streams import StreamSource as Stream
from unstuck.collect.masking import mask
from unstuck.collect.text import read_text
from unstuck.collect.text.cutting.piece import WHOLE
from unstuck.collect.text.cutting.split import decode_text, split_lines
from unstuck.collect.text.large_logs import thinning
from unstuck.collect.text.objects.stream import EarlierObjects
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.codec import FormatError, Saved
from unstuck.facts.core import Fact, Source
from unstuck.facts.text import Messages, Text
from unstuck.wording.klog import split_stamp
from unstuck.wording.program.read import find_complaint

say = Messages(__name__)

_LINES = 20
_LONGEST = 2000
_CHUNK = 1 << 20
_LOOKED_AT = 8192
_TAIL = 1 << 18
_PICTURES = (
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".ico",
    ".woff",
    ".woff2",
    ".ttf",
    ".css",
    ".js",
    ".html",
    ".svg",
    ".pb",
    ".der",
    ".db",
    ".rpm",
)


@dataclass(slots=True)
class BundleResult:
    """The content of a bundle.

    understood: (format, `MEMBER:FIRST-LAST`). not_understood: places without a matching format. notes: the
    parts left out, with reasons. read: number of text members. snapshots: Snapshots in it, whose facts are
    among `facts`. refusals: the reasons why other Snapshots were not read. at: the time of its evidence, None
    if it holds none. has_later_parts: whether a member holds something later than its own time.
    """

    facts: list[Fact] = field(default_factory=list)
    understood: list[tuple[str, str]] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    read: int = 0
    snapshots: list[Saved] = field(default_factory=list)
    refusals: list[Text] = field(default_factory=list)
    at: datetime | None = None
    has_later_parts: bool = False


def read_bundle(
    path: str,
    now: datetime,
    limits: BundleLimits | None = None,
    *,
    data: bytes | None = None,
    watch: Callable[[Callable[[], int]], None] | None = None,
) -> BundleResult:
    """Return the facts of a directory, an archive or a compressed file. data: the bundle itself, if it came
    through a pipe.

    now: the time of reading; each part describes the moment in which it was written, if that is known and its
    content does not belie it. watch: receives a function that returns, also to another thread, how many bytes
    have been read.

    Nothing is written anywhere. Errors: OSError if the path cannot be read, FormatError for a bundle of a
    later `unstuck collect`; every other failure is reported in `said` or `refused`.
    """
    out = _read(path, lambda written: moment(written, now), limits, data, watch)
    return _read(path, lambda _: now, limits, data, watch) if out.has_later_parts else out


def _read(
    path: str,
    when: Callable[[float | None], datetime],
    limits: BundleLimits | None,
    data: bytes | None,
    watch: Callable[[Callable[[], int]], None] | None,
) -> BundleResult:
    budget = Budget(limits or BundleLimits())
    if watch:
        watch(lambda: budget.at)
    out, seen, before = BundleResult(), set[Fact](), EarlierObjects()
    for given in members(path, budget) if data is None else members_of_file(BytesIO(data), path, budget):
        # A name is a stranger's too.
        name = split_lines(given.name.replace("\n", " "))[0]
        try:
            _read_one(name, given.stream, when(given.written), budget, out, seen, before)
        except LimitReachedError as e:
            budget.say(e.said.en, e.said)
        if len(seen) >= budget.limits.facts:
            most = budget.limits.facts
            budget.say("facts", say("more than {most} facts; the rest was not read", most=most))
            break
    out.facts = list(seen)
    out.notes = [*out.notes, *budget.said.values()]
    return out


def _read_one(
    name: str,
    stream: Stream,
    at: datetime,
    budget: Budget,
    out: BundleResult,
    seen: set[Fact],
    before: EarlierObjects,
) -> None:
    rest = saved.path_in_bundle(name)
    if rest is not None and f"{saved.FOLDER}/{rest}" not in (saved.SNAPSHOT, saved.MANIFEST):
        return
    place = place_of(name)
    if place.skip or name.lower().endswith(_PICTURES):
        return
    if place.container is not None:
        seen.update(_list_last_lines(name, place, stream))
        out.understood.append(("container-log", name))
        out.read += 1
        return
    head = _head(stream)
    if _binary(head):
        return
    if rest is not None and f"{saved.FOLDER}/{rest}" == saved.MANIFEST:
        saved.check_manifest(_bytes(head, stream, name, budget, budget.limits.member))
        return
    if saved.starts_like_saved(head[:_LOOKED_AT]):
        _snapshot(_bytes(head, stream, name, budget, budget.limits.snapshot), name, out, seen)
        return
    origin = WHOLE
    if len(head) >= thinning.FROM and thinning.is_log(head[:_LOOKED_AT]):
        hosted = place.command is not None and place.command.host is not None
        text, origin, cut = thinning.thin(head, stream, budget.limits.member, hosted=hosted)
        if cut:
            _note_cut(name, budget, budget.limits.member)
    else:
        text = decode_text(_bytes(head, stream, name, budget, budget.limits.member))
    if not text.strip():
        return
    got = read_text(text, name, at, place.command, joined=not place.known, origin=origin, before=before)
    out.has_later_parts = out.has_later_parts or contradicts(got.facts, at)
    if got.facts:
        out.at = max(out.at or at, at)
    out.read += 1
    seen.update(got.facts)
    out.understood += [(form, span(name, a, b)) for a, b, form in got.understood]
    out.not_understood += [span(name, a, b) for a, b in got.not_understood]


def _snapshot(data: bytes, name: str, out: BundleResult, seen: set[Fact]) -> None:
    try:
        found = saved.parse(data)
    except FormatError as e:
        out.refusals.append(say("{name}: {said}", name=name, said=e.said))
        return
    if found is None:
        out.refusals.append(say("{name}: a saved Snapshot that is not whole", name=name))
        return
    out.snapshots.append(found)
    if found.passed_over:
        out.notes.append(say("{name}: {passed_over}", name=name, passed_over=found.passed_over))
    out.read += 1
    seen.update(found.snapshot.facts)
    out.understood.append(("snapshot", name))


def span(name: str, first: int, last: int) -> str:
    """Return `NAME:3` or `NAME:3-9`."""
    return f"{name}:{first}" if first == last else f"{name}:{first}-{last}"


def _head(stream: Stream) -> bytes:
    """Return enough of a file to detect its kind, and whether it is large; for a binary file no more is
    read.
    """
    out = b""
    while len(out) < thinning.FROM and not _binary(out) and (data := stream.read(thinning.FROM - len(out))):
        out += data
    return out


def _bytes(head: bytes, stream: Stream, name: str, budget: Budget, limit: int) -> bytes:
    parts, size = [head], len(head)
    while size <= limit and (data := stream.read(_CHUNK)):
        parts.append(data)
        size += len(data)
    if size > limit:
        _note_cut(name, budget, limit)
    return b"".join(parts)[:limit]


def _note_cut(name: str, budget: Budget, limit: int) -> None:
    most = limit // MIB
    budget.say(name, say("{name}: only its first {most} MiB were read", name=name, most=most))


def _binary(data: bytes) -> bool:
    return b"\0" in data[:_LOOKED_AT] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def _list_last_lines(name: str, place: LayoutPlace, stream: Stream) -> Iterator[LastLines]:
    """Yield a container's own words: the last of them, secrets masked. No Failure is read from a stranger."""
    tail: deque[bytes] = deque()
    size = lines = 0
    while data := stream.read(_CHUNK):
        tail.append(data)
        size += len(data)
        lines += data.count(b"\n")
        while size - len(tail[0]) > _TAIL:
            gone = tail.popleft()
            size -= len(gone)
    if place.container is None or not tail:
        return
    kept = _take_last(decode_text(b"".join(tail)).split("\n"))
    if kept:
        words = tuple(mask(split_stamp(line)[0][:_LONGEST]) for line in kept)
        src = Source(f"{name}:{max(1, lines)}", words[-1][:200])
        told = find_complaint(words)
        yield LastLines(
            about=place.container, src=src, lines=words, previous=place.previous, complaint=told, whole=False
        )


def _take_last(lines: list[str]) -> list[str]:
    """Return the last lines, without the marks that `kubectl cluster-info dump` puts around a log. Only the
    lines needed are cleaned.
    """
    many = 4 * _LINES
    while True:
        made = split_lines("\n".join(lines[-many:]))
        kept = [
            line
            for line in made
            if line.strip() and not line.startswith(("==== START logs", "==== END logs"))
        ][-_LINES:]
        if len(kept) == _LINES or many >= len(lines):
            return kept
        many *= 8
