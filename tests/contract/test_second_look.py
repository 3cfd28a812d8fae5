"""The choice of failed end-to-end tests to repeat alone."""

from __future__ import annotations

from scripts.end_to_end import MOST, find_refusal


def test_a_red_or_a_few_are_looked_at_again() -> None:
    reds = {f"tests/e2e/test_ways.py::test_{n}": "AssertionError: no answer: status 3" for n in range(MOST)}
    assert find_refusal(reds) == ""


def test_more_than_a_few_have_one_reason_and_stay_red() -> None:
    reds = {f"tests/e2e/test_ways.py::test_{n}": "TimeoutError" for n in range(MOST + 1)}
    assert str(MOST + 1) in find_refusal(reds)


def test_a_wrong_answer_stays_red() -> None:
    reds = {
        "tests/e2e/test_catalogue.py::test_the_answer_is_right[x]": "AssertionError: wrong: storage.claim-unbound (named: …)"
    }
    assert "test_the_answer_is_right[x]" in find_refusal(reds)
