"""The catalogue's questions as they are known before the lab runs; none where the lab is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unstuck_lab.asking import Question


def _questions() -> dict[str, Question]:
    try:
        from unstuck_lab import asking
        from unstuck_lab.fault import catalogue
    except ImportError:
        return {}
    return {str(question): question for fault in catalogue() for question in asking.questions(fault)}


QUESTIONS = _questions()
