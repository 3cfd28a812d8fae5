"""Every fault of the lab's catalogue, and the answer it must get: with the node's evidence and without.

All faults are put in and asked about once, before the first test; each question is then a test of its own. The table and
the counts are printed at the end of the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.gathered import QUESTIONS

if TYPE_CHECKING:
    from unstuck_lab.asking import Question
    from unstuck_lab.matrix import Row

# The first test of all carries the time of the whole catalogue.
pytestmark = [pytest.mark.e2e, pytest.mark.timeout(2700)]


@pytest.mark.parametrize("question", [pytest.param(question, id=name) for name, question in QUESTIONS.items()])
def test_the_answer_is_right(question: Question, answers: dict[str, Row]) -> None:
    row = answers.get(str(question))
    if row is None:
        pytest.skip("needs a node that can be entered")
    assert row.judged.ok, f"{row.judged.outcome}: {row.judged.why} (named: {row.judged.named or 'nothing'}; held: {row.held[:300]})"
