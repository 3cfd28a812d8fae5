"""Facts to JSON and back. A saved Snapshot names fact types by class name; records inside facts are known by their field.

Format 1: `{"format": 1, "tool", "at", "sources", "asked", "after", "facts": [{"type": …, "about": …, …}]}`.
An older format is migrated here on reading; a newer one is refused.
"""

from __future__ import annotations

import importlib
import pkgutil
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from unstuck.facts import aspects
from unstuck.facts.core import Fact, Ref, Refused, Same
from unstuck.facts.record import Record, defaults, names, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text, same_in_both
from unstuck.facts.unasked import with_origin

FORMAT = 1


class FormatError(ValueError):
    """The document is no Snapshot that this version can read; said: which and why in one line."""

    def __init__(self, said: Text) -> None:
        super().__init__(said.en)
        self.said = said


@record()
class Saved(Record):
    """A Snapshot and the question that was put to it. after: the `--after` threshold in seconds, if one was given."""

    snapshot: Snapshot
    asked: Ref | None
    after: float | None = None


@cache
def fact_types() -> Mapping[str, type[Fact]]:
    """Every fact type by its name, found by walking the aspects package."""
    found: dict[str, type[Fact]] = {"Refused": Refused, "Same": Same}
    for info in pkgutil.iter_modules(aspects.__path__, aspects.__name__ + "."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, type) and issubclass(value, Fact) and value.__module__ == info.name:
                if "type" in names(value):
                    raise TypeError(f"{value.__name__}.type would hide the fact's own type in a saved Snapshot")
                found[value.__name__] = value
    return found


def to_json(value: object) -> Any:
    """A fact, record or plain value as JSON values; fields at their default are left out."""
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, tuple):
        return [to_json(v) for v in value]
    if isinstance(value, Record):
        kind: Any = type(value)
        out: dict[str, Any] = {"type": kind.__name__} if isinstance(value, Fact) else {}
        for name, default in _defaults(kind):
            item = getattr(value, name)
            if default is MISSING or item != default:
                out[name] = to_json(item)
        return out
    return value


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(defaults(kind).items())


def format_time(at: datetime) -> str:
    """RFC 3339 in UTC, with microseconds only where there are any."""
    text = at.astimezone(UTC).isoformat()
    return text.replace("+00:00", "Z")


def parse_time(text: str | None) -> datetime | None:
    """RFC 3339 → UTC; None for None and for what is no time."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def fact_from_json(doc: Mapping[str, Any]) -> Fact | None:
    """None for a fact type that this version does not know (written by a later one)."""
    kind = fact_types().get(str(doc.get("type")))
    return typing.cast(Fact, _record(kind, with_origin(doc) if kind is Refused else doc)) if kind else None


_Reader = Callable[[Any], Any]


@cache
def _readers(kind: Any) -> tuple[tuple[str, _Reader], ...]:
    """How each field of a record is read. Worked out once a type: a big cluster's Snapshot holds hundreds of thousands of values."""
    known = typing.get_type_hints(kind)
    return tuple((name, _reader(known[name])) for name in names(kind))


def _record(kind: Any, doc: Mapping[str, Any]) -> object:
    try:
        return kind(**{name: read(doc[name]) for name, read in _readers(kind) if name in doc})
    except (TypeError, ValueError, AttributeError) as e:
        why = e.said if isinstance(e, FormatError) else same_in_both(str(e))
        name = kind.__name__
        raise FormatError(Text(f"a {name} in the Snapshot does not read: {why.en}", f"快照中的 {name} 无法读取：{why.zh}")) from e


def _reader(hint: Any) -> _Reader:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        read = _reader(next(a for a in typing.get_args(hint) if a is not type(None)))
        return lambda value: None if value is None else read(value)
    if origin is tuple:
        args = typing.get_args(hint)
        return _every(_reader(args[0])) if len(args) == 2 and args[1] is Ellipsis else _each(tuple(map(_reader, args)))
    if hint is datetime:
        return parse_time
    if isinstance(hint, type) and issubclass(hint, Record):
        return partial(_record, hint)
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _every(read: _Reader) -> _Reader:
    """A list of any length."""
    if read is _as_it_is:
        return tuple
    return _rows(read.length) if isinstance(read, _Plain) else lambda value: tuple(map(read, value))


class _Plain:
    """Reads a list of this length whose values stay as they are. Errors: ValueError for another length."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __call__(self, value: Any) -> tuple[Any, ...]:
        if len(value) != self.length:
            raise ValueError(f"{len(value)} values where {self.length} belong")
        return tuple(value)


def _rows(length: int) -> _Reader:
    """Many such lists at once: labels are most of what a big cluster's Snapshot holds."""

    def read(value: Any) -> tuple[Any, ...]:
        rows = tuple(map(tuple, value))
        if odd := set(map(len, rows)) - {length}:
            raise ValueError(f"{min(odd)} values where {length} belong")
        return rows

    return read


def _each(reads: tuple[_Reader, ...]) -> _Reader:
    """A list of this length. Errors: ValueError for another."""
    plain = _Plain(len(reads))
    if all(read is _as_it_is for read in reads):
        return plain
    return lambda value: tuple(read(v) for read, v in zip(reads, plain(value), strict=True))


def save(saved: Saved, tool: str) -> dict[str, Any]:
    """The document of a Snapshot; the same Snapshot always gives the same document."""
    snap = saved.snapshot
    return {
        "format": FORMAT,
        "tool": tool,
        "at": format_time(snap.now),
        "sources": list(snap.sources),
        "asked": to_json(saved.asked),
        "after": saved.after,
        "facts": [to_json(f) for f in sorted(snap.facts, key=repr)],
    }


def load(doc: object) -> Saved:
    """Errors: FormatError for what is no Snapshot or of a newer format."""
    if not isinstance(doc, dict) or not isinstance(doc.get("format"), int):
        raise FormatError(Text("this is no Snapshot saved by unstuck (no format number)", "这不是 unstuck 保存的快照（没有格式编号）"))
    if doc["format"] > FORMAT:
        raise FormatError(
            Text(
                f"this Snapshot has format {doc['format']}, newer than {FORMAT}, which this version reads; upgrade unstuck",
                f"该快照的格式为 {doc['format']}，比此版本所能读取的 {FORMAT} 新；请升级 unstuck",
            )
        )
    at = parse_time(doc.get("at"))
    if at is None or not isinstance(doc.get("facts"), list):
        raise FormatError(Text("this Snapshot has no time or no facts", "该快照没有时间，或没有事实"))
    facts = [f for d in doc["facts"] if isinstance(d, dict) and (f := fact_from_json(d))]
    asked = doc.get("asked")
    ref = typing.cast(Ref, _record(Ref, asked)) if isinstance(asked, dict) else None
    after = doc.get("after")
    return Saved(Snapshot(facts, at, doc.get("sources") or ()), ref, float(after) if isinstance(after, int | float) else None)
