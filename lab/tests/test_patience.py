"""Limits follow the machine."""

import time

import pytest

from unstuck_lab import patience, shell
from unstuck_lab.errors import CommandFailedError, TimedOutError


class Clock:
    """Time that passes only when somebody sleeps, on a machine that is overloaded for a share of it."""

    def __init__(self, share: float) -> None:
        self.now = 0.0
        self.share = share

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def stalled(self) -> tuple[float, ...]:
        return (self.now * self.share, 0.0)


def waited(share: float, factor: str, monkeypatch: pytest.MonkeyPatch) -> tuple[float, str]:
    clock = Clock(share)
    monkeypatch.setenv(patience.VARIABLE, factor)
    monkeypatch.setattr(patience, "_read_stalls", clock.stalled)
    monkeypatch.setattr(patience, "time", clock)
    monkeypatch.setattr(shell, "time", clock)
    with pytest.raises(TimedOutError) as error:
        shell.wait_for(lambda: None, 30, "pod ready")
    return clock.now, str(error.value)


def test_on_a_quiet_machine_a_limit_is_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    assert waited(0, "1", monkeypatch)[0] == pytest.approx(30, abs=1.1)


def test_a_second_of_an_overloaded_machine_counts_a_third(monkeypatch: pytest.MonkeyPatch) -> None:
    assert waited(1, "1", monkeypatch)[0] == pytest.approx(90, abs=1.1)
    assert waited(0.5, "1", monkeypatch)[0] == pytest.approx(45, abs=1.1)


def test_on_a_machine_measured_as_slow_a_limit_is_longer_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    took, said = waited(0.5, "2", monkeypatch)
    assert took == pytest.approx(90, abs=1.1)
    assert (
        "pod ready: not so after 9" in said
        and "2.0 times slower than the reference" in said
        and "overloaded for 45 s" in said
    )


def test_a_command_has_its_time_where_others_have_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(patience.VARIABLE, "1")
    monkeypatch.setattr(patience, "_read_stalls", lambda: (time.monotonic(), 0.0))
    given = "x" * 200_000  # more than a pipe holds
    assert shell.attempt(["sh", "-c", "sleep 1.5; cat"], timeout=0.8, stdin=given).stdout == given


def test_a_command_that_hangs_is_ended_and_what_it_said_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(patience.VARIABLE, "1")
    monkeypatch.setattr(patience, "_read_stalls", lambda: (0.0, 0.0))
    with pytest.raises(CommandFailedError, match="waiting for it"):
        shell.attempt(["sh", "-c", "echo waiting for it >&2; exec sleep 30"], timeout=0.5)
