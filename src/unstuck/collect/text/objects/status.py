"""A Status in JSON: the API server's answer to a request that it refuses, as `curl` or `kubectl --raw` prints
it.

Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.text.cutting import message
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.objects.json_yaml import find_json_end
from unstuck.facts.regex import regex

_KIND = regex(r"^\s*(?:\{\s*)?\"kind\"\s*:\s*\"Status\"")
_NEAR = 3


def is_answer(lines: Sequence[str]) -> bool:
    """Tell whether such an answer begins here."""
    return lines[0].startswith("{") and any(_KIND.match(line) for line in lines[:_NEAR])


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the answer that begins here."""
    return find_json_end(lines, i) if is_answer(lines[i : i + _NEAR]) else None


def read(piece: Piece) -> Reading:
    """Return what the message says, as if `kubectl` had printed it."""
    said = find_message(piece.lines)
    return message.read(replace(piece, lines=(said,))) if said else Reading(understood=False)


def find_message(lines: Sequence[str]) -> str:
    """Return the message of a failure in the words of kubectl, "" without one."""
    try:
        answer = json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return ""
    if not isinstance(answer, dict) or answer.get("status") != "Failure":
        return ""
    said, reason = answer.get("message"), answer.get("reason")
    if not isinstance(said, str) or not said or "\n" in said:
        return ""
    return f"Error from server ({reason}): {said}" if isinstance(reason, str) and reason else said
