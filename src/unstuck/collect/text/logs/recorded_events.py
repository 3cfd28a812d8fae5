"""Events as a component logs them beside writing them, in any frame: client-go's words, or a record of
controller-runtime in JSON.

- client-go tools/record/event.go: `Event(v1.ObjectReference{…}): type: 'Warning' reason: 'X' …`, without a
  header of klog before it
- controller-runtime pkg/internal/recorder:
  `{"logger":"events","msg":…,"type":"Warning","object":{"kind":…},"reason":…}`
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.logs.component_logs import ComponentWords
from unstuck.facts.regex import regex
from unstuck.wording.klog import KlogRecord, parse_rfc3339

_WORDS = regex(r"\bEvent\((?:v1|api)\.ObjectReference\{.{1,1000}?\}\): ")
_RECORD = regex(r"^\s*\{.{0,16000}\"object\": ?\{\"kind\": ?\".{0,16000}\"reason\": ?\"")
# Its file is that of a container: there its process is the first one.
_IN_A_CONTAINER = 1


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the run of such lines."""
    end = i
    while end < len(lines) and (_WORDS.search(lines[end]) or _RECORD.match(lines[end])):
        end += 1
    return end if end > i else None


def read(piece: Piece) -> Reading:
    """Return Events by their object, and the failures in their messages."""
    told = ComponentWords(piece)
    understood = [
        told.take(record) for n, line in enumerate(piece.lines) if (record := _record_of(line, n)) is not None
    ]
    return Reading([*told.facts()] if any(understood) else [])


def _record_of(line: str, index: int) -> KlogRecord | None:
    if words := _WORDS.search(line):
        return KlogRecord(index, 1, line[words.start() :], None, "", pid=_IN_A_CONTAINER)
    with suppress(ValueError, RecursionError):
        doc = json.loads(line)
        about = doc.get("object") if isinstance(doc, dict) else None
        if isinstance(about, dict) and all(
            isinstance(doc.get(key), str) for key in ("msg", "type", "reason")
        ):
            at = parse_rfc3339(doc["ts"]) if isinstance(doc.get("ts"), str) else None
            return KlogRecord(index, 1, _written(about, doc), at, "", pid=_IN_A_CONTAINER)
    return None


def _written(about: dict[str, Any], doc: dict[str, Any]) -> str:
    """Return a record as client-go writes it."""
    kind, space, name = (str(about.get(key) or "") for key in ("kind", "namespace", "name"))
    reference = f'Event(v1.ObjectReference{{Kind:"{kind}", Namespace:"{space}", Name:"{name}"}})'
    return f"{reference}: type: '{doc['type']}' reason: '{doc['reason']}' {doc['msg']}"
