"""The report of an internal error: readable only by its owner, and without secrets."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from unstuck.api.crash_report import hide_tokens, write_crash_report


def test_it_holds_no_password_and_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        error = ValueError("port 'x' of https://alice:S3cr@t@proxy.corp:x, token=hunter22")
        path = Path(write_crash_report(error, ["why", "--token", "short"], str(tmp_path)))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600 and list(tmp_path.iterdir()) == [path]
    text = path.read_text()
    assert "proxy.corp" in text and "'why' '--token' ***" in text
    assert not [secret for secret in ("S3cr", "hunter22", "short") if secret in text]


def test_where_no_file_can_be_written_it_says_so(tmp_path: Path) -> None:
    assert write_crash_report(ValueError("x"), directory=str(tmp_path / "gone")).startswith(
        "nowhere (No such file"
    )


def test_the_token_of_a_command_line_is_hidden() -> None:
    words = hide_tokens(["why", "pod/x", "--token", "short", "--token=other", "-n", "shop"])
    assert "short" not in " ".join(words) and "other" not in " ".join(words)
    assert words[:2] == ["'why'", "'pod/x'"] and words[-1] == "'shop'"
