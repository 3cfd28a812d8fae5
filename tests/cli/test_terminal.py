"""Colours, the pager and the width: as other tools of a terminal have them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.e2e.command import Terminal, run_unstuck
from unstuck.cli import pager, terminal

DEMO = ("demo", "configmap-missing")


@pytest.mark.parametrize(
    ("args", "env", "coloured"),
    [
        ((), {}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        ((), {"CLICOLOR_FORCE": "1"}, True),
        ((), {"CLICOLOR_FORCE": "0"}, False),
        ((), {"CLICOLOR_FORCE": ""}, False),
        ((), {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        (("--color", "never"), {"CLICOLOR_FORCE": "1"}, False),
    ],
)
def test_colours_in_a_pipe_are_wanted_or_not_there(
    args: tuple[str, ...], env: dict[str, str], coloured: bool
) -> None:
    done = run_unstuck(*DEMO, *args, kubeconfig=None, env=env)
    assert done.returncode == 1 and ("\x1b[" in done.stdout) is coloured


def test_columns_are_heeded_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, told in (
        ("77", 77),
        ("5", terminal.NARROWEST),
        ("1000", 160),
        ("x", terminal.PIPE_WIDTH),
        ("", terminal.PIPE_WIDTH),
    ):
        monkeypatch.setenv("COLUMNS", given)
        assert terminal.width() == told or os.isatty(1)


@pytest.mark.parametrize(
    ("env", "command"),
    [
        ({}, ("less", "-FRX")),
        ({"PAGER": "less"}, ("less", "-FRX")),
        ({"PAGER": "more"}, ("more",)),
        ({"PAGER": "more", "UNSTUCK_PAGER": "less -S"}, ("less", "-S")),
        ({"PAGER": "more", "UNSTUCK_PAGER": ""}, ()),
        ({"PAGER": "cat"}, ()),
        ({"PAGER": "'"}, ()),
    ],
)
def test_which_pager(env: dict[str, str], command: tuple[str, ...]) -> None:
    assert pager.pager_of(env) == command


def test_only_what_is_longer_than_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Typed:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Typed())
    assert not pager.exceeds_screen("a\n" * 23, 24, 80)
    assert pager.exceeds_screen("a\n" * 24, 24, 80)
    assert pager.exceeds_screen(("a" * 160 + "\n") * 12, 24, 80)
    assert not pager.exceeds_screen(("\x1b[31m" * 100 + "a\n") * 12, 24, 80)
    assert not pager.exceeds_screen("a\n" * 1000, 0, 80)


def paged(pager_: str, *args: str) -> bytes:
    import fcntl
    import struct
    import termios

    with Terminal("explain", "file.immutable", *args, kubeconfig=None, env={"UNSTUCK_PAGER": pager_}) as on:
        fcntl.ioctl(on._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 80, 0, 0))
        assert on.finish() == 0
        return on.out


@pytest.mark.skipif(sys.platform != "linux", reason="needs a pty as Linux has it")
def test_on_a_short_screen_the_pager_gets_all_and_a_missing_one_is_no_error(tmp_path: Path) -> None:
    tool = tmp_path / "pager"
    tool.write_text("#!/bin/sh\necho PAGED; cat\n")
    tool.chmod(0o755)
    out = paged(str(tool))
    assert out.startswith(b"PAGED") and b"file.immutable" in out
    for text in (paged(str(tmp_path / "gone")), paged(str(tool), "--no-pager")):
        assert b"PAGED" not in text and b"file.immutable" in text and b"Traceback" not in text


def test_a_reader_that_has_gone_is_known_once_something_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        read = terminal.reader_check()
        terminal.emit("one\n")
        assert read()
        os.close(reading)
        terminal.emit("two\n")
        assert not read()
