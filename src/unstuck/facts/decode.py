"""Decodes JSON values into the fields of a record, each checked against its declared type: a Snapshot may be
damaged, or edited by hand.

The reader of a field is built once per type: a big cluster's Snapshot holds hundreds of thousands of values.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from unstuck.facts.record import Record, get_defaults, list_field_names
from unstuck.facts.text import Messages, Text, same_in_both

say = Messages(__name__)
Reader = Callable[[Any], Any]
# A size safe for arithmetic: 64 bits.
_LARGEST = 1 << 63
_YEARS = (1970, 9000)
_NUMBERS = frozenset((int, float))
_TYPES: Mapping[Any, frozenset[type]] = types.MappingProxyType(
    {str: frozenset((str,)), bool: frozenset((bool,)), int: frozenset((int,)), float: _NUMBERS}
)
_TYPE_NAMES = types.MappingProxyType(
    {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}
)


class FormatError(ValueError):
    """The document is no Snapshot readable by this version; said: the reason in one line."""

    def __init__(self, said: Text) -> None:
        super().__init__(said.en)
        self.said = said


class LaterError(ValueError):
    """An unknown word, possibly from a later version."""


def parse_time(text: str | None) -> datetime | None:
    """Read RFC 3339 as UTC; None for None and for any other text."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_record(kind: Any, doc: Any) -> object:
    """Return a record of this type. Errors: FormatError if a field is missing or of another type,
    LaterError.
    """
    try:
        if type(doc) is not dict:
            raise ValueError(_describe_misplaced(doc, "an object"))
        values = {}
        for name, plain_types, read in _make_readers(kind):
            if name in doc:
                value = doc[name]
                values[name] = value if type(value) in plain_types else read(value)
        return kind(**values)
    except LaterError:
        raise
    except (TypeError, ValueError, AttributeError, OverflowError) as e:
        why = e.said if isinstance(e, FormatError) else same_in_both(_describe_missing(kind, doc) or str(e))
        name = kind.__name__
        raise FormatError(say("a {name} in the Snapshot does not read: {why}", name=name, why=why)) from e


def _describe_missing(kind: Any, doc: Any) -> str:
    missing = (
        [name for name, default in get_defaults(kind).items() if default is MISSING and name not in doc]
        if type(doc) is dict
        else []
    )
    return f"no {' and no '.join(missing)}" if missing else ""


@cache
def _make_readers(kind: Any) -> tuple[tuple[str, frozenset[type], Reader], ...]:
    """Return each field with the types accepted unchanged, and the reader of other values."""
    hints = typing.get_type_hints(kind)
    return tuple(
        (name, _find_plain_types(hints[name]), make_reader(hints[name])) for name in list_field_names(kind)
    )


def _find_plain_types(hint: Any) -> frozenset[type]:
    parts = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
    return frozenset(part for part in parts if part in (str, bool, type(None)))


def make_reader(hint: Any) -> Reader:
    """Return the reader for fields of this type. The reader raises ValueError for a value of another type."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        read = make_reader(next(a for a in typing.get_args(hint) if a is not type(None)))
        return lambda value: None if value is None else read(value)
    if origin is typing.Literal:
        return partial(_read_word, frozenset(typing.get_args(hint)))
    if origin is tuple:
        args = typing.get_args(hint)
        return (
            _make_list_reader(make_reader(args[0]))
            if len(args) == 2 and args[1] is Ellipsis
            else _RowReader(tuple(map(make_reader, args)))
        )
    if hint is datetime:
        return _read_time
    if isinstance(hint, type) and issubclass(hint, Record):
        return partial(read_record, hint)
    return _PlainReader(hint)


class _PlainReader:
    """Reads a value that needs no conversion."""

    def __init__(self, hint: Any) -> None:
        self.types, self.called, self.number = _TYPES[hint], _TYPE_NAMES[hint], hint in (int, float)

    def __call__(self, value: Any) -> Any:
        if type(value) not in self.types or (self.number and not -_LARGEST <= value <= _LARGEST):
            raise ValueError(_describe_misplaced(value, self.called))
        return value

    def check_all(self, values: tuple[Any, ...]) -> None:
        """Check many values at once. Errors: ValueError."""
        if self.number or not self.types.issuperset(map(type, values)):
            for value in values:
                self(value)


def _read_word(known: frozenset[str], value: Any) -> Any:
    if type(value) is not str:
        raise ValueError(_describe_misplaced(value, "a word"))
    if value not in known:
        raise LaterError(value)
    return value


def _read_time(value: Any) -> datetime:
    at = parse_time(value)
    if at is None or not _YEARS[0] <= at.year < _YEARS[1]:
        raise ValueError(_describe_misplaced(value, "a time"))
    return at


def _read_list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError(_describe_misplaced(value, "a list"))
    return value


def _make_list_reader(read: Reader) -> Reader:
    """Return a reader of lists of any length."""
    if isinstance(read, _PlainReader):
        return partial(_read_plain_list, read)
    if isinstance(read, _RowReader) and read.plain:
        return read.read_rows
    return lambda value: tuple(map(read, _read_list(value)))


def _read_plain_list(read: _PlainReader, value: Any) -> tuple[Any, ...]:
    values = tuple(_read_list(value))
    read.check_all(values)
    return values


class _RowReader:
    """Reads a list of this many values. Errors: ValueError for another length."""

    def __init__(self, reads: tuple[Reader, ...]) -> None:
        self._reads = reads
        self.plain = (
            tuple(r for r in reads if isinstance(r, _PlainReader))
            if all(isinstance(r, _PlainReader) for r in reads)
            else ()
        )

    def __call__(self, value: Any) -> tuple[Any, ...]:
        values = _read_list(value)
        self._check_length(len(values))
        return tuple(read(v) for read, v in zip(self._reads, values, strict=True))

    def read_rows(self, value: Any) -> tuple[tuple[Any, ...], ...]:
        """Read many such lists at once: labels are most of a big cluster's Snapshot."""
        rows = tuple(map(tuple, map(_read_list, _read_list(value))))
        if odd := set(map(len, rows)) - {len(self._reads)}:
            self._check_length(min(odd))
        for read, column in zip(self.plain, zip(*rows, strict=True), strict=False):
            read.check_all(column)
        return rows

    def _check_length(self, length: int) -> None:
        if length != len(self._reads):
            raise ValueError(f"{length} values where {len(self._reads)} belong")


def _describe_misplaced(value: object, belongs: str) -> str:
    shown = repr(value)
    return f"{shown if len(shown) <= 40 else shown[:39] + '…'} where {belongs} belongs"
