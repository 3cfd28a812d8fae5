"""Cleanup before a signal ends a process."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from unstuck.cli.cleanup import cleanup_on_signal


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_tidies_up_before_the_process_ends(number: signal.Signals) -> None:
    code = (
        "import os, signal, sys, time; from unstuck.cli.cleanup import cleanup_on_signal\n"
        # In the background of a shell, or under nohup, all tests inherit an ignored signal.
        "signal.signal(signal.SIGINT, signal.default_int_handler); signal.signal(signal.SIGHUP, "
        "signal.SIG_DFL)\n"
        "with cleanup_on_signal(lambda: os.write(1, b'tidy')):\n"
        "    os.write(1, b'go '); time.sleep(20)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None and child.stdout.read(3) == b"go "
        child.send_signal(number)
        assert child.stdout.read() == b"tidy"
    assert child.returncode in (-number, 1, 128 + number)


def test_nothing_stays_changed_where_nobody_interrupts() -> None:
    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with cleanup_on_signal(lambda: None):
        assert signal.getsignal(signal.SIGTERM) != before[1]
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before
