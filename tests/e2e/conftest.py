"""The answers to the whole catalogue, with each round applied once, and their table at the end of the run.

With `-n N` the run has N parallel labs: related tests, such as a round of the catalogue, stay in one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.e2e import gathered

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

    from unstuck_lab import Lab

ROW, WHERE, PASTE = "row", "where", "paste"


class Labs(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return gathered.place(nodeid)

    def _reschedule(self, node: WorkerController) -> None:
        """Assign further tests only when a lab has one test left: earlier ones would be kept from other
        labs.
        """
        if not self.workqueue or self._pending_of(self.assigned_work[node]) <= 1:
            super()._reschedule(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Labs:
    return Labs(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests by turn, with the tests of one place together."""
    turns = gathered.schedule_turns(gathered.place(item.nodeid) for item in items)
    items.sort(key=lambda item: (turns[gathered.place(item.nodeid)], gathered.place(item.nodeid)))


@pytest.fixture(scope="session")
def catalogue(request: pytest.FixtureRequest, lab: Lab) -> gathered.Rounds:
    """Return the rounds with the faults of the selected questions."""
    questions = [
        item.callspec.params.get("question") for item in request.session.items if hasattr(item, "callspec")
    ]
    return gathered.Rounds(
        lab, frozenset(question.fault.name for question in questions if question is not None)
    )


@pytest.fixture(scope="session")
def release(lab: Lab) -> Iterator[bool]:
    """Provide the chart's release, with or without running agents; False for an existing one, which is used
    and left.
    """
    if lab.existing:
        pytest.skip("the chart is installed in the lab's own cluster only")
    from unstuck_lab import agent

    there = agent.is_installed(lab)
    if not there:
        agent.bring_up(lab, print, wait=0)
    yield not there
    if not there:
        agent.take_down(lab, print)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Report the failed tests with their failures to the caller (scripts/end_to_end.py)."""
    told = os.environ.get("UNSTUCK_REDS")
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if told and terminal is not None and not hasattr(session.config, "workerinput"):
        reds = {
            report.nodeid: report.longreprtext[-2000:]
            for kind in ("failed", "error")
            for report in terminal.stats.get(kind, [])
        }
        Path(told).write_text(json.dumps(reds), "utf-8")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [
        report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, [])
    ]
    properties: list[tuple[str, Any]] = [
        kept for report in reports if report.when == "call" for kept in report.user_properties
    ]
    rows = [gathered.load_row(value) for name, value in properties if name == ROW]
    where = [json.loads(value) for name, value in properties if name == WHERE]
    pastes = [value for name, value in properties if name == PASTE]
    if rows:
        from unstuck_lab import matrix

        terminalreporter.section("the catalogue")
        for line in matrix.format_table(sorted(rows, key=lambda row: str(row.question))):
            terminalreporter.line(line)
        if os.environ.get("UNSTUCK_KEEP_MATRIX") == "1":
            gathered.keep(rows, where[0], pastes)
            terminalreporter.line(f"kept in {gathered.MATRIX.name}; `make docs` writes its page")
    if pastes:
        terminalreporter.section("the same answer from pastes")
        for line in gathered.count_pastes(pastes):
            terminalreporter.line(line)
