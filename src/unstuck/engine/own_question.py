"""Keeps an answer from proposing the very question that it answers."""

from __future__ import annotations

from unstuck.diagnosis.asking import ask_why, describe
from unstuck.diagnosis.verdict import Finding
from unstuck.facts.core import Ref
from unstuck.facts.record import replace


def ask_otherwise(finding: Finding, asked: Ref) -> Finding:
    """Return the finding whose steps describe the object that was asked about in place of asking again."""
    again = ask_why(asked)
    if not any(step.command == again for step in finding.help):
        return finding
    seen = describe(asked)
    return replace(
        finding, help=tuple(replace(s, command=seen) if s.command == again else s for s in finding.help)
    )
