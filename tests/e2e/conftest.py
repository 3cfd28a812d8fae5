"""The answers of the whole catalogue, gathered once, and their table at the end of the run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.e2e import gathered

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.matrix import Row

ROWS = pytest.StashKey["list[Row]"]()
WHERE = pytest.StashKey["dict[str, Any]"]()


@pytest.fixture(scope="session")
def answers(request: pytest.FixtureRequest, lab: Lab) -> dict[str, Row]:
    """Every question of the faults that were selected, with its judged answer."""
    from unstuck_lab import lifecycle, matrix

    chosen = {}
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        question = callspec.params.get("question") if callspec else None
        if question is not None:
            chosen[question.fault.name] = question.fault
    rows = request.config.stash.setdefault(ROWS, [])
    request.config.stash[WHERE] = gathered.software(lab)
    rows += matrix.run(lab, [chosen[name] for name in sorted(chosen)], lifecycle.stopwatch(print))
    return {str(row.question): row for row in rows}


@pytest.fixture(scope="session")
def release(lab: Lab) -> Iterator[bool]:
    """The chart's release, whether or not its agents run; False where it was there before: that one is used and left."""
    if lab.existing:
        pytest.skip("the chart is installed in the lab's own cluster only")
    from unstuck_lab import agent

    there = agent.installed(lab)
    if not there:
        agent.up(lab, print, wait=0)
    yield not there
    if not there:
        agent.down(lab, print)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash.get(ROWS, [])
    if rows:
        from unstuck_lab import matrix

        terminalreporter.section("the catalogue")
        for line in matrix.table(rows):
            terminalreporter.line(line)
        if os.environ.get("UNSTUCK_KEEP_MATRIX") == "1":
            gathered.keep(rows, config.stash[WHERE])
            terminalreporter.line(f"kept in {gathered.MATRIX.name}; `make docs` writes its page")
