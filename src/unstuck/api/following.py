"""Asks about the same objects again and again, until all of them are fine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from unstuck.api.changes import is_all_fine, list_changes
from unstuck.api.report import Report
from unstuck.errors import NotFound, Unreachable
from unstuck.facts.record import Record, record
from unstuck.facts.text import Text

SECONDS = 5.0


@record()
class Update(Record):
    """The outcome of repeating a question.

    report: the answer; None if there was none. changes: the differences from the previous answer. new_causes:
    whether it names a cause missing from the previous answer. error: the reason for a missing answer;
    NotFound, if the object is gone, ends the following.
    """

    report: Report | None = None
    changes: tuple[Text, ...] = ()
    new_causes: bool = False
    error: NotFound | Unreachable | None = None


def follow(
    first: Report, again: Callable[[], Report], pause: Callable[[float], None] = time.sleep
) -> Iterator[Update]:
    """Yield the changes of an answer, until all is fine or the object is gone.

    again: repeats the question. pause: waits the given seconds. Errors: those of `again`, except a missing
    answer, which may be temporary.
    """
    last = first
    while not is_all_fine(last):
        pause(SECONDS)
        try:
            report = again()
        except Unreachable as e:
            yield Update(error=e)
            continue
        except NotFound as e:
            yield Update(error=e)
            return
        yield Update(report, list_changes(last, report), bool(_list_causes(report) - _list_causes(last)))
        last = report


def _list_causes(report: Report) -> set[str]:
    return {cause.id for diagnosis in report.diagnoses for cause in diagnosis.causes}
