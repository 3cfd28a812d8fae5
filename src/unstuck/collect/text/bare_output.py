"""Reads a program's failure from a text that is only its output: pasted without the command, and without a
word about a Pod.

Such a text is read like the last lines of a container's log. Nothing is concluded from a text that also holds
source code, prose or an access log.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.collect.text.error_lines import drop_request, is_calm, is_of_a_node, is_of_another_world
from unstuck.collect.text.told_errors import explains
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pasted import ToldError, ToldErrors
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Fact, Ref
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.program.read import find_complaint
from unstuck.wording.program.speakers import find_speaker

# Records of a log have a level: their errors are read by that.
_RECORD = regex(r"^\s*\{|\blevel=|^[IWEF]\d{4} ")
# Languages' output for an uncaught exception. The name of an error alone may be a controller's message.
_FELL = regex(
    r"^(?:panic: |fatal error: |Exception in thread |Unhandled exception|thread '|Uncaught "
    r"|PHP Fatal error: |terminate called)|Segmentation fault|core dumped"
)
# A stack quotes the source below each frame, and a message may continue below its first line.
_INDENTED = regex(r"^\s")
# Exceptions and Rust's panics may quote source.
_EXCEPTION = regex(r"^(?:[\w.]{1,200}(?:Error|Exception)\b|called `(?:Result|Option)::)")
# A program's message about a failure has a colon, or is no full sentence.
_SENTENCE = regex(r"^[A-Z][a-z][^:]{0,2000}\.\s*$")
# A wait is no end, and a command that a shell does not find may be its user's own mistake.
_NO_REASONS: tuple[ProgramError, ...] = ("waits", "command-not-found")
_TRACEBACK = "Traceback (most recent call last):"
_COMPARED = 80


def find_bare_output(
    name: str, pieces: Sequence[tuple[str, Piece]], facts: Collection[Fact]
) -> ToldErrors | None:
    """Return the failure of the program that wrote the text; None if the text reports anything else, or holds
    no known words. pieces: (format, piece), in order.
    """
    if any(explains(f) or isinstance(f, Failure) for f in facts):
        return None
    rows = [
        (piece, n, mask(drop_request(line)))
        for form, piece in pieces
        if not form
        for n, line in enumerate(piece.lines)
    ]
    lines = [line for _, _, line in rows]
    if any(is_of_another_world(line) and not _belongs_to_a_stack(line) for line in lines):
        return None
    said = find_complaint(lines)
    if said is None or is_calm(said.line) or _RECORD.match(said.line) or _SENTENCE.match(said.line):
        return None
    if said.error in _NO_REASONS or (said.error == "crashed" and not _shows_a_fall(said, lines)):
        return None
    piece, n, line = next((row for row in rows if said.line[:_COMPARED] in row[2]), rows[-1])
    by = find_speaker(line, lines)
    if is_of_a_node(said, by):
        return None
    told = ToldError(said, by, fatal=True)
    return ToldErrors(about=Ref("Text", None, name), src=piece.src(n, said.line), whole=False, items=(told,))


def _belongs_to_a_stack(line: str) -> bool:
    return bool(_INDENTED.match(line) or _EXCEPTION.match(line))


def _shows_a_fall(said: Complaint, lines: Sequence[str]) -> bool:
    """Tell whether an exception was uncaught. Programs log caught exceptions with a stack as well."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return _FELL.search(said.line) is not None or (_TRACEBACK in lines and said.line[:_COMPARED] in last)
