"""`openssl x509 -dates` or `-text` of a kubelet's own certificate: from when until when it is valid.

Source: openssl crypto/asn1/a_time_print.c, apps/x509.c; the kubelet's files: pkg/kubelet/certificate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.kubelet import Certificate, Certificates, CertificateUse
from unstuck.facts.regex import regex

_DATE = regex(
    r"^\s*not ?(?P<which>before|after) ?[:=]\s*"
    r"(?P<at>[A-Z][a-z]{2}\s{1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}) GMT\s*$",
    re.IGNORECASE,
)
_FILE = regex(r"(?P<path>[\w./-]{0,300}\bkubelet-(?P<use>client|server)[\w.-]{0,80})")
_USES: dict[str, CertificateUse] = {"client": "client", "server": "serving"}


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the lines with dates below a command that names a kubelet's certificate."""
    if command is None or not _DATE.match(lines[i]) or not _FILE.search(command.text):
        return None
    end = i
    while end < len(lines) and _DATE.match(lines[end]):
        end += 1
    return end


def read(piece: Piece) -> Reading:
    """Return the certificate's dates about the Node, never whole."""
    named = _FILE.search(piece.command.text) if piece.command else None
    dates = {m["which"].lower(): _parse(m["at"]) for line in piece.lines if (m := _DATE.match(line))}
    if named is None or not dates.get("after"):
        return Reading(understood=False)
    item = Certificate(
        _USES[named["use"]], named["path"], "", not_before=dates.get("before"), not_after=dates["after"]
    )
    at = next(n for n, line in enumerate(piece.lines) if "fter" in line)
    about = piece.node or piece.block("Node")
    return Reading([Certificates(about=about, src=piece.src(at), items=(item,), whole=False)])


def _parse(text: str) -> datetime | None:
    try:
        return datetime.strptime(" ".join(text.split()), "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        return None
