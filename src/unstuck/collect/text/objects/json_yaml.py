"""Kubernetes objects as JSON or YAML: single, List, several documents; within limits that no input can
exceed.

A text beyond the limits is not read at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.records import is_log_record
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.klog import is_header

_NARROWS = ("-l", "--selector", "--field-selector", "--limit")
LONGEST = 32 * 1024 * 1024
DEEPEST = 64
MOST_NODES = 2_000_000
_NO_BRACES = bytes(set(range(256)) - set(b"[]{}"))
_LEVELS = 40

_YAML_START = regex(r"^(?:apiVersion|kind|metadata|items):(?:\s|$)|^---\s*$|^-\s+(?:apiVersion|kind):\s")
# A mark for lines left out of the paste: the rest is not the whole object.
_ELIDED = regex(r"^\s*(?:#\s*)?(?:\.{3,}|…|<snip>|\[\.\.\.\]|\(\.\.\.\))\s*$")
# Below an object, `kubectl describe`'s, which no object has.
_EVENTS = regex(r"^Events:(?:\s+<none>)?\s*$")
_YAML_LINE = regex(r"^(?:[\s#-]|[A-Za-z][\w./-]{0,252}:(?:\s|$)|[\]}.…]|$)")


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the first line of an object to its closing brace or the end
    of its indentation.
    """
    line = lines[i]
    if (
        line.startswith(("{", "["))
        and (line.strip() in "{[" or '"' in line or line.strip() == "{}")
        and not is_header(line)
    ):
        return find_json_end(lines, i)
    if _YAML_START.match(line) and is_yaml(lines, i):
        return _yaml_end(lines, i)
    return None


def read(piece: Piece) -> Reading:
    """Return the objects' facts; a text that does not parse is not understood."""
    text = "\n".join(piece.lines)
    first = next((line for line in piece.lines if line.strip()), "")
    try:
        objects = list(
            parse_json_documents(text) if first.startswith(("{", "[")) else parse_yaml_documents(text)
        )
    except (ValueError, RecursionError, TypeError, OverflowError):
        return Reading(understood=False)
    out = _read_objects(objects, piece)
    if any(_ELIDED.match(line) for line in piece.lines):
        out.facts = [f if isinstance(f, Presence) else replace(f, whole=False) for f in out.facts]
    return out


def _read_objects(objects: Sequence[Any], piece: Piece) -> Reading:
    where = f"{piece.context.name}:{piece.start}"
    out = Reading(understood=False)
    for obj in objects:
        for one in obj if isinstance(obj, list) else [obj]:
            if isinstance(one, Mapping) and isinstance(one.get("kind"), str) and not is_log_record(one):
                out.understood = True
                out.facts += facts_of(one, where, piece.context.now)
                out.facts += _read_names(one, piece)
    return out


def _read_names(obj: Mapping[str, Any], piece: Piece) -> Iterator[Fact]:
    """Yield the names of a whole list: `kubectl get cm -n f -o json` without selector, name or limit, as
    its prompt shows.
    """
    command, items = piece.command, obj.get("items")
    if not isinstance(items, list) or command is None or command.program != "kubectl" or command.is_filtered:
        return
    asked = command.arguments
    if len(asked) != 2 or asked[0] != "get" or any(w.startswith(_NARROWS) for w in command.words):
        return
    kind = find_kind(asked[1])
    if kind is None or (kind.namespaced and (command.all_namespaces or not piece.namespace)):
        return
    names = tuple(
        str(m.get("name"))
        for row in items
        if isinstance(row, Mapping) and isinstance(m := row.get("metadata"), Mapping)
    )
    about = Ref(kind.ref_kind + "List", piece.namespace if kind.namespaced else None)
    yield Names(
        about=about,
        src=Source(f"{piece.context.name}:{piece.start}", command.text, piece.context.now),
        names=names,
    )


def parse_json_documents(text: str) -> Iterator[Any]:
    """Yield the JSON documents of a text. Errors: ValueError beyond the limits, and for text that is not
    JSON.
    """
    if len(text) > LONGEST or is_deeper(text, DEEPEST * 4):
        raise ValueError("too large")
    decoder, at = make_decoder(), 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text):
            return
        obj, at = decoder.raw_decode(text, at)
        yield obj


def make_decoder() -> json.JSONDecoder:
    """Make a decoder for JSON as Kubernetes writes it: `NaN` and its like are None."""
    return json.JSONDecoder(parse_constant=lambda _: None)


_SIGN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{\]}]', re.DOTALL)


def is_deeper(text: str, most: int) -> bool:
    """Tell whether braces and brackets nest deeper than `most`, outside of strings."""
    # Remove pairs from the inside out, at the speed of a copy; the remaining signs are counted.
    signs = text.encode("utf-8", "surrogatepass").translate(None, _NO_BRACES)
    for _ in range(min(_LEVELS, most // 2)):
        less = signs.replace(b"{}", b"").replace(b"[]", b"")
        if not less:
            return False
        if len(less) > len(signs) * 0.95:
            break
        signs = less
    deep = 0
    for sign in _SIGN.finditer(text):
        if sign[0][0] == '"':
            continue
        deep += 1 if sign[0] in "[{" else -1
        if deep > most:
            return True
    return False


def parse_yaml_documents(text: str) -> Iterator[Any]:
    """Yield the YAML documents of a text. Errors: ValueError beyond the limits, and for text that is not
    YAML.
    """
    from unstuck.collect.text.objects.plain_yaml import load_plain  # few pastes hold any
    from unstuck.collect.text.objects.yaml_loader import load  # as above

    if len(text) > LONGEST:
        raise ValueError("too large")
    text = "\n".join("" if _ELIDED.match(line) else line for line in text.split("\n"))
    try:
        found = load_plain(text)
    except ValueError:
        yield from load(text, DEEPEST, MOST_NODES)
    else:
        yield from found


def find_json_end(lines: Sequence[str], i: int) -> int:
    """Return the end of the line that closes the first brace, of all lines if it never closes; strings may
    hold braces.
    """
    deep, inside = 0, False
    for n in range(i, len(lines)):
        for sign in re.finditer(r'\\.|["\[{\]}]', lines[n]):
            c = sign[0]
            if c == '"':
                inside = not inside
            elif not inside and c in "[{":
                deep += 1
            elif not inside and c in "]}":
                deep -= 1
        if deep <= 0:
            return n + 1
    return len(lines)


def is_yaml(lines: Sequence[str], i: int) -> bool:
    """Tell whether an object begins here: both a kind and metadata or items come soon. `kind: Pod` in
    prose is not an object.
    """
    near = [line.removeprefix("- ") for line in lines[i : i + 40]]
    keys = {line.partition(":")[0].strip() for line in near}
    return "kind" in keys and bool(keys & {"metadata", "items", "apiVersion"})


def _yaml_end(lines: Sequence[str], i: int) -> int:
    end = i
    for n in range(i, len(lines)):
        if not _YAML_LINE.match(lines[n]) or _EVENTS.match(lines[n]):
            break
        if lines[n].strip():
            end = n + 1
    return end
