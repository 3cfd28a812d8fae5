"""Texts nested in a line: in a JSON document, a quoted string, a table's cell, a mark of Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator

from unstuck.facts.regex import regex

_PAIR = regex(r'^\s*(?:"[^"\\]{1,80}"|[A-Za-z_][\w.]{0,60}) ?[:=] ?(?P<value>"(?:[^"\\]|\\.)*"),?\s*$')
_QUOTED = regex(r'^\s*(?P<value>"(?:[^"\\]|\\.)*")[.,;]?\s*$')
_SINGLE = regex(r"^\s*(?:- )?(?:message|reason|error): '(?P<value>(?:[^']|'')*)'\s*$")
# A client's words before the server's answer.
_BODY = regex(r"^[^{}\"]{1,200}[:=] ?(?P<value>\{\"kind\": ?\"Status\",.*\})$")
# A map as Go prints it (fmt, also by kubectl's templates): keys in order, values without quotes.
_GO_MAP = regex(r"\bmap\[.{0,400}?\bmessage:(?P<value>\S.{10,2000}?)(?= [a-zA-Z]{2,40}:(?! )|\]|$)")
# Ansible prints a task's result behind its host.
_OF_A_TASK = regex(r"^(?:fatal|failed): \[[^\]]{1,200}\].{0,120}?=> (?P<value>\{.*\})\s*$")
# In a collected log, a Pod's name, a time or a unit precedes each record.
_FIELDS = regex(
    r"^\s*(?:[\w.]{1,40}|(?:(?:\d{4}-\d\d-\d\dT\S{8,30}|[a-z0-9][\w.]{0,80}-[\w.-]{1,120}|[\w.-]{1,60}\[\d{1,10}\]:"
    r"|[A-Z][a-z]{2}|\d\d?|\d\d:\d\d:\d\d) ){1,6}(?:time|ts|level|lvl|caller))=\S"
)
_FIELD = regex(r'\b(?:msg|err|error|message)=(?P<value>"(?:[^"\\]|\\.)*")')
# The operating system's message in a panic of Rust (std::io::Error's Debug form).
_OF_RUST = regex(r'\bOs \{ code: \d{1,4}, kind: \w{1,40}, message: (?P<value>"(?:[^"\\]|\\.){1,300}") \}')
_CODE = regex(r"(?<!`)`(?P<value>[^`]{12,})`(?!`)")
_MARKED = regex(r"^\s*(?P<mark>\*\*|__|\*|~~)(?P<value>\S.{10,}\S)(?P=mark)\s*$")
_CELLS = regex(r"\s+\|\s*|\s*\|\s+|\s*│\s*")
_BEHIND_A_BAR = regex(r"^[^|│\"':]{1,40}[|│]\s*(?P<value>\S.*)$")
# The text after it is only quoted from another speaker.
_FRAME = regex(
    r"\b(?:Liveness|Readiness|Startup) probe (?:failed|errored(?: and resulted in \w{1,20} state)?): ?"
    r"|\bCaused by: |\b(?:[Rr]eason|[Mm]essage): |\b(?:[Ee]rror|ERROR): "
)
_SHORTEST_FRAMED, _MOST_FRAMES = 8, 6
_DEEPEST, _MOST = 4, 256


def find_nested_texts(line: str) -> Iterator[str]:
    """Yield the texts nested in a line, the innermost first; never the line itself."""
    yield from _unwrap(line, _DEEPEST)


def find_framed_texts(line: str) -> list[str]:
    """Return the text after a frame's words (`probe failed: `, `Caused by: `, `reason: `, `error: `), the
    innermost first.
    """
    ends = [found.end() for found in _FRAME.finditer(line)][:_MOST_FRAMES]
    return [text for end in reversed(ends) if len(text := line[end:].strip()) >= _SHORTEST_FRAMED]


def _unwrap(line: str, deep: int) -> Iterator[str]:
    if deep == 0:
        return
    for value in _find_values(line):
        yield from _unwrap(value, deep - 1)
        yield value


def _find_values(line: str) -> Iterator[str]:
    bare = line.strip()
    if of_record := _find_in_record(bare):
        yield from of_record[:_MOST]
    elif found := _PAIR.match(line) or _QUOTED.match(line):
        yield from _decode(found["value"])
    elif found := _SINGLE.match(line):
        yield found["value"].replace("''", "'")
    elif found := _MARKED.match(line):
        yield found["value"]
    elif '="' in line and _FIELDS.match(line):
        yield ": ".join(value for field in _FIELD.finditer(line) for value in _decode(field["value"]))
    elif bare.startswith(("|", "│")) and bare.endswith(("|", "│")):
        yield from (cell for cell in _CELLS.split(line) if 12 <= len(cell) < len(bare))
    elif "\t" in bare:
        yield from (cell for cell in bare.split("\t") if len(cell) >= 12)
    elif found := _BEHIND_A_BAR.match(line):
        yield found["value"]
    elif found := _OF_RUST.search(line):
        yield from _decode(found["value"])
    elif "`" in line:
        yield from (found["value"] for found in _CODE.finditer(line))


def _find_in_record(bare: str) -> list[str]:
    """Return the strings of a JSON record, also within a pair of quotes or behind other words, or the
    messages in Go's printed maps; nothing for another line.
    """
    if bare.startswith('"{"') and bare.endswith('}"'):
        bare = bare[1:-1]
    if bare.startswith("{") and bare.endswith("}"):
        return list(_find_strings(bare))
    if found := _BODY.match(bare) or _OF_A_TASK.match(bare):
        return list(_find_strings(found["value"]))
    return [found["value"] for found in _GO_MAP.finditer(bare)] if "map[" in bare else []


def _find_strings(text: str) -> Iterator[str]:
    """Yield all strings of a JSON document, under any key."""
    try:
        open_: list[object] = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while open_:
        value = open_.pop()
        if isinstance(value, str) and len(value) >= 12:
            yield value
        elif isinstance(value, dict):
            open_ += value.values()
        elif isinstance(value, list):
            open_ += value


def _decode(quoted: str) -> Iterator[str]:
    try:
        value = json.loads(quoted, strict=False)
    except ValueError:
        return
    if isinstance(value, str):
        yield value
