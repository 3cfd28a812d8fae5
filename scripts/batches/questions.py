"""Questions of a batch as their author wrote them: tests/batches/N/questions.yaml, whose README.md
explains each field.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

BATCHES = Path(__file__).parents[2] / "tests" / "batches"
# The kinds of steps and looks, each by its only key besides the additional ones.
Step = dict[str, Any]


@dataclass(frozen=True)
class BatchQuestion:
    """The standing fault, the check of its effect, and the question. look: a node's name, or `outside`."""

    id: str
    cause: tuple[Step, ...]
    holds: tuple[Step, ...]
    command: str
    look: str


def locate_batch(batch: int) -> Path:
    """Return the directory of a batch."""
    return BATCHES / str(batch)


def read_questions(batch: int) -> tuple[BatchQuestion, ...]:
    """Read a batch, in its author's order."""
    written = yaml.safe_load((locate_batch(batch) / "questions.yaml").read_text("utf-8"))
    return tuple(
        BatchQuestion(
            one["id"], tuple(one["cause"]), tuple(one["holds"]), one["ask"]["command"], one["ask"]["look"]
        )
        for one in written["questions"]
    )
