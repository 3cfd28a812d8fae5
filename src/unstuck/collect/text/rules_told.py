"""A rule of the packet filter that the kernel refuses without saying which part it lacks: the rule stands in
the lines above.

Source: iptables libiptc/libiptc.c (ENOENT: "No chain/target/match by that name").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.pasted import ToldError
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Source
from unstuck.facts.regex import regex

_SAID = "No chain/target/match by that name"
_REFUSED = regex(rf"\bip6?tables(?:-restore)?(?: v[\d.]{{1,10}}(?: \([\w ]{{1,20}}\))?)?: {_SAID}")
_RULE = regex(
    r"\bip6?tables\b(?: -\S{1,40}(?: \d{1,6})?)*? (?:-t \w{1,20} )?"
    r"(?:-A|-I|--append|--insert) (?P<rest>\S.{0,800})"
)
_PART = regex(r"(?<!\S)(?:-m|--match) (?P<name>[a-z][\w-]{1,40})\b")
# Every kernel with a packet filter has these.
_COMMON = frozenset({"tcp", "udp", "icmp", "comment", "conntrack", "state", "mark", "addrtype", "multiport"})
_ABOVE = 4


def find_refused_rules(pieces: Sequence[tuple[str, Piece]]) -> Iterator[tuple[ToldError, Source]]:
    """Yield the first refused rule with the match that the kernel is likely to lack."""
    rows = [(piece, n, line) for _, piece in pieces for n, line in enumerate(piece.lines)]
    for at, (piece, n, line) in enumerate(rows):
        if _SAID not in line or not _REFUSED.search(line):
            continue
        near = [text for _, _, text in rows[max(0, at - _ABOVE) : at + 1]]
        rule = next((m for text in reversed(near) if (m := _RULE.search(text))), None)
        names = [m["name"] for m in _PART.finditer(rule["rest"])] if rule else []
        if lacking := next((name for name in names if name not in _COMMON), ""):
            said = Complaint("packet-filter-incomplete", mask(line).strip()[:300], name=lacking, verb="match")
            yield ToldError(said, fatal=True), piece.src(n, said.line)
            return
