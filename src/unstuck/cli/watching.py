"""`why -w`: asks again and again, and prints what has changed, until all is fine or somebody has had enough."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from unstuck.api.changes import changes, fine
from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, printed
from unstuck.cli.failure import failure
from unstuck.cli.status import FINE, status_of
from unstuck.errors import NotFound, Unreachable
from unstuck.facts.text import Messages
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.report import Report

say = Messages(__name__)

SECONDS = 5.0
_GONE = say("gone")


def watch(
    first: Report, again: Callable[[], Report], shape: OutputOptions, read: Callable[[], bool], pause: Callable[[float], None] = time.sleep
) -> int:
    """Print what changes after the first answer, and return the status of the last one. again: asks once more.

    read: whether anybody still reads what is printed; where nobody does, it ends.
    pause: lets time pass. Errors: those of `again`, but that nothing answers, which may pass.
    """
    report = first
    while not fine(report) and read():
        pause(SECONDS)
        try:
            now = again()
        except Unreachable as e:
            failure(e, "unstuck", shape.lang)
            continue
        except NotFound:
            terminal.emit(f"{in_lang(_GONE, shape.lang)}\n")
            return FINE
        told = changes(report, now)
        terminal.emit("".join(f"{now.at:%H:%M:%S}Z  {visible(in_lang(text, shape.lang))}\n" for text in told))
        if {c.id for d in now.diagnoses for c in d.causes} - {c.id for d in report.diagnoses for c in d.causes}:
            # What to do about it is in no line.
            terminal.emit(f"\n{printed(now, shape)}\n")
        report = now
    return status_of(report.answer)
