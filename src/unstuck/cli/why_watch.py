"""`why -w`: prints changes until all is fine or the output's reader is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from unstuck.api.following import Update, follow
from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, format_report
from unstuck.cli.failure import failure
from unstuck.cli.status import FINE, status_of
from unstuck.errors import NotFound
from unstuck.facts.text import Messages
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.report import Report

say = Messages(__name__)

_GONE = say("gone")


def watch(
    first: Report, again: Callable[[], Report], shape: OutputOptions, is_read: Callable[[], bool]
) -> int:
    """Print the changes after the first answer, and return the status of the last one. again: repeats the
    question. is_read: tells whether the output still has a reader; without a reader watching ends. Errors: as
    in `follow`.
    """
    status = status_of(first.answer)
    if is_read():
        for update in follow(first, again):
            status = _print_update(update, status, shape)
            if not is_read():
                break
    return status


def _print_update(update: Update, status: int, shape: OutputOptions) -> int:
    """Print one update and return the new exit status. status: the previous one."""
    if isinstance(update.error, NotFound):
        terminal.emit(f"{in_lang(_GONE, shape.lang)}\n")
        return FINE
    if update.report is None:
        if update.error is not None:
            failure(update.error, "unstuck", shape.lang)
        return status
    terminal.emit(
        "".join(
            f"{update.report.at:%H:%M:%S}Z  {visible(in_lang(text, shape.lang))}\n" for text in update.changes
        )
    )
    if update.new_causes:
        # These lines do not include the remedy.
        terminal.emit(f"\n{format_report(update.report, shape)}\n")
    return status_of(update.report.answer)
