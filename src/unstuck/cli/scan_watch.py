"""`scan --watch`: rounds on the terminal's alternate screen, or one after the other in a pipe."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unstuck.cli import terminal
from unstuck.cli.cleanup import cleanup_on_signal
from unstuck.cli.keys import KeyDecoder
from unstuck.cli.screen import Screen
from unstuck.errors import InputError, UnstuckError
from unstuck.render.cells import Line, Span
from unstuck.render.key_actions import act_on_key
from unstuck.render.visible import visible
from unstuck.render.watching import View, count_scrollable, lay_out_frame, lay_over, make_next_round
from unstuck.render.words import in_lang, word

if TYPE_CHECKING:
    from unstuck.api.report import Report
    from unstuck.cli.lang import Lang

# Seconds between two updates of ages.
TICK = 1.0
Look = Callable[[Callable[[int, int], None]], "Report"]


def explain_error(error: UnstuckError, lang: Lang) -> str:
    """Return a line with the time and reason of a round's failure."""
    return f"{datetime.now(UTC):%H:%M:%S}Z {visible(in_lang(error.said, lang))}"


def watch_on_pipe(look: Callable[[], int], every: float, lang: Lang) -> int:
    """Print the rounds until the output has no reader. The first must succeed; a later failure is
    reported.
    """
    is_read = terminal.reader_check()
    status = look()
    while is_read():
        time.sleep(every)
        try:
            status = look()
        except UnstuckError as error:
            sys.stderr.write(
                terminal.escape_text(word("round_failed", lang, why=explain_error(error, lang))) + "\n"
            )
            sys.stderr.flush()
    return status


class Watch:
    """Runs scans in a separate thread, one at a time, and handles keys meanwhile.

    look: runs one scan. why: answers about the incident of a number, as lines. keeper: receives each
    displayed report.
    """

    def __init__(
        self,
        view: View,
        look: Look,
        why: Callable[[Report, int, int], list[str]],
        keeper: Callable[[Report], object],
    ) -> None:
        self._view, self._look, self._why, self._keep = view, look, why, keeper
        self._done: queue.SimpleQueue[tuple[Report | None, BaseException | None, float]] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
        self._report: Report | None = None
        self._pending: tuple[Report, float] | None = None
        self._busy, self._next = False, 0.0

    def run(self) -> Report | None:
        """Continue until `q` or the loss of the terminal, and return the last report. Errors: those of the
        first scan.
        """
        keys = KeyDecoder()
        screen = Screen()
        with cleanup_on_signal(screen.leave), screen:
            while True:
                self._take_turn(screen)
                width, height = screen.size
                top = count_scrollable(self._view, datetime.now(UTC), width, height)
                self._view = replace(self._view, top=min(self._view.top, top))
                try:
                    screen.draw(lay_out_frame(self._view, datetime.now(UTC), width, height))
                    data = screen.keys(TICK)
                except (EOFError, OSError, InputError):
                    return self._report
                for key in keys.read(data):
                    done = act_on_key(self._view, key, max(1, height - 2))
                    self._view = done.view
                    if done.effect == "quit":
                        return self._report
                    if done.effect == "open":
                        self._open(done.number, screen)

    def _take_turn(self, screen: Screen) -> None:
        """Process finished results, and start the next scan when due."""
        while not self._done.empty():
            self._take_result(*self._done.get())
        while not self._answers.empty():
            lines: tuple[Line, ...] = tuple((Span(text),) for text in self._answers.get())
            self._view = lay_over(self._view, lines)
        # A partly typed number refers to the rows on the screen.
        if self._pending is not None and not self._view.input and self._view.overlay is None:
            report, seconds = self._pending
            self._pending, self._report = None, report
            self._view = replace(
                self._view, round=make_next_round(self._view.round, report.answer, seconds, self._view.lang)
            )
            threading.Thread(target=self._keep, args=(report,), daemon=True).start()
        if not self._busy and time.monotonic() >= self._next:
            self._busy = True
            threading.Thread(target=self._scan, args=(screen,), daemon=True).start()

    def _take_result(self, report: Report | None, error: BaseException | None, seconds: float) -> None:
        self._busy, self._next = False, time.monotonic() + self._view.every
        if report is not None:
            self._pending = (report, seconds)
            self._view = replace(self._view, error="", progress="")
        elif isinstance(error, UnstuckError) and self._view.round is not None:
            self._view = replace(self._view, error=explain_error(error, self._view.lang))
        elif error is not None:
            raise error

    def _scan(self, screen: Screen) -> None:
        began = time.monotonic()

        def on_progress(pods: int, ill: int) -> None:
            if self._view.round is None:
                self._view = replace(
                    self._view, progress=word("counted", self._view.lang, pods=pods, ill=ill)
                )

        try:
            report = self._look(on_progress)
        except BaseException as error:
            self._done.put((None, error, 0.0))
        else:
            self._done.put((report, None, time.monotonic() - began))
        screen.wake()

    def _open(self, number: int, screen: Screen) -> None:
        report, width = self._report, screen.size[0]
        if report is None:
            return
        self._view = lay_over(self._view, ((Span(word("looking", self._view.lang), "dim"),),))

        def ask() -> None:
            try:
                lines = self._why(report, number, width)
            except UnstuckError as error:
                lines = [visible(in_lang(error.said, self._view.lang))]
            except Exception as error:
                lines = [visible(f"{type(error).__name__}: {error}")]
            self._answers.put(lines)
            screen.wake()

        threading.Thread(target=ask, daemon=True).start()
