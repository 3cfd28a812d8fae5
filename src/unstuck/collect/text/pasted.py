"""Finds the commands of a short text, and its lines that report a failure, beside its facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece, TextBlock, TypedCommand
from unstuck.collect.text.node.ps import find_pids
from unstuck.facts.aspects.pasted import Pasted, ShownCommand
from unstuck.facts.core import Ref, Source, shorten
from unstuck.facts.regex import regex

_LINES, _COMMANDS = 40, 40
_LONGEST = 1000
# With more rows than this, it is not a search for one process.
_FEW = 3
_FAILING = regex(
    r"^[FE]\d{4} \d\d:|\b(?:error|err|panic|fatal|fail(?:ed|ing|ure)?|cannot|could ?n[o']t|unable|denied"
    r"|refused|forbidden"
    r"|expired|no such|not found|not supported|time(?:d )?out|deadline|unreachable|busy|bbolt)\b"
    r"|\bblocked for more than\b|\bno space\b|\bnot (?:connected|permitted|empty|a directory)\b"
    r"|\b(?:already mounted|read-only|stale|misbehaving|no route|reset|quota exceeded|attached to|deletion "
    r"mark)\b|\bFalse \(",
    re.I,
)
# An object's words, which are read by its fields, and a program's own, which names things in its container.
_SILENT = frozenset(
    {
        *(
            "json-yaml",
            "fragment",
            "fragment-json",
            "condition",
            "describe",
            "describe-namespace",
            "describe-part",
            "describe-conditions",
            "events",
        ),
        *("pod-logs", "container-log", "inspect"),
    }
)


def find_pasted(name: str, pieces: Iterable[tuple[str, Piece]]) -> Pasted | None:
    """Return the commands and the failing lines of a text, None if it has neither. pieces: (format, piece),
    in order.
    """
    shown: dict[str, ShownCommand] = {}
    lines: dict[str, None] = {}
    for form, piece in pieces:
        if piece.command is not None:
            shown.setdefault(piece.command.text, _make_shown_command(piece.command, piece.lines))
        if form not in _SILENT and not _is_program_output(piece.command):
            lines |= dict.fromkeys(
                mask(line[:_LONGEST].strip()) for line in piece.lines if _FAILING.search(line[:_LONGEST])
            )
    return _make_pasted(name, [*shown.values()][-_COMMANDS:], [*lines][-_LINES:])


def find_pasted_in_blocks(name: str, blocks: Iterable[TextBlock]) -> Pasted | None:
    """Return the commands and all lines of a text that no format understood, to be looked through at once
    and not kept.
    """
    blocks = list(blocks)
    commands = {b.command.text: _make_shown_command(b.command, b.lines) for b in blocks if b.command}
    return _make_pasted(name, [*commands.values()], [line for b in blocks for line in b.lines])


def _make_pasted(name: str, commands: Sequence[ShownCommand], lines: Sequence[str]) -> Pasted | None:
    if not commands and not lines:
        return None
    first = commands[0].text if commands else lines[0]
    return Pasted(
        about=Ref("Text", None, name),
        src=Source(name, shorten(first)),
        whole=False,
        commands=tuple(commands),
        lines=tuple(lines),
    )


def _is_program_output(command: TypedCommand | None) -> bool:
    """Tell whether a command prints a container's own output."""
    return (
        command is not None
        and command.program == "kubectl"
        and command.arguments[:1] in (("logs",), ("exec",))
    )


def _make_shown_command(command: TypedCommand, printed: Sequence[str]) -> ShownCommand:
    pids = tuple(find_pids(printed))
    text = mask(command.text[:_LONGEST])
    typed = TypedCommand(text)
    at = next((i for i, word in enumerate(typed.words) if word not in ("sudo", "-E") and "=" not in word), 0)
    words = (typed.program, *typed.words[at + 1 :])
    return ShownCommand(words, text, command.host or "", pids if len(pids) <= _FEW else ())
