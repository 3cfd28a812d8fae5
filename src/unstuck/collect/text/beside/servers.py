"""What a node or a server offers, against what was asked of it: mounts, ports, exports."""

from __future__ import annotations

import re

from unstuck.collect.text.beside.page import FoundReason, ShownRow, ShownText, TextReport
from unstuck.collect.text.node.disk import list_full
from unstuck.facts.aspects.beside import Relation
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

_NO_SPACE = ("no-space", "ENOSPC")
_WORDS_OF_NO_SPACE = "o space left"
_IN_USE = regex(r"(?i)address (?:is )?already in use|EADDRINUSE|port .{0,40}already (?:in use|allocated)")
_PORT = regex(r"[\w\]*)]:(?P<port>\d{2,5})(?!\d|\.go)")
# netstat -p, ss -p and lsof -i, in this order.
_LISTENERS = (
    regex(
        r"^(?:tcp|udp)6?\s+\d+\s+\d+\s+\S*:(?P<port>\d{1,5})\s+\S+(?:\s+LISTEN)?\s+(?:\d+\s+\d+\s+)?"
        r"(?P<pid>\d{1,10})/(?P<name>[^\s:]{1,40})"
    ),
    regex(
        r"^(?:(?:tcp|udp)\s+)?(?:LISTEN|UNCONN)\s+\d+\s+\d+\s+\S*:(?P<port>\d{1,5})\s+\S+\s+.{0,40}?"
        r"users:\(\(\"(?P<name>[^\"]{1,40})\",pid=(?P<pid>\d{1,10})"
    ),
    regex(
        r"^(?P<name>\S{1,40})\s+(?P<pid>\d{1,10})\s+\S+\s+\S+\s+IPv[46]\s+.{0,80}\s\S*:(?P<port>\d{1,5})"
        r"(?:\s+\(LISTEN\))?\s*$"
    ),
)
_REFUSED = regex(
    r"access denied by server while mounting (?P<host>[^\s:]{1,253}):(?P<path>/[^\s,;\"']{0,400})"
)
_EXPORT = regex(
    r"^\s*(?P<path>/[\w./-]{1,400})\s+(?:[\w.*?@/:\[\]-]{1,253}\(|\*|[\d.]{7,15}(?:/\d{1,2})?\b|\(everyone\))"
)
_LOCAL = regex(
    r"^\s*(?:tcp6?|LISTEN)\s(?:.{0,40}?\s)?(?P<at>(?:\d{1,3}\.){3}\d{1,3}|\[?[0-9a-f:]{2,39}\]?|\*):(?P<port>\d{1,5})\s"
)
_LOOPBACK = regex(r"^(?:127\.|localhost$|\[?::1\]?$)")
_OF_CLUSTER = regex(r"^[a-z0-9-]{1,63}\.[a-z0-9-]{1,63}\.svc(?:\.|$)")
_IN_A_POD = regex(r"\bkubectl\b.{0,80}\b(?:exec|run|debug|attach|logs)\b")
_KUBECTL = regex(r"^\W{0,3}kubectl ")
_CLIENT = regex(r"^(?P<name>psql|curl|wget|ping|nc|telnet|mysql|mongo(?:sh)?|redis-cli|nslookup|dig|host): ")
_MOST = 5


def find_full_file_system(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the full file system of `df` on which the path of the report is, or the only full one."""
    if report.error not in _NO_SPACE and _WORDS_OF_NO_SPACE not in report.line:
        return None
    for rows in _list_listings(page):
        full = [*list_full([row.text for row in rows])]
        held = max((f.point for f in full if is_at_or_below(report.path, f.point)), key=len, default="")
        nearest = max(
            (p for row in rows if (p := _read_point(row.text)) and is_at_or_below(report.path, p)),
            key=len,
            default="",
        )
        own = [f for f in full if f.point == held == nearest] if report.path.startswith("/") else full
        if len(own) == 1:
            one = own[0]
            relation: Relation = "inodes-used-up" if one.inodes else "file-system-full"
            return FoundReason(relation, rows[one.n], one.point, one.size, one.device)
    return None


def _list_listings(page: ShownText) -> list[list[ShownRow]]:
    """Return the rows of each piece."""
    pieces = dict[int, list[ShownRow]]()
    for row in page.rows:
        pieces.setdefault(row.piece.start, []).append(row)
    return [*pieces.values()]


def _read_point(line: str) -> str:
    last = line.rsplit(maxsplit=1)[-1]
    return last if last.startswith("/") and "%" in line else ""


def find_port_holder(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the process that listens on the port of the report."""
    if report.error != "address-in-use" and not _IN_USE.search(report.line):
        return None
    ports = {report.port} if report.port else {int(m["port"]) for m in _PORT.finditer(report.line)}
    for row in page.rows:
        found = _read_listener(row.text)
        if found and int(found["port"]) in ports:
            return FoundReason("port-held", row, found["name"], found["port"], found["pid"])
    return None


def _read_listener(line: str) -> re.Match[str] | None:
    return next((m for pattern in _LISTENERS if (m := pattern.match(line.strip()))), None)


def find_missing_export(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the list of exports, if the path of a refused mount is not in it."""
    if (asked := _REFUSED.search(report.line)) is None:
        return None
    path = asked["path"].rstrip("/") or "/"
    rows = [(row, m["path"]) for row in page.rows if (m := _EXPORT.match(row.text))]
    if not rows or any(is_at_or_below(path, exported) for _, exported in rows):
        return None
    names = ", ".join(dict.fromkeys(exported for _, exported in rows[:_MOST]))
    return FoundReason("export-missing", rows[0][0], path, names)


def find_loopback_listener(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the listener of a port that refuses connections from elsewhere: it listens on loopback alone."""
    if report.error != "connection-refused" or not report.port or _LOOPBACK.match(report.name):
        return None
    rows = [
        (row, m["at"]) for row in page.rows if (m := _LOCAL.match(row.text)) and int(m["port"]) == report.port
    ]
    if not rows or any(not _LOOPBACK.match(at) for _, at in rows):
        return None
    row, at = rows[0]
    listener = _read_listener(row.text)
    return FoundReason("loopback-only", row, listener["name"] if listener else "", str(report.port), at)


def find_name_outside(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the line of a client that was run beside kubectl, and not in a Pod, and asks for a name that only
    the cluster's DNS knows.
    """
    if report.error != "name-unresolved" or not _OF_CLUSTER.search(report.name):
        return None
    typed = {row.typed for row in page.rows} | {row.text for row in page.rows}
    if any(_IN_A_POD.search(text) for text in typed) or not any(_KUBECTL.match(text) for text in typed):
        return None
    at = page.place(report.at)
    row = page.rows[at] if at is not None else None
    client = _CLIENT.match(row.text) if row else None
    if row is None or client is None:
        return None
    service, _, rest = report.name.partition(".")
    return FoundReason("name-outside", row, client["name"], service, rest.partition(".")[0])
