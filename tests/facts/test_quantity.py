"""Quantities have the API machinery's values."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.facts.quantity import parse_amount, parse_quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("64", 64),
        ("100m", Fraction(1, 10)),
        ("1Gi", 2**30),
        ("1.5k", 1500),
        ("1e3", 1000),
        ("2E", 2 * 10**18),
        (".5", Fraction(1, 2)),
    ],
)
def test_known_quantities(text: str, value: object) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize("text", ["", "x", "1 Gi", "1GiB", "--1", "1e", "Gi", "1_000", "١"])
def test_what_is_no_quantity(text: str) -> None:
    assert parse_quantity(text) is None


def test_memory_in_milli_bytes_rounds_up_to_one_byte() -> None:
    assert parse_amount("memory", "100m") == 1
    assert parse_amount("cpu", "100m") == 100
    assert parse_amount("cpu", "0.0001") == 1


@given(st.text(max_size=80))
def test_no_text_raises(text: str) -> None:
    parse_quantity(text)
