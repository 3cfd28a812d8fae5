"""What to run next: the command that is expected to decide most for its cost; part of an answer in every format."""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis.command import Command
from unstuck.diagnosis.text import Text
from unstuck.facts.record import Record, record

# Whose time it takes: a request to the API server, a look at a node, or somebody with other rights.
NextCost = Literal["api", "node", "person"]


@record()
class Next(Record):
    """One command. at: where it is run: "here", "paste" (piped into `unstuck read`), "node:NAME". says: what it shows.

    decides: ids of open causes that its output speaks to, the most common first. expected: the share of what is open that it is expected
    to decide, from 0 to 1.
    """

    command: Command
    at: str
    says: Text
    decides: tuple[str, ...]
    expected: float
    cost: NextCost
