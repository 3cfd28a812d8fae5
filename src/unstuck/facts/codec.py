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
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from unstuck.facts import aspects
from unstuck.facts.core import Fact, Ref, Refused, Same
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

FORMAT = 1


class FormatError(ValueError):
    """The document is no Snapshot that this version can read; the message says which and why in one line."""


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
                if any(f.name == "type" for f in fields(value)):
                    raise TypeError(f"{value.__name__}.type would hide the fact's own type in a saved Snapshot")
                found[value.__name__] = value
    return found


def to_json(value: object) -> Any:
    """A fact, record or plain value as JSON values; fields at their default are left out."""
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, tuple):
        return [to_json(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        out: dict[str, Any] = {"type": type(value).__name__} if isinstance(value, Fact) else {}
        for f in fields(value):
            item = getattr(value, f.name)
            if f.default is MISSING or item != f.default:
                out[f.name] = to_json(item)
        return out
    return value


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
    return typing.cast(Fact, _record(kind, doc)) if kind else None


_Reader = Callable[[Any], Any]


@cache
def _readers(kind: type) -> tuple[tuple[str, _Reader], ...]:
    """How each field of a record is read. Worked out once a type: a big cluster's Snapshot holds hundreds of thousands of values."""
    known = typing.get_type_hints(kind)
    return tuple((f.name, _reader(known[f.name])) for f in fields(kind))


def _record(kind: type, doc: Mapping[str, Any]) -> object:
    try:
        return kind(**{name: read(doc[name]) for name, read in _readers(kind) if name in doc})
    except (TypeError, ValueError, AttributeError) as e:
        raise FormatError(f"a {kind.__name__} in the Snapshot does not read: {e}") from e


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
    if isinstance(hint, type) and is_dataclass(hint):
        return partial(_record, hint)
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _every(read: _Reader) -> _Reader:
    """A list of any length."""
    return tuple if read is _as_it_is else lambda value: tuple(map(read, value))


def _each(reads: tuple[_Reader, ...]) -> _Reader:
    """A list of this length. Errors: ValueError for another."""

    def read_each(value: Any) -> tuple[Any, ...]:
        if len(value) != len(reads):
            raise ValueError(f"{len(value)} values where {len(reads)} belong")
        return tuple(value) if plain else tuple(read(v) for read, v in zip(reads, value, strict=True))

    plain = all(read is _as_it_is for read in reads)
    return read_each


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
        raise FormatError("this is no Snapshot saved by unstuck (no format number)")
    if doc["format"] > FORMAT:
        raise FormatError(f"this Snapshot has format {doc['format']}, newer than {FORMAT}, which this version reads; upgrade unstuck")
    at = parse_time(doc.get("at"))
    if at is None or not isinstance(doc.get("facts"), list):
        raise FormatError("this Snapshot has no time or no facts")
    facts = [f for d in doc["facts"] if isinstance(d, dict) and (f := fact_from_json(d))]
    asked = doc.get("asked")
    ref = typing.cast(Ref, _record(Ref, asked)) if isinstance(asked, dict) else None
    after = doc.get("after")
    return Saved(Snapshot(facts, at, doc.get("sources") or ()), ref, float(after) if isinstance(after, int | float) else None)
