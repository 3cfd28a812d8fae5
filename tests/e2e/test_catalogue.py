"""Every fault of the lab's catalogue with its expected answer: with the node's evidence and without.

The faults of a round are applied together and asked about once, before its first test; each question is a
separate test. The table and the counts are printed at the end of the run.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.e2e import gathered
from tests.e2e.conftest import ROW, WHERE

if TYPE_CHECKING:
    from collections.abc import Callable

    from unstuck_lab.asking import FaultQuestion

# The first test of a round includes the round's time.
pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1800)]


@pytest.mark.parametrize(
    "question", [pytest.param(question, id=name) for name, question in gathered.QUESTIONS.items()]
)
def test_the_answer_is_right(
    question: FaultQuestion,
    catalogue: gathered.Rounds,
    record_property: Callable[[str, object], None],
    where: str,
) -> None:
    row = catalogue.answer(question)
    record_property(ROW, gathered.dump_row(row))
    record_property(WHERE, where)
    assert row.judged.ok, (
        f"{row.judged.outcome}: {row.judged.why} (named: {row.judged.named or 'nothing'}; held: "
        f"{row.held[:300]})"
    )


@pytest.fixture(scope="module")
def where(catalogue: gathered.Rounds) -> str:
    return json.dumps(gathered.describe_software(catalogue.lab))
