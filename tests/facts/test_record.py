"""Records behave like frozen dataclasses, apart from the cost of their classes."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import ClassVar

import pytest

from unstuck.facts.record import Record, list_field_names, record


@record(kw_only=True)
class Base(Record):
    about: str
    whole: bool = True
    cost: ClassVar[str] = "api"


@record(kw_only=True)
class Sized(Base):
    size: int
    parts: tuple[str, ...] = ()


@record()
class Pair(Record):
    left: int
    right: list[int] = field(default_factory=list)
    note: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "note", self.note.strip())


@dataclass(frozen=True)
class Plain:
    left: int
    right: list[int] = field(default_factory=list)
    note: str = field(default="", kw_only=True)


def test_fields_are_those_that_a_dataclass_would_have() -> None:
    assert is_dataclass(Pair)
    assert [(f.name, f.default, f.kw_only) for f in fields(Pair)] == [
        (f.name, f.default, f.kw_only) for f in fields(Plain)
    ]
    assert (
        [f.name for f in fields(Sized)]
        == list(list_field_names(Sized))
        == ["about", "whole", "size", "parts"]
    )
    assert [f.name for f in fields(Base)] == list(list_field_names(Base))


def test_defaults_factories_and_what_ends_a_constructor() -> None:
    assert Pair(1, note=" x ") == Pair(1, [], note="x")
    assert Pair(1).right is not Pair(1).right
    assert Sized(about="a", size=2) == Sized(size=2, about="a", whole=True, parts=())


@pytest.mark.parametrize(("args", "named"), [((), {}), ((1, [], "x"), {}), ((1,), {"other": 2})])
def test_wrong_arguments_are_refused_the_first_time_too(
    args: tuple[object, ...], named: dict[str, object]
) -> None:
    @record()
    class Fresh(Record):
        left: int
        right: int = 0

    with pytest.raises(TypeError):
        Fresh(*args, **named)
    assert Fresh(1) == Fresh(1, 0)


def test_a_base_that_has_instances_and_its_subclass_do_not_share_a_constructor() -> None:
    assert Base(about="a") != Sized(about="a", size=1)
    assert Base(about="a").cost == Sized(about="a", size=1).cost == "api"


def test_a_field_without_a_default_behind_one_with_is_refused() -> None:
    @record()
    class Wrong(Record):
        left: int = 0
        right: int

    with pytest.raises(TypeError, match="right without a default"):
        Wrong(1, 2)


def test_frozen_hashable_replaceable_and_kept_by_pickle() -> None:
    one = Sized(about="a", size=1)
    with pytest.raises(FrozenInstanceError):
        one.size = 2
    assert not hasattr(one, "__dict__")
    assert replace(one, size=2) == Sized(about="a", size=2)
    assert len({one, Sized(about="a", size=1), replace(one, size=2)}) == 2
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - its own bytes
    assert repr(one) == "Sized(about='a', whole=True, size=1, parts=())"
