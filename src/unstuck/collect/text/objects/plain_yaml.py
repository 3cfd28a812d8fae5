"""YAML as kubectl, oc and their like print it, read line by line: many times as fast as a parser that must
expect all of YAML.

Anything but this plain form (comments, anchors, tags, flow style, continued keys) is left to `yaml_loader`,
so both give the same except for a schema: scalars are resolved by its own table. Lines are alike from object
to object, so each parsed line is cached.
"""

from __future__ import annotations

import json
import re
from typing import Any

from unstuck.collect.text.cutting.split import is_plain_ascii
from unstuck.collect.text.objects.yaml_loader import resolve

# All that the other one would refuse or take for the end of a line.
_UNPRINTABLE = re.compile("[^\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_SINGLE = re.compile(r"'([^']*(?:''[^']*)*)'")
_DOUBLE = re.compile(r'"([^"\\]*(?:\\["\\/bfnrt][^"\\]*)*)"')
_INSIDE = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*')
_FIRST_OF_A_KEY = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`=<")
_LONGEST_KEY = 1000
_MOST_LINES = 400_000
_REMEMBERED = 20_000
_LONGEST_REMEMBERED = 200
_DEEPEST = 60
# Nine lines in ten of a CustomResourceDefinition are its schema, which no fact uses: that is passed over, and
# stands as nothing.
_UNREAD = "openAPIV3Schema"
# Characters of managedFields that are remembered.
_ROOM = 1 << 21
_MISSING: Any = object()

# Kinds of lines. Of an entry of a mapping: its value stands beside it, below it, or is a text that begins
# beside it.
_KEY, _KEY_BELOW, _KEY_TEXT, _ITEM, _ITEM_TEXT, _ITEM_WITHIN, _ODD = range(7)
_DEEP = 1 << 40


class UnusualError(ValueError):
    """Not of the plain form."""


# A parsed line: the indentation of its content (a blank line is deeper than all), its type, its key, its
# value (resolved; for `- - x` and `- k: v` the part after the dash), and the value as it is written.
_Line = tuple[int, int, Any, Any, str]
_BLANK: _Line = (_DEEP, _ODD, None, None, "")
_END: _Line = (-1, _ODD, None, None, "")


def load_plain(text: str) -> list[Any]:
    """Return the documents of a text. Errors: UnusualError for anything that needs the other parser,
    including text that is not YAML.
    """
    return PlainYamlReader().load(text)


class PlainYamlReader:
    """Reads texts, and caches the parsed lines of each for the next."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}
        self._older: dict[str, _Line] = {}
        self._scalars: dict[str, Any] = {}
        self._fields: dict[tuple[int, str], Any] = {}
        self._room = _ROOM

    def load(self, text: str, *, clean: bool = False) -> list[Any]:
        """Load as `load_plain` does. clean: it is `is_printable`."""
        if not (clean or is_printable(text)):
            raise UnusualError
        lines = text.rstrip("\n").split("\n")
        if len(lines) > _MOST_LINES:
            raise UnusualError
        if "\n---" not in text:
            first = 1 if lines[0] == "---" else 0
            if lines[first:] in ([], [""]) or lines[first].startswith("---"):
                raise UnusualError
            return [_Document(lines[first:], self).parse()]
        out, start = list[Any](), 0
        for end in [*(n for n, line in enumerate(lines) if line.startswith("---")), len(lines)]:
            if end < len(lines) and lines[end] != "---":
                raise UnusualError
            if start < end:
                out.append(_Document(lines[start:end], self).parse())
            elif start or (end == len(lines) and lines != [""]):
                # Between two marks, and after the last, there is an empty document.
                raise UnusualError
            start = end + 1
        return out

    def find_known(self, lines: list[str]) -> list[_Line | None]:
        """Return each line as parsed lately; None for the others."""
        return list(map(self._lines.get, lines))

    def parse_line(self, text: str) -> _Line:
        """Parse one line, or recall it."""
        found = self._lines.get(text) or self._older.get(text) or self._read(text)
        if len(text) <= _LONGEST_REMEMBERED:
            if len(self._lines) >= _REMEMBERED:
                self._lines, self._older = {}, self._lines
            self._lines[text] = found
        return found

    def find_same(self, deep: int, text: str) -> Any:
        """Return managedFields parsed earlier from the same text; _MISSING if there are none."""
        return self._fields.get((deep, text), _MISSING)

    def keep(self, deep: int, text: str, found: Any) -> None:
        """Keep it for `find_same`."""
        self._room -= len(text)
        if self._room < 0:
            self._fields, self._room = {}, _ROOM
        self._fields[deep, text] = found

    def _read(self, text: str) -> _Line:
        rest = text.lstrip(" ")
        if not rest:
            return _BLANK
        indent = len(text) - len(rest)
        try:
            return self._parse(indent, rest)
        except UnusualError:
            return indent, _ODD, None, None, ""

    def _parse(self, indent: int, rest: str) -> _Line:
        if rest.startswith("- "):
            item = _value_of(rest[2:])
            if not item:
                raise UnusualError
            if item.startswith("- ") or _is_key(item):
                return indent, _ITEM_WITHIN, None, self._parse(indent + 2, item), ""
            kind, key = _ITEM, None
        else:
            key, item = self._split_key(rest)
            kind = _KEY
            if not item:
                return indent, _KEY_BELOW, key, None, ""
        value = self._parse_value(item)
        if value is _MISSING:
            return indent, _KEY_TEXT if kind == _KEY else _ITEM_TEXT, key, None, item
        return indent, kind, key, value, item

    def _split_key(self, rest: str) -> tuple[Any, str]:
        """Return a key and the rest of its line, "" for nothing."""
        if rest[0] in "'\"":
            found = (_SINGLE if rest[0] == "'" else _DOUBLE).match(rest)
            after = rest[found.end() :] if found else ""
            if (
                not found
                or "\\" in found[1]
                or len(found[1]) > _LONGEST_KEY
                or not (after == ":" or after.startswith(": "))
            ):
                raise UnusualError
            return found[1].replace("''", "'") if rest[0] == "'" else found[1], _value_of(after[2:])
        name, colon, value = rest.partition(": ")
        if not colon:
            if rest[-1] != ":":
                raise UnusualError
            name = rest[:-1]
        elif not value:
            raise UnusualError
        if (
            not name
            or name[0] not in _FIRST_OF_A_KEY
            or len(name) > _LONGEST_KEY
            or " #" in name
            or name[-1] in " :"
        ):
            raise UnusualError
        return self.resolve_plain(name), _value_of(value)

    def _parse_value(self, text: str) -> Any:
        """Parse the value beside a key or a dash; _MISSING for a block or continued text."""
        first = text[0]
        if first == "|":
            return _MISSING
        if first in "'\"":
            return unquote(text)
        if text == "{}":
            return {}
        return [] if text == "[]" else self.resolve_plain(text)

    def resolve_plain(self, text: str) -> Any:
        """Resolve a scalar without quotes. Errors: UnusualError."""
        found = self._scalars.get(text, _MISSING)
        if found is _MISSING:
            first = text[0]
            signed = first == "-" and text[1:] and text[1] != " " and not text.startswith("---")
            if (first in _INDICATORS and not signed) or text[-1] in " :" or ": " in text or " #" in text:
                raise UnusualError
            found = resolve(text)
            if len(self._scalars) < _REMEMBERED:
                self._scalars[text] = found
        return found


class _Document:
    """Parses one document. Its rows: each line as parsed, None if it is not parsed yet."""

    def __init__(self, lines: list[str], plain: PlainYamlReader) -> None:
        self._lines, self._plain = lines, plain
        self._rows = plain.find_known(lines)
        self._rows.append(_END)

    def parse(self) -> Any:
        found, end = self._parse_node(0, 0, 0)
        if end != len(self._lines):
            raise UnusualError
        return found

    def _parse_row(self, i: int) -> _Line:
        row = self._rows[i] = self._plain.parse_line(self._lines[i])
        return row

    def _parse_node(self, i: int, indent: int, deep: int) -> tuple[Any, int]:
        row = self._rows[i] or self._parse_row(i)
        if row[0] != indent or row[1] == _ODD or deep > _DEEPEST:
            raise UnusualError
        return (
            self._parse_mapping(i, indent, deep) if row[1] <= _KEY_TEXT else self._parse_list(i, indent, deep)
        )

    def _parse_list(self, i: int, indent: int, deep: int) -> tuple[list[Any], int]:
        out, rows = list[Any](), self._rows
        while True:
            row = rows[i] or self._parse_row(i)
            here, kind, _, value, raw = row
            if here != indent or not _ITEM <= kind <= _ITEM_WITHIN:
                break
            if kind == _ITEM_WITHIN:
                rows[i] = value
                value, i = self._parse_node(i, indent + 2, deep + 1)
            else:
                i += 1
                if kind == _ITEM_TEXT or (rows[i] or self._parse_row(i))[0] > indent:
                    value, i = self._parse_text(raw, i, indent)
            out.append(value)
        if here > indent:
            raise UnusualError
        return out, i

    def _parse_mapping(self, i: int, indent: int, deep: int) -> tuple[dict[Any, Any], int]:
        out, rows = dict[Any, Any](), self._rows
        row = rows[i] or self._parse_row(i)
        while True:
            here, kind, key, value, raw = row
            if here != indent or kind > _KEY_TEXT:
                break
            i += 1
            row = rows[i] or self._parse_row(i)
            if kind == _KEY_BELOW:
                below = row[0]
                if below > indent or (below == indent and _ITEM <= row[1] <= _ITEM_WITHIN):
                    if row[1] == _ODD:
                        raise UnusualError
                    if key == "fieldsV1":
                        value, i = self._parse_owned(i, below, deep + 1)
                    elif key == _UNREAD:
                        i = self._end_of(i, indent)
                    else:
                        value, i = self._parse_node(i, below, deep + 1)
                    row = rows[i] or self._parse_row(i)
            elif row[0] > indent or kind == _KEY_TEXT:
                value, i = self._parse_text(raw, i, indent)
                row = rows[i] or self._parse_row(i)
            out[key] = value
        if here > indent:
            raise UnusualError
        return out, i

    def _parse_owned(self, i: int, indent: int, deep: int) -> tuple[Any, int]:
        """Parse managedFields, which are the same in all objects that one program wrote: a third of an
        object.
        """
        end = self._end_of(i, indent - 1)
        text = "\n".join(self._lines[i:end])
        found = self._plain.find_same(deep, text)
        if found is _MISSING:
            found, after = self._parse_node(i, indent, deep)
            if after == end:
                self._plain.keep(deep, text, found)
            end = after
        return found, end

    def _end_of(self, i: int, indent: int) -> int:
        """Return the first line that is not deeper."""
        lines, margin = self._lines, " " * (indent + 1)
        while i < len(lines) and (lines[i].startswith(margin) or not lines[i]):
            i += 1
        return i

    def _parse_text(self, raw: str, i: int, indent: int) -> tuple[Any, int]:
        """Return a text that continues, or begins, on the lines below, and the line after it. i: the
        line after its first one.
        """
        if raw[0] == "|":
            return self._parse_block(raw, i, indent)
        if raw[0] in "'\"":
            return self._parse_folded(raw, i, indent)
        parts = [raw]
        while (row := self._rows[i] or self._parse_row(i))[0] > indent:
            parts.append(self._parse_part(row, i))
            i += 1
        if len(parts) == 1 or raw in ("{}", "[]"):
            raise UnusualError
        return self._plain.resolve_plain(" ".join(parts)), i

    def _parse_folded(self, raw: str, i: int, indent: int) -> tuple[str, int]:
        """Return a quoted text in several lines, each deeper than its parent."""
        parts, single = [raw], raw[0] == "'"
        quotes = raw.count("'")
        closed = not quotes % 2 if single else _is_closed(raw[1:])
        while not closed:
            row = self._rows[i] or self._parse_row(i)
            if row[0] <= indent:
                raise UnusualError
            part = self._parse_part(row, i)
            parts.append(part)
            i += 1
            if single:
                quotes += part.count("'")
                closed = not quotes % 2
            else:
                closed = _is_closed(part)
        found = unquote(" ".join(parts))
        if found is _MISSING or (self._rows[i] or self._parse_row(i))[0] > indent:
            raise UnusualError
        return found, i

    def _parse_part(self, row: _Line, i: int) -> str:
        """Return a line of a text that is folded."""
        part = self._lines[i].lstrip(" ")
        if row is _BLANK or not part or part[-1] == " ":
            raise UnusualError
        return part

    def _parse_block(self, mark: str, i: int, indent: int) -> tuple[str, int]:
        """Return a block text, which is indented deeper than its parent."""
        lines = self._lines
        first = lines[i] if i < len(lines) else ""
        rest = first.lstrip(" ")
        margin = len(first) - len(rest)
        if mark not in ("|", "|-") or margin <= indent or not rest:
            raise UnusualError
        out, prefix = list[str](), " " * margin
        while i < len(lines):
            line = lines[i]
            if line.startswith(prefix):
                out.append(line[margin:])
                if out[-1] and not out[-1].strip(" "):
                    raise UnusualError
            elif line.strip(" "):
                if len(line) - len(line.lstrip(" ")) > indent:
                    raise UnusualError
                break
            else:
                out.append("")
            i += 1
        while not out[-1]:
            out.pop()
        return "\n".join(out) + ("\n" if mark == "|" else ""), i


def unquote(text: str) -> Any:
    """Return the text within quotes; _MISSING where the last character does not close them."""
    if text[0] == "'":
        found = _SINGLE.fullmatch(text)
        return found[1].replace("''", "'") if found else _MISSING
    found = _DOUBLE.fullmatch(text)
    return (json.loads(text) if "\\" in text else found[1]) if found else _MISSING


def _is_closed(text: str) -> bool:
    """Tell whether a text in double quotes ends on this line."""
    inside = _INSIDE.match(text)
    end = inside.end() if inside else 0
    if end < len(text) and text[end] != '"':
        raise UnusualError
    return end < len(text)


def _is_key(item: str) -> bool:
    if item[0] in "'\"":
        found = (_SINGLE if item[0] == "'" else _DOUBLE).match(item)
        return found is not None and item[found.end() : found.end() + 2] in (":", ": ")
    return item.endswith(":") or ": " in item


def _value_of(text: str) -> str:
    if text[:1] == " " or text[-1:] == " ":
        raise UnusualError
    return text


def is_printable(text: str) -> bool:
    """Tell whether a text has no character that another parser would reject or treat as a line break."""
    return is_plain_ascii(text) or not _UNPRINTABLE.search(text)
