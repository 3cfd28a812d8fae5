"""The next command to run: the one with the highest expected decision for its cost; part of an answer in
every format.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from unstuck.diagnosis.command import Command
from unstuck.diagnosis.text import Text
from unstuck.facts.record import Record, record

# The effort: a request to the API server, a look at a node, or a person with other rights.
NextCost = Literal["api", "node", "person"]
# A look at a node needs access to it; asking another person takes longest.
PRICE: Mapping[NextCost, float] = MappingProxyType({"api": 1.0, "node": 2.0, "person": 4.0})


@record()
class Next(Record):
    """One command. at: where to run it: "here", "paste" (piped into `unstuck read`), "node:NAME". says: its
    purpose.

    decides: ids of open causes that its output can decide, the most common first. expected: the share of the
    open questions that it is expected to decide, from 0 to 1. named: whether it looks at a thing named in the
    input.
    """

    command: Command
    at: str
    says: Text
    decides: tuple[str, ...]
    expected: float
    cost: NextCost
    named: bool = False


def estimate_worth(one: Next) -> float:
    """Estimate how much a command decides for its cost."""
    return one.expected / PRICE[one.cost]
