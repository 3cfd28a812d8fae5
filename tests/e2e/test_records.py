"""The package's records give the live cluster's answers: the same causes with the same confidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e import gathered
from tests.e2e.command import run_unstuck

if TYPE_CHECKING:
    from unstuck_lab.asking import FaultQuestion

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1800)]


def told(report: dict[str, Any]) -> dict[str, Any]:
    """Return the state, and the causes in order with their confidence."""
    diagnosis = report["diagnoses"][0]
    return {
        "state": diagnosis["state"],
        "causes": [(cause["id"], cause["confidence"]) for cause in diagnosis["causes"]],
    }


def left_open(report: dict[str, Any]) -> set[str]:
    return {o["id"] for o in report["diagnoses"][0]["undecided"]}


@pytest.mark.parametrize(
    "question", [pytest.param(question, id=name) for name, question in gathered.RECORDS.items()]
)
def test_record_and_live_agree(question: FaultQuestion, catalogue: gathered.Rounds) -> None:
    name = next(name for name, recorded in gathered.RECORDS.items() if recorded == question)
    row = catalogue.answer(question)
    assert row.reply is not None, row.judged.why
    assert row.reply.report is not None, row.judged.why
    done = run_unstuck("demo", name, "-o", "json", kubeconfig=None)
    record = json.loads(done.stdout)
    assert told(record) == told(row.reply.report)
    # Live, the faults run side by side on nodes with a shared kernel: one fault's process in D may keep
    # causes open that are ruled out for a fault alone. All open causes of the record are open there too.
    assert left_open(record) <= left_open(row.reply.report)
