"""Frozen records like those of `@dataclass(frozen=True, slots=True)`, at a fraction of their startup cost.

`dataclass` compiles five functions for each frozen class; every question loads some two hundred types, most
of them without any instance. Here equality, hash and form are written once, in `Record`; a constructor is
compiled for the first instance, and the result of `dataclasses.fields` is computed on first use. See
docs/why/core-types.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
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
    return tuple(
        dict.fromkeys(
            name for base in reversed(kind.__mro__) for name in vars(base).get("__own__", _NONE).annotations
        )
    )


@cache
def _make_getter(kind: Any) -> Callable[[object], object]:
    return attrgetter(*_list_field_names(kind))


@cache
def _make_format(kind: Any) -> str:
    return f"{kind.__name__}({', '.join(f'{name}=%r' for name in _list_field_names(kind))})"


def _get_values(record_: object) -> object:
    kind: Any = type(record_)
    return _make_getter(kind)(record_)


def replace(one: R, /, **values: Any) -> R:
    """Return a record with some values replaced, as `dataclasses.replace` does, without computing the fields
    of its class.
    """
    return type(one)(
        **{name: getattr(one, name) for name in _list_field_names(cast(Any, type(one)))} | values
    )


def list_field_names(kind: type[Record]) -> tuple[str, ...]:
    """Return the names of a record's fields, as `dataclasses.fields` does, without computing the other
    values.
    """
    return _list_field_names(cast(Any, kind))


def get_defaults(kind: type[Record]) -> Mapping[str, Any]:
    """Return each field's name with its default; `dataclasses.MISSING` for none, and for a default
    factory.
    """
    return {name: default for name, (default, _, _) in _collect_defaults(kind).items()}


def get_annotations(kind: type[Record]) -> Mapping[str, Any]:
    """Return the annotations of a record's fields, as written."""
    return {
        name: text
        for base in reversed(kind.__mro__)
        for name, text in vars(base).get("__own__", _NONE).annotations.items()
    }


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
    """Make a subclass of `Record` a frozen dataclass with slots: `fields`, `replace` and `is_dataclass`
    accept it as one.

    kw_only: whether its own fields are keyword-only. Errors: TypeError at the first instance if a field
    without a default follows one with a default.
    """

    def make(kind: type[T]) -> type[T]:
        namespace = {k: v for k, v in vars(kind).items() if k not in ("__dict__", "__weakref__")}
        own = {
            n: t
            for n, t in kind.__annotations__.items()
            if not str(t).removeprefix("typing.").startswith("ClassVar")
        }
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
    """The placeholder for a class's `__dataclass_fields__` until the first access."""

    def __get__(self, instance: object, kind: type) -> dict[str, Field[Any]]:
        """Return the fields of the bases, then its own ones in the form of `dataclass`; they are stored on
        the class.
        """
        all_: dict[str, Field[Any]] = {}
        for base in reversed(kind.__mro__[1:]):
            all_ |= getattr(base, "__dataclass_fields__", {})
        if own := vars(kind).get("__own__"):
            # For a class without a docstring `dataclass` would compute its signature.
            bare = type(
                kind.__name__, (), {"__annotations__": own.annotations, "__doc__": "fields", **own.defaults}
            )
            bare.__module__ = kind.__module__
            all_ |= {
                f.name: f
                for f in fields(dataclass(init=False, eq=False, repr=False, kw_only=own.kw_only)(bare))
            }
        cast(Any, kind).__dataclass_fields__ = all_
        return all_


_LAZY_FIELDS = _LazyFields()


def _initialize_first(self: object, *args: object, **values: object) -> None:
    """Initialize the first instance of a class, after installing the compiled `__init__`."""
    kind: Any = type(self)
    kind.__init__ = _compile_constructor(kind)
    kind.__init__(self, *args, **values)


def _compile_constructor(kind: type) -> Callable[..., None]:
    """Return `__init__` of a frozen class; positional fields first, as in `dataclass`, and `__post_init__` at
    its end if there is one.

    Errors: TypeError if a field without a default follows one with a default.
    """
    fields_ = _collect_defaults(kind)
    positional = [name for name, (_, _, kw_only) in fields_.items() if not kw_only]
    by_name = [name for name, (_, _, kw_only) in fields_.items() if kw_only]
    # A default from a factory has a mark as its default value.
    defaults = {
        name: default
        for name, (default, factory, _) in fields_.items()
        if default is not MISSING or factory is not MISSING
    }
    optional = [name for name in positional if name in defaults]
    if late := [name for name in positional[len(positional) - len(optional) :] if name not in defaults]:
        raise TypeError(f"{kind.__qualname__}: {late[-1]} without a default follows one with")
    order = (*positional, *by_name)
    code = _compile_shape(
        len(positional),
        tuple(fields_[name][1] is not MISSING and fields_[name][0] is MISSING for name in order),
        hasattr(kind, "__post_init__"),
    )
    # A slot's own setter takes two thirds of the time of `object.__setattr__`, which looks for it each time.
    namespace = {"missing": MISSING}
    for i, name in enumerate(order):
        namespace[f"set_{i}"], namespace[f"make_{i}"] = getattr(kind, name).__set__, fields_[name][1]
    qualname = f"{kind.__qualname__}.__init__"
    constructor = FunctionType(
        code.replace(co_varnames=("self", *order), co_qualname=qualname),
        namespace,
        "__init__",
        tuple(defaults[n] for n in optional),
    )
    constructor.__kwdefaults__ = {name: defaults[name] for name in by_name if name in defaults}
    return constructor


@cache
def _compile_shape(positional: int, made: tuple[bool, ...], post_init: bool) -> CodeType:
    """Compile `__init__` once for all classes of this shape; each class puts its field names into a copy.
    positional: the number of positional fields. made: for each field, whether its default comes from a
    factory.
    """
    names = [f"field_{i}" for i in range(len(made))]
    parameters = ", ".join(
        ["self", *names[:positional], *(["*", *names[positional:]] if positional < len(names) else ())]
    )
    values = (
        f"make_{i}() if {name} is missing else {name}" if made[i] else name for i, name in enumerate(names)
    )
    body = [f" set_{i}(self, {value})\n" for i, value in enumerate(values)] + [
        " self.__post_init__()\n"
    ] * post_init
    definitions: dict[str, Any] = {}
    exec(f"def __init__({parameters}):\n{''.join(body) or ' pass'}", {}, definitions)  # noqa: S102 - numbered names alone
    return cast("CodeType", definitions["__init__"].__code__)


def _collect_defaults(kind: type) -> dict[str, tuple[Any, Any, bool]]:
    """Return each field's default, its factory (`MISSING` for none), and whether it is keyword-only; the
    bases' fields first.
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
