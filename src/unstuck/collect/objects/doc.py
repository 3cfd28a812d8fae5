"""Typed access to a decoded JSON or YAML document of any shape. Nothing here raises for any input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

# YAML allows keys of any type, so a key is never taken for a string unseen.
Doc = Mapping[Any, Any]

EMPTY: Doc = {}
_LONGEST = 16_384
_SCALARS = (str, int, float)


def at(doc: object, *path: str) -> object:
    """Return the value at this path of keys; None if any step is missing or no mapping."""
    for key in path:
        if not isinstance(doc, dict):
            return None
        doc = doc.get(key)
    return doc


def section(doc: object, *path: str) -> Doc:
    """Return the mapping at this path, an empty one if there is none."""
    value = at(doc, *path)
    return value if isinstance(value, dict) else EMPTY


def rows(doc: object, *path: str) -> list[Doc]:
    """Return the mappings of the list at this path; other values are skipped."""
    return [v for v in _list_items(at(doc, *path)) if isinstance(v, dict)]


def text(doc: object, *path: str) -> str:
    """Return the string at this path, "" if there is none. A text longer than 16 KiB is cut: no field that a
    cause reads is so long.
    """
    # Mostly it is a field of this very mapping.
    value = doc.get(path[0]) if len(path) == 1 and isinstance(doc, dict) else at(doc, *path)
    return value[:_LONGEST] if isinstance(value, str) else ""


def scalar(doc: object, *path: str) -> str:
    """Return the same as `text`, and a number in its decimal form (`memory: 64`, `port: 8080`)."""
    value = at(doc, *path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value[:_LONGEST] if isinstance(value, str) else ""
    try:
        return str(value)[:_LONGEST]
    except ValueError:  # an integer with more digits than Python prints
        return ""


def whole_number(doc: object, *path: str) -> int | None:
    """Return the integer at this path; None for anything else, and for a value that no field of Kubernetes
    can hold.
    """
    value = at(doc, *path)
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and abs(value) < 2**63 else None


def flag(doc: object, *path: str) -> bool:
    """Tell whether the value at this path is true."""
    return at(doc, *path) is True


def maybe_flag(doc: object, *path: str) -> bool | None:
    """Return the boolean at this path, None if there is none."""
    value = at(doc, *path)
    return value if isinstance(value, bool) else None


def strings(doc: object, *path: str) -> tuple[str, ...]:
    """Return the strings of the list at this path."""
    return tuple(v[:_LONGEST] for v in _list_items(at(doc, *path)) if isinstance(v, str))


def pairs(doc: object, *path: str) -> tuple[tuple[str, str], ...]:
    """Return the mapping at this path as sorted pairs of strings; numbers become strings, other values are
    passed over.
    """
    found = section(doc, *path)
    return (
        tuple(
            sorted(
                (k, scalar(found, k))
                for k, v in found.items()
                if isinstance(k, str) and isinstance(v, _SCALARS)
            )
        )
        if found
        else ()
    )


def keys(doc: object, *path: str) -> tuple[str, ...]:
    """Return the keys of the mapping at this path, sorted."""
    return tuple(sorted(k for k in section(doc, *path) if isinstance(k, str)))


def time(doc: object, *path: str) -> datetime | None:
    """Return the RFC 3339 time at this path in UTC. YAML decodes times itself, so a datetime is accepted
    too.
    """
    value = at(doc, *path)
    if isinstance(value, str):
        return _parse_time(value) if len(value) < 64 else None
    return _convert_to_utc(value)


_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(4096)
def _parse_time(text: str) -> datetime | None:
    # One object has few times, and the objects of one rollout share them.
    try:
        return _convert_to_utc(datetime.fromisoformat(text))
    except ValueError:
        return None


def _convert_to_utc(value: object) -> datetime | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, datetime):
        return None
    try:
        found = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        return None
    # The beginning of time stands for none (gateway-api's default of a condition's lastTransitionTime).
    return found if found != _NO_TIME else None


def _list_items(value: object) -> list[Any] | tuple[Any, ...]:
    return value if isinstance(value, list | tuple) else []


def find_texts(value: object, deepest: int, most: int | None = None) -> Iterator[str]:
    """Yield every text below a value. deepest: the number of levels to enter. most: items of each list to
    look at; None for all.
    """
    if isinstance(value, str):
        yield value
    elif deepest > 0 and isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value[:most]:
            yield from find_texts(inner, deepest - 1, most)


def find_fields(value: object, place: str, deepest: int, most: int) -> Iterator[tuple[str, str, str]]:
    """Yield each field in a value that holds a string: its name, its place (`spec.url`, `spec.urls[0]`) and
    the string. An item of a list has no name. deepest: levels; most: items of each list.
    """
    if isinstance(value, Mapping):
        rows = [(str(key), f"{place}.{key}", inner) for key, inner in value.items()]
    else:
        items = value[:most] if isinstance(value, list) else []
        rows = [("", f"{place}[{i}]", inner) for i, inner in enumerate(items)]
    for name, at, inner in rows:
        if isinstance(inner, str):
            yield name, at, inner
        elif deepest:
            yield from find_fields(inner, at, deepest - 1, most)
