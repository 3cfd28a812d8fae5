"""The lines of a running program's log that report trouble."""

from __future__ import annotations

import pytest

from unstuck.wording.program.trouble import choose_setting, find_trouble_lines, list_settings


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[error] could not start the listener on port 5671", True),
        ("wget: server returned error: HTTP/1.1 403 Forbidden", True),
        ("licence not written", True),
        ("level=error msg=\"plan 'xl' is not offered\"", True),
        ("java.lang.IllegalStateException: no broker", True),
        ("E1130 08:00:01.1 1 main.go:41] sync failed", True),
        ('level=info msg="retry after error"', False),
        ("I1130 08:00:01.1 1 main.go:41] failed=0", False),
        ("done, 0 errors", False),
        ("request served, error=null", False),
        ("listening on :8443", False),
        ("[warning] memory resource limit alarm set on node n1", True),
        ("[warning] senders will be blocked until then", True),
    ],
)
def test_a_line_reports_trouble_or_does_not(line, told):
    assert bool(find_trouble_lines([line])) is told


def test_each_sort_once_and_of_many_the_first_and_the_last():
    again = [f"error: try {n} failed" for n in range(9)]
    assert find_trouble_lines(again) == ("error: try 0 failed",)
    words = [f"error: {'x' * n} failed" for n in range(1, 40)]
    kept = find_trouble_lines(words)
    assert len(kept) == 16 and kept[0] == words[0] and kept[-1] == words[-1]


@pytest.mark.parametrize(
    ("earlier", "told"),
    [
        ("memory limit of the node set to 8GB", True),
        ("memory limit is fine", False),
        ("cache size set to 8GB", False),
    ],
)
def test_a_value_is_told_in_the_words_of_the_line(earlier, told):
    line = "[warning] memory resource limit alarm set"
    assert choose_setting(line, list_settings([earlier, line])) == (earlier if told else "")
