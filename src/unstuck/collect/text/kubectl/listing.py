"""What a command that lists objects asks for: all of a kind, or those with some labels."""

from __future__ import annotations

from unstuck.collect.text.cutting.piece import TypedCommand
from unstuck.facts.regex import regex

# Options of `kubectl get` that leave rows out.
_SELECTING = (" -l", " --selector", " --field-selector", " --chunk-size")
_SELECTOR = regex(r"\s(?:-l|--selector)[ =]?['\"]?(?P<labels>[\w./!=,-]{1,400})")


def is_get(command: TypedCommand | None) -> bool:
    """Tell whether the command is `kubectl get`."""
    return command is not None and command.program == "kubectl" and "get" in command.arguments


def asks_for_all(command: TypedCommand | None) -> bool:
    """Tell whether a command lists every object of one kind, without a filter on its output."""
    if command is None or not is_get(command) or "|" in command.text:
        return False
    rest = command.arguments[command.arguments.index("get") + 1 :]
    return len(rest) == 1 and "/" not in rest[0] and not any(f in command.text for f in _SELECTING)


def find_selector(command: TypedCommand | None) -> str:
    """Return the labels that the listed objects must have, "" for none."""
    found = _SELECTOR.search(command.text) if command and command.program == "kubectl" else None
    return found["labels"] if found else ""
