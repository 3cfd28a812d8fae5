"""Closing lines of a log without a reason."""

from __future__ import annotations

import pytest

from unstuck.facts.derive.ends import is_closing


@pytest.mark.parametrize(
    "line",
    [
        "the `unlock` command can be used to remove stale locks",
        "Aborting",
        "Usage: server [flags]",
        "For more information, see the documentation",
        "Run 'helm --help' for usage.",
        "      --config string   the file to read",
        "hint: raise the limit",
    ],
)
def test_a_hint_usage_and_a_bare_end_close_a_log(line: str) -> None:
    assert is_closing(line)


@pytest.mark.parametrize(
    "line",
    [
        "unable to create lock in backend: repository is already locked by PID 4711 on backup-1",
        "Error: unknown flag: --confg",
        "open /etc/app/app.yaml: no such file or directory",
        "use of closed network connection",
        "Running migrations failed: relation users does not exist",
        "trying to connect to db:5432 failed",
    ],
)
def test_what_says_over_what_closes_none(line: str) -> None:
    assert not is_closing(line)
