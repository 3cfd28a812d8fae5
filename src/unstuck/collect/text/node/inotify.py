"""The inotify use of processes, counted by hand with the command in `InotifyUse.ask`, and `sysctl
fs.inotify`: inotify(7), sysctl(8).

Rows are `COUNT UID COMM`, one for each process. Three such words are rows of this format only below such a
command.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.node_limits import InotifyUse, InotifyUser
from unstuck.facts.regex import regex

_COUNTED = regex(r"inotify.{0,400}\buniq -c\b.{0,400}\bps -o uid=,comm= ")
_ROW = regex(r"^\s*(?P<count>\d{1,9})\s+(?P<uid>\d{1,10})\s+(?P<comm>\S.{0,63}?)\s*$")
_LIMIT = regex(
    r"^\s*fs\.inotify\.max_(?P<name>queued_events|user_instances|user_watches)\s?=\s?(?P<limit>\d{1,10})\s*$"
)
_MOST_USERS, _MOST_COMMS = 50, 5


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the process rows, of the limit rows after them, or of either alone."""
    counted = command is not None and _COUNTED.search(command.text)
    end = find_end_of_run(lines, i, _ROW.match) if counted else i
    end = find_end_of_run(lines, end, _LIMIT.match)
    return end if end > i else None


def read(piece: Piece) -> Reading:
    """Return InotifyUse about the Node: the instances of each user. Watches were not counted: they are given
    as 0, and it is never whole.
    """
    limits = {found["name"]: int(found["limit"]) for line in piece.lines if (found := _LIMIT.match(line))}
    users: dict[int, Counter[str]] = {}
    first: dict[int, int] = {}
    for n, line in enumerate(piece.lines):
        if found := _ROW.match(line):
            uid = int(found["uid"])
            users.setdefault(uid, Counter())[found["comm"]] += int(found["count"])
            first.setdefault(uid, n)
    heavy = sorted(users, key=lambda uid: (-users[uid].total(), uid))[:_MOST_USERS]
    most = {uid: tuple(comm for comm, _ in users[uid].most_common(_MOST_COMMS)) for uid in heavy}
    use = InotifyUse(
        about=piece.node or piece.block("Node"),
        src=piece.src(first[heavy[0]] if heavy else 0),
        items=tuple(InotifyUser(uid, users[uid].total(), 0, most[uid]) for uid in heavy),
        max_instances=limits.get("user_instances"),
        max_watches=limits.get("user_watches"),
        whole=False,
    )
    return Reading([use])
