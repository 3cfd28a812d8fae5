"""Reads a panic of Go with its stack: its message, and the first frame of the program's own code.

Sources: Go src/runtime/panic.go (`panic: … [recovered]`, `goroutine N [running]:`), k8s.io/apimachinery
pkg/util/runtime (`Observed a panic`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.pasted import ToldError
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Source
from unstuck.facts.regex import regex

_PANIC = regex(
    r"(?:^|[\s\"|])(?:panic: |Observed a panic: ?)\"?(?P<said>(?:runtime error: |assignment to entry in nil "
    r"map|interface conversion: "
    r"|close of |send on closed|sync: |reflect: |invalid memory address)[^\"\n]{0,200})"
)
_FUNCTION = regex(
    r"^\s*(?P<function>(?:[\w.~-]{1,80}/){0,12}[\w.~-]{1,80}\."
    r"(?:\(\*?[\w\[\].]{1,80}\)\.)?[\w.\[\]]{1,120})\((?:[^()]{0,400}|\{.{0,400})\)?$"
)
_PLACE = regex(r"^\s+(?P<place>\S{1,400}\.go):(?P<at>\d{1,7})(?: \+0x[0-9a-f]{1,16})?\s*$")
_RUNTIME = regex(
    r"^(?:runtime|testing|reflect|sync|net/http|internal|created by)[./ ]|^panic$"
    r"|k8s\.io/apimachinery/pkg/util/(?:runtime|wait)\."
    r"|^main\.main\.func|sigs\.k8s\.io/controller-runtime/pkg/internal/|github\.com/go-logr/"
)
_PANICS = regex(r"^\s*panic\((?:0x|\{)")
_FRAMES, _PARTS = 60, 3


def find_panics(pieces: Sequence[tuple[str, Piece]]) -> Iterator[tuple[ToldError, Source]]:
    """Yield the first panic of a text that is a fault of the program and shows where in its own source it
    fell.
    """
    rows = [(piece, n, line) for _, piece in pieces for n, line in enumerate(piece.lines)]
    lines = [line for _, _, line in rows]
    for at, line in enumerate(lines):
        if (found := _PANIC.search(line)) and (frame := _own_frame(lines[at + 1 : at + 1 + _FRAMES])):
            piece, n, _ = rows[at]
            function, place = frame
            said = mask(found["said"]).replace("[recovered]", "").strip(" \\")
            complaint = Complaint(
                "crashed", mask(line).strip()[:300], name=function, place=place, reason=said
            )
            yield ToldError(complaint, fatal=True), piece.src(n, complaint.line)
            return


def _own_frame(lines: Sequence[str]) -> tuple[str, str] | None:
    """Return function and place of the first frame that is neither Go's own nor a library's of all
    controllers; below the last panic().
    """
    start = max((n + 1 for n, line in enumerate(lines) if _PANICS.match(line)), default=0)
    for n in range(start, len(lines) - 1):
        function, place = _FUNCTION.match(lines[n]), _PLACE.match(lines[n + 1])
        if (
            function
            and place
            and not _RUNTIME.search(function["function"])
            and "/libexec/src/" not in place["place"]
        ):
            short = "/".join(place["place"].split("/")[-_PARTS:])
            return function["function"].rpartition("/")[2], f"{short}:{place['at']}"
    return None
