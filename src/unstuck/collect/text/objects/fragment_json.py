"""A part of a Pod's JSON, cut out: a container's `state` and `lastState`, or a list of such. The Pod is
not named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.objects.fragment import read_status
from unstuck.collect.text.objects.json_yaml import make_decoder
from unstuck.facts.regex import regex

_BEGINS = regex(r"^\s*\"(?:lastState|state|containerStatuses|initContainerStatuses)\":\s*[\[{]\s*$")
_LINE = regex(
    r"^\s*(?:[{}\[\]]+,?|(?:\"[^\"]{0,252}\":\s*)?(?:[\[{]|\"(?:[^\"\\]|\\.){0,8000}\"|-?\d{1,20}|true|false"
    r"|null|\{\}|\[\])[\]}]{0,8},?)\s*$"
)
_LISTS = ("containerStatuses", "initContainerStatuses")
_LONGEST = 400


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the key to the last line that still belongs to its
    object.
    """
    if not _BEGINS.match(lines[i]):
        return None
    deep, end = 0, None
    for n in range(i, min(len(lines), i + _LONGEST)):
        if not _LINE.match(lines[n]):
            break
        bare = _remove_strings(lines[n])
        if deep == 0 and bare.lstrip().startswith(("{", "[")):
            # A member has a key: another document begins.
            break
        deep += sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}")
        if deep < 0:
            break
        if deep == 0:
            end = n + 1
    return end


def read(piece: Piece) -> Reading:
    """Return states about an unnamed Pod; never whole."""
    found = _parse("\n".join(piece.lines))
    if found is None:
        return Reading(understood=False)
    lists = {key: found[key] for key in _LISTS if isinstance(found.get(key), list)}
    return read_status("Pod", lists or {"containerStatuses": [found]}, piece)


def _parse(text: str) -> Mapping[str, Any] | None:
    try:
        found = make_decoder().decode("{" + text.strip().rstrip(",") + "}")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _remove_strings(line: str) -> str:
    """Remove the quoted strings from a line."""
    return "".join(part for n, part in enumerate(line.replace('\\"', "").split('"')) if n % 2 == 0)
