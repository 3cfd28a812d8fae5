"""A fact of every type, with the same text in every text field."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, get_args, get_origin

from unstuck.collect.redact.natures import natures_of
from unstuck.collect.redact.numbers import Ids
from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.record import Record, list_field_names

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
UID = "0b5c2a1e-7d3f-4a6b-8c9d-0e1f2a3b4c5d"


@cache
def list_records() -> tuple[type[Record], ...]:
    """List every fact type and every record in one, sorted by name."""
    found: set[Any] = set()
    todo: list[Any] = [*find_fact_types().values()]
    while todo:
        kind = todo.pop()
        if kind not in found:
            found.add(kind)
            todo += [one for hint in _find_hints(kind).values() for one in _list_records_in(hint)]
    return tuple(sorted(found, key=lambda kind: (kind.__name__, kind.__module__)))


@cache
def _find_hints(kind: Any) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def _list_records_in(hint: Any) -> Iterator[Any]:
    if isinstance(hint, type) and issubclass(hint, Record):
        yield hint
    elif get_origin(hint) is not Literal:
        for part in get_args(hint):
            yield from _list_records_in(part)


def list_fact_types() -> tuple[type[Fact], ...]:
    """List every type of fact, sorted by name."""
    return tuple(kind for _, kind in sorted(find_fact_types().items()))


def make_record(kind: Any, text: str, **given: Any) -> Any:
    """Make a record of this type with all nested fields; every fact is about a Pod.

    A text in the form of an id or a number is not put into fields of ids or amounts, where it would be valid
    and stay.
    """
    if kind is Source:
        return Source(text, text, NOW)
    hints, of = _find_hints(kind), natures_of(kind)
    fields = {
        name: given[name] if name in given else _make_value(hints[name], _make_fitting(text, of.get(name)))
        for name in list_field_names(kind)
    }
    return kind(**{**fields, "kind": "Pod"} if kind is Ref else fields)


def _make_fitting(text: str, nature: str | None) -> str:
    if nature == "id" and Ids.is_one(text):
        return UID
    return "512Mi" if nature == "quantity" and text.isdigit() else text


def _make_value(hint: Any, text: str) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _make_value(next(a for a in args if a is not types.NoneType), text)
    if origin is Literal:
        return args[0]
    if origin is tuple:
        return (
            (_make_value(args[0], text),) if args[1:] == (...,) else tuple(_make_value(a, text) for a in args)
        )
    if isinstance(hint, type) and issubclass(hint, Record):
        return make_record(hint, text)
    plain: dict[Any, Any] = {str: text, int: 3, float: 1.5, bool: True, datetime: NOW}
    return plain[hint]
