"""The stacks of a Go program's goroutines, as it writes them at a panic or when it is asked to (docker:
SIGUSR1).

A panic belongs to the goroutine below it, and both to the program whose packages are in the stack.

Source: runtime/traceback.go (`goroutine N [WHAT, N minutes]:`, from one minute on); the frames' meaning in
`wording`.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.wording.match import find_failures
from unstuck.wording.stack import find_program

_HEAD = regex(
    r"^\s{0,8}goroutine \d{1,9}(?: gp=\S{1,32} m=\S{1,32}(?: mp=\S{1,32})?)? \[[^\]\n]{1,120}\]:\s*$"
)
# A function up to its arguments, and its place in its file.
_CALLED = regex(r"[\w./*()\[\]{}·-]{1,1000}\(")
_PLACE = regex(r"\S{1,1000}\.(?:go|s):\d{1,7}(?:\s|$)")
_LONGEST = 4000
_WAITS = regex(r"^\s{0,8}goroutine [^\[\n]{1,80}\[[^\]\n]{1,80}, \d{1,9} minutes[\],]")
_MOST = 20_000
_PANIC = regex(r"^\s{0,8}(?:panic: |fatal error: |unexpected fault address )\S")
# The lines between a panic and its goroutine: the signal, recovered panics, and blank lines.
_BETWEEN = regex(r"^\s*$|^\s{0,8}(?:\[signal |\[recovered|panic: |fatal error: |runtime: )|^\s")
_NEAR = 12


def is_waiting(line: str) -> bool:
    """Tell whether a line begins a goroutine that has waited for minutes, and so is not part of the panic
    above it.
    """
    return _WAITS.match(line) is not None


def panics(line: str) -> bool:
    """Tell whether a Go program panics at this line."""
    return _PANIC.match(line) is not None


def goes_on(line: str) -> bool:
    """Tell whether a line may belong to a panic: the part before its goroutine, a goroutine, or a frame. A
    re-raised panic is indented.
    """
    if panics(line):
        return line[:1].isspace()
    return _BETWEEN.match(line) is not None or _HEAD.match(line) is not None or _is_frame(line)


def _is_frame(line: str) -> bool:
    """Tell whether a line is part of a stack: a function, its place, its creator, or a mark for frames
    left out.
    """
    text = line.strip()
    if len(text) > _LONGEST:
        return False
    called = text.endswith(")") and _CALLED.match(text)
    return bool(called or _PLACE.match(text) or text.startswith(("created by ", "...")))


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return a goroutine with its frames, and the ones after it; a panic with its own."""
    head = _find_head(lines, i)
    if head is None:
        return None
    end = head + 1
    for n in range(head + 1, min(len(lines), head + _MOST)):
        if _HEAD.match(lines[n]) or _is_frame(lines[n]):
            end = n + 1
        elif lines[n].strip():
            break
    return end


def find_panic(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return a panic with its goroutine if it is at the left margin, as no text of an object is."""
    return None if lines[i][:1].isspace() or not panics(lines[i]) else find(lines, i, command)


def _find_head(lines: Sequence[str], i: int) -> int | None:
    """Return the beginning of this line's goroutine: here, or below the panic that is here."""
    if _HEAD.match(lines[i]):
        return i
    if not panics(lines[i]):
        return None
    below = range(i + 1, min(len(lines), i + _NEAR))
    end = next((n for n in below if not _BETWEEN.match(lines[n])), None)
    return end if end is not None and _HEAD.match(lines[end]) else None


def read(piece: Piece) -> Reading:
    """Return failures about the Node: each goroutine is a separate message, of the program that its
    frames' packages belong to.
    """
    out = Reading()
    heads = [n for n, line in enumerate(piece.lines) if _HEAD.match(line)]
    if heads and panics(piece.lines[0]):
        heads[0] = 0
    about: Ref = piece.node or piece.block("Node")
    for start, end in zip(heads, [*heads[1:], len(piece.lines)], strict=True):
        text = "\n".join(line.strip() for line in piece.lines[start:end])
        out.facts += find_failures(
            text, about=about, src=piece.src(start), reporter=find_program(text) or "paste"
        )
    return out
