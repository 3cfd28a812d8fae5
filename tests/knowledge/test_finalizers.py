"""Every row of the table of well-known finalizers is found by its own name, and is complete in both
languages.
"""

from __future__ import annotations

import pytest

from unstuck.knowledge.finalizers import KNOWN, KnownFinalizer, find_known


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: row.pattern)
def test_a_row_is_found_by_the_names_that_it_is_about(row: KnownFinalizer) -> None:
    names = [row.pattern] if not row.pattern.endswith("*") else [row.pattern[:-1], row.pattern[:-1] + "x"]
    assert [find_known(name) for name in names] == [row] * len(names)


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: row.pattern)
def test_a_row_says_what_it_protects_what_is_lost_and_where_that_is_written(row: KnownFinalizer) -> None:
    assert row.owner
    assert row.source
    for english, chinese in (row.protects, row.loses):
        assert english.isascii()
        assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)


def test_a_finalizer_that_nobody_wrote_about_is_not_known() -> None:
    assert find_known("example.com/hold") is None
