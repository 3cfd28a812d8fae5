"""Facts of every type with arbitrary content, generated from the types' annotations."""

from __future__ import annotations

import types
import typing
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from hypothesis import strategies as st

from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Fact

TIMES = st.datetimes(min_value=datetime(2015, 1, 1), max_value=datetime(2035, 1, 1)).map(  # noqa: DTZ001
    lambda d: d.replace(tzinfo=UTC)
)


def make_values(hint: Any) -> st.SearchStrategy[Any]:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return st.one_of(
            [make_values(a) if a is not type(None) else st.none() for a in typing.get_args(hint)]
        )
    if origin is typing.Literal:
        return st.sampled_from(typing.get_args(hint))
    if origin is tuple:
        args = typing.get_args(hint)
        if len(args) == 2 and args[1] is Ellipsis:
            return st.lists(make_values(args[0]), max_size=2).map(tuple)
        return st.tuples(*(make_values(a) for a in args))
    plain: dict[Any, st.SearchStrategy[Any]] = {
        str: st.text(max_size=8),
        int: st.integers(-(2**40), 2**40),
        # Seconds, sizes, shares: facts/decode.py accepts numbers of 64 bits.
        float: st.floats(-(2.0**62), 2.0**62, width=32),
        bool: st.booleans(),
        datetime: TIMES,
    }
    return plain[hint] if hint in plain else make_records(hint)


@cache
def make_records(kind: type) -> st.SearchStrategy[Any]:
    assert is_dataclass(kind)
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{f.name: make_values(hints[f.name]) for f in fields(kind)})


@cache
def make_facts() -> st.SearchStrategy[Fact]:
    return st.one_of([make_records(kind) for _, kind in sorted(find_fact_types().items())])
