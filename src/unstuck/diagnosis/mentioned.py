"""Things in a line of any program that can be looked at: a path, an address, a process, a volume, an image.
Pure.

A line is quoted because its fault is unknown here; its names are useful for a look all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.regex import POD_UID, regex
from unstuck.facts.vocabulary.failures import ErrorWord

# A quote is short; this much of a text is looked at, line by line.
LONGEST = 4000


# Network failures in a line of any program: coarser than the words for a failing call, because the look is
# the same.
MentionedWord = Literal["unresolved", "unreachable", "unsupported"]
MentionedErrorWord = ErrorWord | MentionedWord | Literal[""]


@record()
class Mentioned(Record):
    """The things that a line names. error: the failure in one word, "" if the line has none. words: the line
    itself.

    host: an address or a name, with its port if given. uid: of a Pod. program: named by the kernel's audit.
    container: its id. device: a block device's name. filesystem: its type. absent: a missing program.
    certificate: its path. object: an object that does not answer or blocks the operation. resources: types
    with remaining objects, in the Namespace `space`.
    """

    words: str = ""
    error: MentionedErrorWord = ""
    path: str | None = None
    host: str | None = None
    pid: int | None = None
    uid: str | None = None
    volume: str | None = None
    image: str | None = None
    program: str | None = None
    container: str | None = None
    device: str | None = None
    filesystem: str | None = None
    absent: str | None = None
    certificate: str | None = None
    object: Ref | None = None
    resources: tuple[str, ...] = ()
    space: str | None = None


_ERRORS: tuple[tuple[ErrorWord | MentionedWord, re.Pattern[str]], ...] = (
    ("ENOENT", regex(r"no such file or directory", re.I)),
    ("EACCES", regex(r"permission denied", re.I)),
    ("EPERM", regex(r"operation not permitted", re.I)),
    ("ENOMEM", regex(r"cannot allocate memory|\berror -12\b", re.I)),
    ("EBUSY", regex(r"resource busy|mount point busy|already mounted", re.I)),
    ("ENOSPC", regex(r"no space left|disk quota exceeded", re.I)),
    ("EROFS", regex(r"read-only file system", re.I)),
    ("ESTALE", regex(r"stale (?:nfs )?file handle", re.I)),
    ("ENOTCONN", regex(r"endpoint is not connected", re.I)),
    # An invalid page of bbolt: the file is the runtime's store of its containers.
    ("metadata-corrupt", regex(r"\bbbolt\.\(\*|panic: invalid page type")),
    ("EIO", regex(r"input/output error|i/o error|\berror -5\b", re.I)),
    ("ENOTEMPTY", regex(r"directory not empty", re.I)),
    ("ENOTDIR", regex(r"not a directory", re.I)),
    ("unresolved", regex(r"no such host|server misbehaving|could not resolve", re.I)),
    ("unsupported", regex(r"protocol not supported|unknown filesystem type", re.I)),
    (
        "unreachable",
        regex(
            # As the kernel writes it: ENETUNREACH, ETIMEDOUT, ECONNREFUSED, EHOSTUNREACH.
            r"no route to host|network is unreachable|i/o timeout|connection (?:refused|reset)|connection "
            r"timed out"
            r"|\berror -1(?:01|10|11|13)\b",
            re.I,
        ),
    ),
)
# Two names at least: `/` and `/v2` are not worth a look. A word after `:` and a network address are no part
# of it.
# Where a command's output goes, or its input comes from, is no place of a fault.
_PATH = regex(
    r"(?<![\w/.:@~-])/(?!dev/(?:null|zero|stdin|stdout|stderr)(?![\w/]))[A-Za-z0-9._~+@=-]{1,255}(?:/[A-Za-z0-9._~+@=-]{1,255}){1,30}"
)
# The node's own directories: a container's path below one of these is on the node.
NODE_PATHS = (
    "/var/lib/kubelet",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/run/",
    "/run/",
    "/sys/",
    "/proc/",
    "/dev/",
)
# As klog begins the lines of process 1, which is a container's.
_IN_A_CONTAINER = regex(r"^\s{0,8}[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +1 ")
_SOURCE = regex(r"\.(?:go|py|java|c|h|rs|js)(?::\d{1,6})?$")
_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?"
_HOST = regex(
    rf"(?:dial tcp (?:lookup )?|connection to |connect to (?:host )?|libceph: connect |https?://|lookup )"
    rf"(?P<host>{_NAME}(?::\d{{1,5}})?)(?![\w]| socket\b)"
)
_HUNG = regex(r"task \S{1,64}:(?P<pid>\d{1,9}) blocked for more than")
_VOLUME = regex(rf"\b(?P<volume>pvc-{POD_UID})\b")
_OF_A_POD = regex(rf"/pods/(?P<uid>{POD_UID})(?=/|\b)|[Pp]od(?:UID|Name)?[ =:]\\*\"?(?P<said>{POD_UID})\b")
_IMAGE = regex(
    r"(?:\b[Ii]mage:? |\b[Pp]ull(?:ing)? (?:the )?(?:image )?)\\*\"?"
    r"(?P<image>[a-z0-9][a-z0-9.-]{0,200}(?::\d{1,5})?/[a-z0-9][A-Za-z0-9._/-]{0,300}:[\w.-]{1,128})"
)
_AUDIT = regex(r"avc: +denied .{1,300}?\bcomm=\"(?P<program>[\w.-]{1,64})\"")
_CONTAINER = regex(r"\b[Cc]ontainer(?:[ :=]|\\*\"){1,4}(?:\w{1,16}://)?(?P<id>[0-9a-f]{12,64})\b")
_DEVICE = regex(
    r"\((?:device )?(?P<device>(?:sd|vd|xvd|nvme|dm-|rbd|nbd|drbd|md)[a-z0-9]{1,12})\)"
    r"|\bdev (?P<dev>(?:sd|vd|xvd|nvme|dm-)[a-z0-9]{1,12})\b"
)
_FILESYSTEM = regex(
    r"\bmount\.(?P<helper>[a-z0-9]{1,16})\b|unknown filesystem type '(?P<type>[a-z0-9]{1,16})'"
)
_ABSENT = regex(
    # A program missing from a container's own PATH is a matter of its image.
    r"failed to execute (?P<plain>[\w.-]{1,64}): no such file",
    re.I,
)
_CERTIFICATE = regex(r"(?P<path>/[A-Za-z0-9._/-]{1,200}(?<!key)\.(?:pem|crt|cer))\b")
# Aggregated APIs as the API server names them, and the Services behind them.
_GROUP_VERSION = regex(
    r"(?<![\w./-])(?P<group>[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})/(?P<version>v\d+(?:(?:alpha"
    r"|beta)\d+)?)\b"
)
_OF_DISCOVERY = regex(r"discovery|list of server APIs|APIService|api group", re.I)
_UNAVAILABLE = regex(r"^(?P<name>v\d\w*\.[a-z0-9.-]{1,253})\s+\S+\s+False\b")
_SERVICE = regex(r"https?://(?P<name>[a-z0-9-]{1,63})\.(?P<space>[a-z0-9-]{1,63})\.svc(?=[:/.\s\"]|$)")
_NAMESPACE = regex(
    r"\b[Nn]amespace \\*\"?(?P<name>[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\\*\"? (?:has deletion|is being "
    r"terminated|is terminating)"
)
_REMAINS = regex(r"(?<![^\s,:])(?P<resource>[a-z0-9][a-z0-9.-]{0,252}?)\.? has \d+ resource instances")
_SEVERE = (
    regex(r"^\s{0,8}F\d{4} \d\d:|\bpanic: |level=(?:fatal|panic)\b|\bFATAL\b|avc: +denied"),
    regex(
        r"^\s{0,8}E\d{4} \d\d:|level=error\b|\b[Ee]rror\b|\bERROR\b|\bfailed\b|\b[Cc]annot\b|\b[Cc]ould "
        r"not\b|\bexpired\b"
    ),
)


def names_in(line: str) -> Mentioned:
    """Return the things that one line or quote names; a path of process 1 only if it is one of the node's
    directories.
    """
    line = line[:LONGEST]
    error, at = _error_in(line)
    path = _find_path(line, at)
    inside = _IN_A_CONTAINER.match(line) and not (path or "").startswith(NODE_PATHS)
    host, image = _HOST.search(line), _IMAGE.search(line)
    hung, audit = _HUNG.search(line), _AUDIT.search(line)
    volume, certificate = _VOLUME.search(line), _CERTIFICATE.search(line)
    return Mentioned(
        words=line,
        error=error,
        path=None if inside else path,
        host=host["host"] if host else None,
        pid=int(hung["pid"]) if hung else None,
        uid=_find_uid(line),
        volume=volume["volume"] if volume else None,
        image=image["image"] if image else None,
        program=audit["program"] if audit else None,
        container=_find_first(_CONTAINER, line),
        device=_find_first(_DEVICE, line),
        filesystem=_find_first(_FILESYSTEM, line),
        absent=_find_first(_ABSENT, line),
        certificate=certificate["path"] if certificate else None,
        object=_find_object(line),
        resources=tuple(dict.fromkeys(m["resource"] for m in _REMAINS.finditer(line))),
    )


def names_in_lines(lines: Sequence[str], text: Sequence[str]) -> list[Mentioned]:
    """Return the things that each of a text's lines names; the file of a component's certificate is in
    another line.
    """
    certificate = next((path for line in text if (path := names_in(line).certificate)), None)
    every = [names_in(line) for line in lines]
    return [
        replace(one, certificate=certificate) if certificate and not one.certificate else one for one in every
    ]


def find_telling_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines that report a failure: first fatal ones, then lines with a known error, then other
    failures, the last one first among equals.
    """
    fatal, failing = (
        [line for line in reversed(lines) if pattern.search(line[:LONGEST])] for pattern in _SEVERE
    )
    named = [line for line in reversed(lines) if _error_in(line[:LONGEST])[0]]
    return list(dict.fromkeys((*fatal, *named, *failing)))


def _error_in(line: str) -> tuple[MentionedErrorWord, int]:
    """Return the last error word and its position; "" if there is none."""
    found: list[tuple[int, MentionedErrorWord]] = [
        (m.start(), word) for word, pattern in _ERRORS for m in pattern.finditer(line)
    ]
    at, word = max(found, default=(len(line), ""))
    return word, at


def _find_path(line: str, before: int) -> str | None:
    """Return the nearest path before an error's words, else the last one."""
    found = [m for m in _PATH.finditer(line) if not _SOURCE.search(m[0])]
    nearest = [m for m in found if m.end() <= before] or found
    return nearest[-1][0].rstrip(".:=@") if nearest else None


def _find_uid(line: str) -> str | None:
    found = [m["uid"] or m["said"] for m in _OF_A_POD.finditer(line)]
    return found[-1] if found else None


def _find_first(pattern: re.Pattern[str], line: str) -> str | None:
    """Return the first non-empty group of an expression's first match."""
    found = pattern.search(line)
    return next((value for value in found.groups() if value), None) if found else None


def _find_object(line: str) -> Ref | None:
    """Return the object that a line says does not answer, or is going away: an API, a Service, a
    Namespace.
    """
    if unavailable := _UNAVAILABLE.search(line):
        return Ref("APIService", None, unavailable["name"])
    if _OF_DISCOVERY.search(line) and (group := _GROUP_VERSION.search(line)):
        return Ref("APIService", None, f"{group['version']}.{group['group']}")
    if service := _SERVICE.search(line):
        return Ref("Service", service["space"], service["name"])
    namespace = _NAMESPACE.search(line)
    return Ref("Namespace", None, namespace["name"]) if namespace else None
