"""Patterns compiled on first use: a mistake in one shows up here, not in a user's answer."""

from __future__ import annotations

import gc
import pkgutil
from importlib import import_module

import pytest

import unstuck
from unstuck.facts.regex import _LazyRegex, regex


def test_all_that_wait_for_their_first_use_compile() -> None:
    for module in pkgutil.walk_packages(unstuck.__path__, "unstuck."):
        import_module(module.name)
    waiting = [o for o in gc.get_objects() if isinstance(o, _LazyRegex)]
    assert len(waiting) > 300
    assert all(w.groups >= 0 for w in waiting)


def test_it_is_used_as_a_compiled_one() -> None:
    number = regex(r"(?P<n>\d+)x")
    assert number.pattern == r"(?P<n>\d+)x"
    found = number.search("a 12x")
    assert found and found["n"] == "12" and number.sub("", "12x") == ""
    with pytest.raises(AttributeError):
        number.nothing  # noqa: B018 - the attribute is looked up
