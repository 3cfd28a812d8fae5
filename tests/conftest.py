"""The number of examples of property tests: few in the inner loop, hypothesis' default in `make test`."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests import patience

# Thousands of tests stay in memory for a whole run: collecting garbage at the usual rate takes a sixth of the
# time.
gc.set_threshold(100_000, 20, 20)

settings.register_profile("quick", max_examples=15, deadline=None)
settings.register_profile("full", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


@pytest.fixture(scope="session", autouse=True)
def state_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Redirect a command's user state away from the test user's."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Stretch the limit of each test by this machine's measured slowness."""
    if patience.read_factor() == 1:
        return
    usual = float(config.getini("timeout") or 0)
    for item in items:
        own = item.get_closest_marker("timeout")
        limit = float(own.args[0]) if own and own.args else usual
        item.add_marker(pytest.mark.timeout(patience.stretch(limit)), append=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report the number of checked commands, and the machine's measured slowness if a limit may have been
    hit.
    """
    reports = (
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    )
    looked_at = sum(
        int(value)
        for report in reports
        if report.when == "call"
        for name, value in report.user_properties
        if name == "commands"
    )
    if looked_at:
        terminalreporter.line(f"{looked_at} commands looked at")
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.line(
            f"time limits were stretched {patience.read_factor():.1f}-fold for this machine"
        )
