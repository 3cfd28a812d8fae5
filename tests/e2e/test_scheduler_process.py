"""Our verdict on generated clusters equals the running kube-scheduler's
`conditions[PodScheduled].message`.
"""

from __future__ import annotations

import os

import pytest


@pytest.mark.e2e
def test_the_running_scheduler_says_what_we_say() -> None:
    """100 cases of SEED (1)."""
    from tests.scheduling.real import format_answers, run

    answers = run(100, int(os.environ.get("SEED", "1")))
    assert answers.agree == 100, "\n".join(format_answers(answers))
