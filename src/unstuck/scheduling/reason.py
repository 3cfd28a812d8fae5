"""The reason for a rejection: the plugin, its message, and whether removing other Pods could help."""

from __future__ import annotations

from typing import Literal

from unstuck.facts.record import Record, record

# unschedulable: removing other Pods may help; unresolvable: it cannot help; error: the scheduler aborts with
# this message; unknown: a deciding fact could not be read, so this is neither a rejection nor a fit.
Outcome = Literal["unschedulable", "unresolvable", "error", "unknown"]


@record()
class Reason(Record):
    """A filter's reason against a Node, or against all Nodes. message: the scheduler's; for an unknown
    reason, the missing fact.
    """

    plugin: str
    message: str
    outcome: Outcome = "unresolvable"
