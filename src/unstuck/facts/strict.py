"""Checks a record from foreign JSON against its declared fields: the codec accepts plain values unchecked."""

from __future__ import annotations

import math
import types
import typing
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, cast

_LARGEST = 1 << 63
_YEARS = (1970, 9000)


def is_well_formed(record: object) -> bool:
    """Tell whether each field, also of nested records, has its declared type, and numbers and times are
    within bounds.
    """
    return all(
        _fits(hint, getattr(record, name)) for name, hint in _get_hints(cast(Any, type(record))).items()
    )


@cache
def _get_hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {f.name: hints[f.name] for f in fields(kind)}


def _fits(hint: Any, value: object) -> bool:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return any(_fits(a, value) for a in typing.get_args(hint))
    if origin is typing.Literal:
        return isinstance(value, str) and value in typing.get_args(hint)
    if origin is tuple:
        return isinstance(value, tuple) and _fits_items(typing.get_args(hint), value)
    return _fits_plain(hint, value)


def _fits_items(args: tuple[Any, ...], value: tuple[object, ...]) -> bool:
    if len(args) == 2 and args[1] is Ellipsis:
        return all(_fits(args[0], v) for v in value)
    return len(args) == len(value) and all(_fits(a, v) for a, v in zip(args, value, strict=True))


def _fits_plain(hint: Any, value: object) -> bool:
    if hint is type(None):
        return value is None
    if hint is datetime:
        return isinstance(value, datetime) and _YEARS[0] <= value.year < _YEARS[1]
    if isinstance(hint, type) and is_dataclass(hint):
        return isinstance(value, hint) and is_well_formed(value)
    if hint is float:
        return (
            not isinstance(value, bool)
            and isinstance(value, int | float)
            and math.isfinite(value)
            and abs(value) < _LARGEST
        )
    if hint is int:
        return type(value) is int and abs(value) < _LARGEST
    return isinstance(hint, type) and type(value) is hint
