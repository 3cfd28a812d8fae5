"""Why a Pod is refused: the plugin, its words, and whether removing other Pods could help."""

from __future__ import annotations

from typing import Literal

from unstuck.facts.record import Record, record

# unschedulable: removing other Pods may help; unresolvable: it does not; error: the scheduler stops trying
# and says why; unknown: a deciding fact could not be read, so this is neither a refusal nor a fit.
Outcome = Literal["unschedulable", "unresolvable", "error", "unknown"]


@record()
class Reason(Record):
    """Why a filter refuses a Node, or all of them. message: the scheduler's words; for an unknown one, the
    missing fact.
    """

    plugin: str
    message: str
    outcome: Outcome = "unresolvable"
