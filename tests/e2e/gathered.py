"""The questions of the catalogue and of the records, as they are known before the lab runs; none where it is not installed."""

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


def _records() -> dict[str, Question]:
    try:
        from scripts import record
    except ImportError:
        return {}
    return {name: record.question(name) for name in record.CHOSEN}


QUESTIONS = _questions()
RECORDS = _records()
