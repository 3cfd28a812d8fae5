"""Frozen records, as `@dataclass(frozen=True, slots=True)` makes them, at a quarter of the price at every start.

`dataclass` compiles five functions for each class it makes frozen; some hundred and sixty types are made whenever a question is asked.
Here one is compiled for each, its constructor; the rest is written once, in `Record`. See docs/why/core-types.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform

T = TypeVar("T")


@cache
def _parts(kind: type[Any]) -> Callable[[object], object]:
    return attrgetter(*(f.name for f in fields(kind)))


def _values(record_: object) -> object:
    return _parts(cast(Any, type(record_)))(record_)


class Record:
    """Equality, hash, form and immutability of frozen records, written once."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash((type(self), _values(self)))

    def __repr__(self) -> str:
        kind = type(self)
        return f"{kind.__name__}({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in fields(cast(Any, kind)))})"

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> list[object]:
        return [getattr(self, f.name) for f in fields(cast(Any, self))]

    def __setstate__(self, state: list[object]) -> None:
        for f, value in zip(fields(cast(Any, self)), state, strict=True):
            object.__setattr__(self, f.name, value)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
    """Makes a subclass of `Record` a frozen dataclass with slots: `fields`, `replace` and `is_dataclass` know it as one.

    kw_only: its own fields are given by name only. Errors: TypeError where a field without a default follows one with.
    """

    def made(kind: type[T]) -> type[T]:
        cls: Any = dataclass(init=False, eq=False, repr=False, slots=True, kw_only=kw_only)(kind)
        cls.__init__ = _constructor(fields(cls), cls.__qualname__)
        return cast(type[T], cls)

    return made


def _constructor(all_: tuple[Field[Any], ...], name: str) -> Callable[..., None]:
    """`__init__` of a frozen class with these fields; positional ones first, as in `dataclass`."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    ordered = [*(f for f in all_ if not f.kw_only), *(f for f in all_ if f.kw_only)]
    parameters, body, seen_default = ["self"], [], False
    for f in ordered:
        if f.kw_only and "*" not in parameters:
            parameters.append("*")
        parameter, value = f.name, f.name
        if f.default is not MISSING:
            known[f"_{f.name}"], parameter = f.default, f"{f.name}=_{f.name}"
        elif f.default_factory is not MISSING:
            known[f"_{f.name}"], parameter = f.default_factory, f"{f.name}=_missing"
            value = f"_{f.name}() if {f.name} is _missing else {f.name}"
        elif seen_default and not f.kw_only:
            raise TypeError(f"{name}: {f.name} without a default follows one with")
        seen_default = seen_default or "=" in parameter
        parameters.append(parameter)
        body.append(f" _set(self, {f.name!r}, {value})\n")
    made: dict[str, Any] = {}
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(body) or ' pass'}", known, made)  # noqa: S102 - names of fields alone
    constructor: Callable[..., None] = made["__init__"]
    constructor.__qualname__ = f"{name}.__init__"
    return constructor
