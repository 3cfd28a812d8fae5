"""Frozen records like those of `@dataclass(frozen=True, slots=True)`, at a fraction of their cost at every start.

`dataclass` compiles five functions for each frozen class; every question loads some two hundred types, and few of them ever get an
instance. Here equality, hash and form are written once, in `Record`; a constructor is compiled for the first instance, and the result of
`dataclasses.fields` is computed on first use. See docs/why/core-types.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, cast, dataclass_transform

T = TypeVar("T")
R = TypeVar("R", bound="Record")


class _OwnFields(NamedTuple):
    """The fields in the body of one record's class."""

    annotations: Mapping[str, Any]
    defaults: Mapping[str, Any]
    kw_only: bool


_NONE = _OwnFields({}, {}, False)


@cache
def _list_field_names(kind: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for base in reversed(kind.__mro__) for name in vars(base).get("__own__", _NONE).annotations))


@cache
def _make_getter(kind: Any) -> Callable[[object], object]:
    return attrgetter(*_list_field_names(kind))


@cache
def _make_format(kind: Any) -> str:
    return f"{kind.__name__}({', '.join(f'{name}=%r' for name in _list_field_names(kind))})"


def _get_values(record_: object) -> object:
    return _make_getter(cast(Any, type(record_)))(record_)


def replace(one: R, /, **values: Any) -> R:
    """Return a record with some values in place of its own, as `dataclasses.replace` does, without making the fields of its class."""
    return type(one)(**{name: getattr(one, name) for name in _list_field_names(cast(Any, type(one)))} | values)


def list_field_names(kind: type[Record]) -> tuple[str, ...]:
    """Return the names of a record's fields, as `dataclasses.fields` does, without making its other values."""
    return _list_field_names(cast(Any, kind))


def get_defaults(kind: type[Record]) -> Mapping[str, Any]:
    """Return each field's name with its default; `dataclasses.MISSING` for none, and for one that is created each time."""
    return {name: default for name, (default, _, _) in _collect_defaults(kind).items()}


def get_annotations(kind: type[Record]) -> Mapping[str, Any]:
    """Return the annotations of a record's fields, as written."""
    return {name: text for base in reversed(kind.__mro__) for name, text in vars(base).get("__own__", _NONE).annotations.items()}


class Record:
    """Equality, hash, form and immutability of frozen records, written once."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _get_values(self) == _get_values(other)

    def __hash__(self) -> int:
        return hash((type(self), _get_values(self)))

    def __repr__(self) -> str:
        # A Snapshot sorts its facts by their forms.
        kind = type(self)
        values = _get_values(self)
        return _make_format(cast(Any, kind)) % (values if len(list_field_names(kind)) > 1 else (values,))

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> list[object]:
        return [getattr(self, name) for name in list_field_names(type(self))]

    def __setstate__(self, state: list[object]) -> None:
        for name, value in zip(list_field_names(type(self)), state, strict=True):
            object.__setattr__(self, name, value)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
    """Make a subclass of `Record` a frozen dataclass with slots: `fields`, `replace` and `is_dataclass` accept it as one.

    kw_only: its own fields are given by name only. Errors: TypeError at the first instance if a field without a default follows
    one with.
    """

    def make(kind: type[T]) -> type[T]:
        namespace = {k: v for k, v in vars(kind).items() if k not in ("__dict__", "__weakref__")}
        own = {n: t for n, t in kind.__annotations__.items() if not str(t).removeprefix("typing.").startswith("ClassVar")}
        defaults = {n: namespace.pop(n) for n in own if n in namespace}
        inherited = {s for base in kind.__mro__[1:] for s in getattr(base, "__slots__", ())}
        namespace["__slots__"] = tuple(n for n in own if n not in inherited)
        namespace["__own__"] = _OwnFields(own, defaults, kw_only)
        namespace["__dataclass_fields__"] = _LAZY_FIELDS
        namespace["__init__"] = _initialize_first
        cls: Any = cast(Any, type(kind))(kind.__name__, kind.__bases__, namespace)
        cls.__qualname__ = kind.__qualname__
        return cast(type[T], cls)

    return make


class _LazyFields:
    """The placeholder for a class's `__dataclass_fields__` until they are first read."""

    def __get__(self, instance: object, kind: type) -> dict[str, Field[Any]]:
        """Return the fields of the bases, then its own ones as `dataclass` reads them; from now on the class has them itself."""
        all_: dict[str, Field[Any]] = {}
        for base in reversed(kind.__mro__[1:]):
            all_ |= getattr(base, "__dataclass_fields__", {})
        if own := vars(kind).get("__own__"):
            # For a class without a docstring `dataclass` would work out its signature.
            bare = type(kind.__name__, (), {"__annotations__": own.annotations, "__doc__": "fields", **own.defaults})
            bare.__module__ = kind.__module__
            all_ |= {f.name: f for f in fields(dataclass(init=False, eq=False, repr=False, kw_only=own.kw_only)(bare))}
        cast(Any, kind).__dataclass_fields__ = all_
        return all_


_LAZY_FIELDS = _LazyFields()


def _initialize_first(self: object, *args: object, **values: object) -> None:
    """Initialize the first instance of a class: put the compiled `__init__` into its place."""
    kind: Any = type(self)
    kind.__init__ = _compile_constructor(kind)
    kind.__init__(self, *args, **values)


def _compile_constructor(kind: type) -> Callable[..., None]:
    """Return `__init__` of a frozen class; positional fields first, as in `dataclass`, and `__post_init__` at its end if there is one.

    Errors: TypeError if a field without a default follows one with.
    """
    namespace: dict[str, Any] = {"_missing": MISSING}
    positional, by_name, body = ["self"], list[str](), list[str]()
    seen_default = False
    for name, (default, factory, kw_only) in _collect_defaults(kind).items():
        parameter, value = name, name
        if default is not MISSING:
            namespace[f"_{name}"], parameter = default, f"{name}=_{name}"
        elif factory is not MISSING:
            namespace[f"_{name}"], parameter = factory, f"{name}=_missing"
            value = f"_{name}() if {name} is _missing else {name}"
        elif seen_default and not kw_only:
            raise TypeError(f"{kind.__qualname__}: {name} without a default follows one with")
        seen_default = seen_default or (parameter != name and not kw_only)
        (by_name if kw_only else positional).append(parameter)
        # A slot's own setter takes two thirds of the time of `object.__setattr__`, which looks for it each time.
        namespace[f"_set_{name}"] = getattr(kind, name).__set__
        body.append(f" _set_{name}(self, {value})\n")
    if hasattr(kind, "__post_init__"):
        body.append(" self.__post_init__()\n")
    parameters = ", ".join([*positional, *(["*", *by_name] if by_name else ())])
    definitions: dict[str, Any] = {}
    exec(f"def __init__({parameters}):\n{''.join(body) or ' pass'}", namespace, definitions)  # noqa: S102 - names of fields alone
    constructor: Callable[..., None] = definitions["__init__"]
    constructor.__qualname__ = f"{kind.__qualname__}.__init__"
    return constructor


def _collect_defaults(kind: type) -> dict[str, tuple[Any, Any, bool]]:
    """Return each field's default, the factory of one (`MISSING` for none), and whether it is given by name only; the bases'
    fields first.
    """
    all_: dict[str, tuple[Any, Any, bool]] = {}
    for own in (vars(base).get("__own__", _NONE) for base in reversed(kind.__mro__)):
        for name in own.annotations:
            default = own.defaults.get(name, MISSING)
            if isinstance(default, Field):
                all_[name] = (
                    default.default,
                    default.default_factory,
                    own.kw_only if default.kw_only is MISSING else bool(default.kw_only),
                )
            else:
                all_[name] = (default, MISSING, own.kw_only)
    return all_
