"""Lines of a node's logs taken apart: klog text and JSON, logfmt (dockerd, containerd), with a journal's prefix or without.

Sources: k8s.io/klog v2 (internal/serialize, textlogger), component-base/logs/json, sirupsen/logrus TextFormatter (also with colours, as
on a terminal), systemd journalctl `short` and `short-iso`. klog's header has no year and no zone: the caller's time gives both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from unstuck.facts.record import Record as Frozen
from unstuck.facts.record import record
from unstuck.facts.regex import regex

_JOURNAL = regex(
    r"^(?:(?P<mon>[A-Z][a-z]{2}|\d{1,2}月) {1,2}(?P<day>\d{1,2}) (?P<clock>\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?|(?P<iso>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\S{0,16})) "
    r"(?P<host>[\w.-]{1,253}) {1,2}(?P<program>[\w.@/-]{1,64})(?:\[(?P<pid>\d{1,10})\])?: "
)
# The rest of such a line after its time and machine were cut off.
_CUT = regex(r"^ {0,4}(?P<program>kubelet|containerd|dockerd|crio|k3s|rke2|hyperkube)\[(?P<pid>\d{1,10})\]: ")
_KLOG = regex(
    r"^(?:ERROR: logging before flag\.Parse: )?(?P<severity>[IWEF])(?P<month>\d{2})(?P<day>\d{2}) (?P<clock>\d{2}:\d{2}:\d{2})(?:\.(?P<fraction>\d{1,9}))?\s{1,12}(?P<pid>\d{1,10}) "
    r"(?P<file>[\w./-]{1,200}):(?P<line>\d{1,6})\] ?"
)
_LOGFMT = regex(r"^time=\"(?P<time>[^\"]{10,40})\" level=(?P<level>\w{3,8}) msg=")
# The timestamp that `kubectl logs --timestamps`, `docker logs -t` and a CRI log file put before a line; a journal's has an offset and six digits.
_STAMP = regex(
    r"^(?P<stamp>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:(?:\.\d{1,9})?Z|\.\d{7,9}[+-]\d{2}:\d{2})) (?:std(?:out|err) [FP] )?"
)
_MOUNTING = regex(r"(?:Unm|M)ounting (?:command|arguments): ")
_LOGRUS = regex(
    r"^(?P<level>TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[(?P<time>\d{4,10}|\d{4}-\d{2}-\d{2}T[^\]]{8,32})\] "
)
_JSON = '{"ts":'
_MONTHS = {
    m: i
    for i, m in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1
    )
}
_MONTHS |= {f"{i}月": i for i in range(1, 13)}
_LEVELS = {
    "info": "I",
    "debug": "I",
    "trace": "I",
    "warning": "W",
    "warn": "W",
    "error": "E",
    "fatal": "F",
    "panic": "F",
}
_LEVELS |= {"TRAC": "I", "DEBU": "I", "INFO": "I", "WARN": "W", "ERRO": "E", "FATA": "F", "PANI": "F"}
_MOST_CONTINUED = 64
# A component's own HTTP error response, echoed in its log (apiserver/pkg/server/httplog): for a requested log, a piece of that log
# in one line. Its content belongs to another time and other objects.
ECHO = "\tlogging error output:"
# Zones differ by quarters of an hour, and by no more than from +14 to -12.
_QUARTER = timedelta(minutes=15)
_ZONES = timedelta(hours=15)

# Messages that a 1.27–1.34 kubelet writes at one verbosity only: seeing one tells that the log was taken at least at that level.
VERBOSITY_OF: tuple[tuple[str, int], ...] = (
    ("SyncLoop ADD", 2),
    ("SyncLoop DELETE", 2),
    ("SyncLoop REMOVE", 2),
    ("SyncLoop UPDATE", 2),
    ("SyncLoop (PLEG): event for pod", 2),
    ("Killing container with a grace period", 2),
    ("PreStop hook not completed in grace period", 2),
    ("Running preStop hook", 3),
    ("Status for pod updated successfully", 3),
    ("Pod fully terminated and removed from etcd", 3),
    ("Pod termination cleaned up volume paths", 3),
    ("Pod termination removed cgroups", 4),
    ("Pod termination stopped all running containers", 4),
    ("Pod worker has observed request to terminate", 4),
    ("Event occurred", 3),
)


@record()
class KlogRecord(Frozen):
    """One message. index: of its first line, 0-based; count: of its lines. severity: I, W, E, F, or "" if the
    line has none.

    program: `kubelet`, `dockerd`, `containerd`, "" if unknown. file: the source file that klog names. verbosity: JSON klog's `v`. pid: from klog's
    header, in the process' own namespace.
    """

    index: int
    count: int
    message: str
    at: datetime | None
    severity: str
    program: str = ""
    host: str | None = None
    file: str = ""
    verbosity: int | None = None
    pid: int | None = None


def is_header(line: str) -> bool:
    """Tell whether a line begins a record in one of the forms that this module knows."""
    line, _ = split_stamp(line)
    rest = line[_find_journal_end(line) :]
    return bool(
        _KLOG.match(rest)
        or _LOGFMT.match(rest)
        or rest.startswith(_JSON)
        or rest is not line
        or _LOGRUS.match(rest)
    )


def is_klog(line: str) -> bool:
    """Tell whether a line begins a record of klog: its text with file and line, or its JSON."""
    return bool(_KLOG.match(line)) or (line.startswith(_JSON) and '"caller":' in line)


def split_stamp(line: str) -> tuple[str, datetime | None]:
    """Return a line without the stamp that a container's log carries before it, and that stamp."""
    match = _STAMP.match(line) if line.startswith("20") else None
    if match is None or (_JOURNAL.match(line) and not _MOUNTING.match(line, match.end())):
        return line, None
    return line[match.end() :], parse_rfc3339(match["stamp"])


def _find_journal_end(line: str) -> int:
    match = _JOURNAL.match(line) or _CUT.match(line)
    return match.end() if match else 0


def read_records(lines: Iterable[str], now: datetime) -> Iterator[KlogRecord]:
    """Yield the records of a log, in order; a line without a header continues the record above it. now: for the year and as the latest
    time.
    """
    open_: KlogRecord | None = None
    for index, raw in enumerate(lines):
        line, stamp = split_stamp("" if raw.startswith(ECHO) else raw)
        record = _parse_record(line, index, now, stamp)
        if record is not None:
            if open_ is not None:
                yield open_
            open_ = record
        elif line.startswith(_JSON):
            # A torn record: it has no content, and continues nothing.
            if open_ is not None:
                yield open_
            open_ = None
        elif open_ is not None and open_.count < _MOST_CONTINUED:
            open_ = _append_line(open_, line)
    if open_ is not None:
        yield open_


def _append_line(record: KlogRecord, line: str) -> KlogRecord:
    return KlogRecord(
        record.index,
        record.count + 1,
        f"{record.message}\n{line}",
        record.at,
        record.severity,
        record.program,
        record.host,
        record.file,
        record.verbosity,
        record.pid,
    )


def _parse_record(line: str, index: int, now: datetime, stamped: datetime | None) -> KlogRecord | None:
    journal = _JOURNAL.match(line)
    cut = None if journal else _CUT.match(line)
    prefix = journal or cut
    rest = line[prefix.end() :] if prefix else line
    program = prefix["program"].rpartition("/")[2] if prefix else ""
    host = journal["host"] if journal else None
    if klog := _KLOG.match(rest):
        stamp = (int(klog["month"]), int(klog["day"]), klog["clock"], klog["fraction"])
        journal_time = parse_rfc3339(journal["iso"]) if journal and journal["iso"] else stamped
        at = _infer_time(now, *stamp) if journal_time is None else _correct_zone(journal_time, *stamp)
        # Plain klog is the kubelet's only if the caller says so; the file's name does not show the component.
        file = klog["file"].rpartition("/")[2]
        return KlogRecord(
            index, 1, rest[klog.end() :], at, klog["severity"], program, host, file, pid=int(klog["pid"])
        )
    if logfmt := _LOGFMT.match(rest):
        return KlogRecord(
            index,
            1,
            rest[logfmt.end("level") + 1 :],
            parse_rfc3339(logfmt["time"]),
            _LEVELS.get(logfmt["level"], ""),
            program,
            host,
        )
    if logrus := _LOGRUS.match(rest):
        return KlogRecord(
            index,
            1,
            rest[logrus.end() :],
            parse_rfc3339(logrus["time"]) or stamped,
            _LEVELS[logrus["level"]],
            program,
            host,
        )
    torn = rest.startswith(_JSON)
    if torn and (record := _parse_json_record(rest, index, program, host)):
        return record
    if cut:
        return KlogRecord(index, 1, "" if torn else rest, None, "", program)
    if journal is None:
        return None
    at = (
        parse_rfc3339(journal["iso"])
        if journal["iso"]
        else _infer_time(now, _MONTHS.get(journal["mon"], 0), int(journal["day"]), journal["clock"], None)
    )
    return KlogRecord(index, 1, "" if torn else rest, at, "", program, host)


def _parse_json_record(text: str, index: int, program: str, host: str | None) -> KlogRecord | None:
    try:
        doc = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(doc, dict) or not isinstance(doc.get("msg"), str):
        return None
    parts = [f'"{doc["msg"]}"']
    for key, value in doc.items():
        if key in ("ts", "caller", "msg", "v"):
            continue
        named = isinstance(value, dict) and isinstance(value.get("name"), str)
        value_text = (
            "/".join(str(value[k]) for k in ("namespace", "name") if value.get(k)) if named else value
        )
        parts.append(f'{key}="{value_text}"')
    ts, v = doc.get("ts"), doc.get("v")
    level = v if isinstance(v, int) and not isinstance(v, bool) else None
    file = str(doc.get("caller") or "").rpartition("/")[2].partition(":")[0]
    return KlogRecord(
        index,
        1,
        " ".join(parts),
        _parse_epoch(ts),
        "E" if "err" in doc and level is None else "I",
        program,
        host,
        file,
        level,
    )


def _parse_epoch(ts: object) -> datetime | None:
    """Read the milliseconds of JSON klog."""
    if isinstance(ts, bool) or not isinstance(ts, int | float):
        return None
    try:
        return datetime.fromtimestamp(ts / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def parse_rfc3339(text: str) -> datetime | None:
    """Read RFC 3339, nanoseconds and `+0800` included, as UTC; None for any other text."""
    try:
        at = datetime.fromisoformat(re.sub(r"(\.\d{6})\d{1,6}", r"\1", text))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _infer_time(now: datetime, month: int, day: int, clock: str, fraction: str | None) -> datetime | None:
    """Return the latest date of this month, day and clock that is at most a day after now."""
    for year in (now.year + 1, now.year, now.year - 1):
        try:
            at = datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}T{clock}").replace(
                tzinfo=now.tzinfo or UTC
            )
            at += timedelta(microseconds=int((fraction or "0").ljust(6, "0")[:6]))
            if at <= now + timedelta(days=1):
                return at.astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def _correct_zone(taken: datetime, month: int, day: int, clock: str, fraction: str | None) -> datetime:
    """Return a klog stamp, which has no zone, in the zone that brings it next to the journal's time."""
    at = _infer_time(taken, month, day, clock, fraction)
    if at is None or abs(at - taken) > _ZONES:
        return taken
    return at - round((at - taken) / _QUARTER) * _QUARTER


def find_least_verbosity(record: KlogRecord) -> int | None:
    """Return the lowest verbosity at which a log holds this record; None if unknown."""
    if record.verbosity is not None:
        return record.verbosity
    message = record.message.removeprefix('"')
    return next((level for words, level in VERBOSITY_OF if message.startswith(words)), None)
