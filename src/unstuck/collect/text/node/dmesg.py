"""`dmesg` in its forms: seconds since the boot, `-T`, `--time-format iso`, raw; without a stamp only
unmistakable ones.

The kernel's messages are read as on a node itself.

Sources: dmesg(1), syslog(2); the lines' meaning in `collect/node/kernel_messages.py`. A line with another
known message (a mount refused, a device lost) is read as that message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unstuck.collect.text.cutting import message
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.kernel import HungTasks, KernelEvents
from unstuck.facts.aspects.oom import Kill
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.kernel import begins_message

if TYPE_CHECKING:
    from unstuck.collect.node.kernel import KernelLine

_LINE = regex(
    r"^\s{0,8}(?:<\d{1,4}>)?(?:\[ *\d{1,10}\.\d{3,9}\]|\[[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} "
    r"\d\d:\d\d:\d\d \d{4}\]|"
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:?\d\d )"
)
_CTIME = regex(r"^\s{0,8}\[(?P<at>[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4})\]", re.M)


def find_kernel_stamps(text: str) -> Iterator[datetime]:
    """Yield the timestamps of `dmesg -T` before any lines, in UTC, which is assumed for all times without a
    zone.
    """
    for found in _CTIME.finditer(text):
        with suppress(ValueError):
            yield datetime.strptime(" ".join(found["at"].split()), "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of lines that the kernel stamped or that are known as its own, and of blank ones
    between them.
    """
    if not _is_kernel_line(lines[i]):
        return None
    end = i + 1
    for n in range(i + 1, len(lines)):
        if _is_kernel_line(lines[n]):
            end = n + 1
        elif lines[n].strip():
            break
    return end


def _is_kernel_line(line: str) -> bool:
    return bool(_LINE.match(line) or begins_message(line))


def read(piece: Piece) -> Reading:
    """Return KernelEvents, HungTasks and OomKills about the Node, from the pasted lines; other known messages
    as their own.
    """
    from unstuck.collect.node.kernel import KernelLine, parse_lines  # the node's readers bring much with them
    from unstuck.collect.node.logs import LogClock  # as above

    clock = LogClock(piece.context.now, piece.context.now.tzinfo or UTC)
    told = [
        (n, next(parse_lines(line.strip(), None, clock), None))
        for n, line in enumerate(piece.lines)
        if line.strip()
    ]
    bare = (
        (n, line or (KernelLine(piece.lines[n], None) if begins_message(piece.lines[n]) else None))
        for n, line in told
    )
    lines = [(n, line) for n, line in bare if line is not None]
    out = Reading(list(read_kernel_lines(lines, piece, piece.node or piece.block("Node"))))
    for n, line in lines:
        if message.find((line.text,), 0, None):
            out.facts += message.read(
                Piece((line.text,), piece.start + n, piece.command, piece.context)
            ).facts
    return out


def read_kernel_lines(lines: Sequence[tuple[int, KernelLine]], piece: Piece, node: Ref) -> Iterator[Fact]:
    """Yield facts of the lines, never whole: no paste reaches from the boot to now. lines: (index within
    the piece, line).
    """
    from unstuck.collect.node.kernel_messages import parse_events, parse_hung_tasks  # as above

    said = [line for _, line in lines]
    since = next((line.at for line in said if line.at), None)
    events = parse_events(said)
    if events:
        src = _find_source(piece, lines, events[-1].quote, events[-1].last)
        yield KernelEvents(about=node, src=src, items=tuple(events), since=since, whole=False)
    tasks = parse_hung_tasks(said)
    if tasks:
        src = _find_source(piece, lines, f"{tasks[-1].comm}:{tasks[-1].pid} blocked", tasks[-1].last)
        yield HungTasks(about=node, src=src, items=tuple(tasks), whole=False)
    yield from _read_oom_kills(lines, piece, node)


def _read_oom_kills(lines: Sequence[tuple[int, KernelLine]], piece: Piece, node: Ref) -> Iterator[Fact]:
    """Yield kills in a Pod's cgroup as that Pod's; for lack of the node's own memory as the Node's."""
    from unstuck.collect.node.system import kills_fact, oom_kills  # as above

    by: dict[Ref, list[Kill]] = {}
    for uid, kill in oom_kills(line for _, line in lines):
        if uid or kill.why != "memcg":
            by.setdefault(Ref("Pod", uid=uid) if uid else node, []).append(kill)
    for about, kills in by.items():
        yield kills_fact(kills, about, _find_source(piece, lines, f"({kills[-1].comm})", None), whole=False)


def _find_source(
    piece: Piece, lines: Iterable[tuple[int, KernelLine]], words: str, at: datetime | None
) -> Source:
    """Return the place of the last line with these words."""
    found = [(n, line) for n, line in lines if words in line.text]
    n, line = found[-1] if found else next(iter(lines))
    return piece.src(n, line.text.strip(), at)
