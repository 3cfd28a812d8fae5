"""The numbers of the last scan, for `unstuck why @3`: a file of the user, valid for an hour and for the same
cluster.

Only `why` accepts a number. A command with effects must name its object: a number may mean a different object
a moment later.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unstuck.diagnosis.text import format_duration, who
from unstuck.errors import NotFound, UnstuckError, UsageError
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages
from unstuck.render.scan_selection import select_incidents

if TYPE_CHECKING:
    from unstuck.api.cluster import Cluster
    from unstuck.api.report import Report

say = Messages(__name__)

GOOD_FOR = timedelta(hours=1)
# Tolerance for clocks set back a little.
_AHEAD = timedelta(minutes=2)
_FORMAT = "unstuck/last-scan/1"
_LARGEST = 4 << 20
# This Namespace is created once with the cluster.
_OLDEST = Ref("Namespace", None, "kube-system")
AGAIN = say("run unstuck scan first")


@record()
class LastScan(Record):
    """The rows of a scan. context: the cluster's name in Snapshots. cluster: its uid, "" if unreadable. rows:
    by number.
    """

    at: datetime
    context: str
    cluster: str
    rows: Mapping[int, Ref]


def state_path(env: Mapping[str, str]) -> Path | None:
    """Return the file's path, in the user's state directory; None without such a directory."""
    state, home = Path(env.get("XDG_STATE_HOME", "")), Path(env.get("HOME", ""))
    kept_in = Path("unstuck", "last-scan.json")
    if state.is_absolute():
        return state / kept_in
    with suppress(OSError):
        if home.is_absolute() and home.is_dir():
            return home / ".local" / "state" / kept_in
    return None


def keep(report: Report, cluster: Cluster, env: Mapping[str, str]) -> bool:
    """Save the displayed numbers; False if that fails, and then they must not be offered. Earlier numbers are
    always removed.
    """
    path = state_path(env)
    if path is None:
        return False
    rows = {i.id: report.diagnoses[i.representative].subject for i in select_incidents(report.answer).urgent}
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        _write(
            path,
            LastScan(
                report.at, report.sources[0] if report.sources else "", cluster.uid_of(_OLDEST) or "", rows
            ),
        )
    except (OSError, UnstuckError):
        return False
    return True


def _write(path: Path, kept: LastScan) -> None:
    from unstuck.collect.output_file import OutFile

    document = {
        "format": _FORMAT,
        "at": kept.at.isoformat(),
        "context": kept.context,
        "cluster": kept.cluster,
        "rows": [[n, r.kind, r.within, r.name, r.uid] for n, r in kept.rows.items()],
    }
    with OutFile(str(path), replace=True) as file:
        file.write(json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")


def find_object_behind(number: int, cluster: Cluster, env: Mapping[str, str]) -> Ref:
    """Return the object behind a number of the last scan, if it is still the same object in the same cluster.

    Errors: UsageError if the scan or the number is missing, too old, or of another cluster; NotFound if the
    object was replaced.
    """
    kept = _read(state_path(env))
    if kept is None:
        raise UsageError(say("@{number}: no scan is kept here", number=number), AGAIN)
    _same_cluster(number, kept, cluster)
    subject = kept.rows.get(number)
    if subject is None:
        most = max(kept.rows, default=0)
        raise UsageError(
            say("@{number}: the last scan has {most} incidents", number=number, most=most), AGAIN
        )
    now = cluster.uid_of(Ref(subject.kind, subject.within, subject.name))
    if subject.uid and now and now != subject.uid:
        raise NotFound(
            say(
                "@{number} was {who}, which is gone: there is another one of that name now",
                number=number,
                who=who(subject),
            ),
            say("scan again, or name it"),
        )
    return subject


def _same_cluster(number: int, kept: LastScan, cluster: Cluster) -> None:
    """Check that the scan is recent and of this cluster. Errors: UsageError for an old scan or another
    context.
    """
    age = datetime.now(UTC) - kept.at
    if not -_AHEAD <= age <= GOOD_FOR:
        span = format_duration(age)
        raise UsageError(
            say(
                "@{number}: the last scan is {span} old; a number is good for an hour",
                number=number,
                span=span,
            ),
            AGAIN,
        )
    if kept.context != cluster.source:
        was, here = kept.context.removeprefix("live:"), cluster.source.removeprefix("live:")
        raise UsageError(
            say(
                "@{number}: the last scan was of context {was}, this is {here}",
                number=number,
                was=was,
                here=here,
            ),
            say("add --context {was}, or scan again", was=was),
        )
    uid = cluster.uid_of(_OLDEST) if kept.cluster else None
    if uid and uid != kept.cluster:
        raise UsageError(
            say("@{number}: this context leads to another cluster than at the last scan", number=number),
            AGAIN,
        )


def _read(path: Path | None) -> LastScan | None:
    """Read the file; None for a file owned or writable by another user."""
    with suppress(OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return _parse(_bytes(path)) if path is not None else None
    return None


def _bytes(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        told = os.fstat(file.fileno())
        if (
            not stat.S_ISREG(told.st_mode)
            or told.st_uid != os.geteuid()
            or told.st_mode & 0o077
            or told.st_size > _LARGEST
        ):
            raise ValueError(path)
        return file.read(_LARGEST)


def _parse(content: bytes) -> LastScan:
    document: dict[str, Any] = json.loads(content)
    if document["format"] != _FORMAT:
        raise ValueError(document["format"])
    rows = {
        int(n): Ref(_word(kind), _maybe(within), _word(name), _maybe(uid))
        for n, kind, within, name, uid in document["rows"]
    }
    at = datetime.fromisoformat(_word(document["at"]))
    if at.tzinfo is None:
        raise ValueError(at)
    return LastScan(at, _word(document["context"]), _word(document["cluster"]), rows)


def _word(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _maybe(value: object) -> str | None:
    return None if value is None else _word(value)
