"""`scan`: the incidents of a Namespace or of the cluster, once or repeatedly."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, answer, format_report, hide_known
from unstuck.cli.cleanup import cleanup_on_signal
from unstuck.cli.progress import progress
from unstuck.cli.status import FailOn, status_for, status_of_scan
from unstuck.facts.record import Record, record, replace
from unstuck.facts.text import Messages, Text
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.cluster import Cluster
    from unstuck.api.report import Report
    from unstuck.api.scanning import Scan
    from unstuck.api.settings import Settings

say = Messages(__name__)

ALL = say("all")
UNFINISHED = say("interrupted: this is what was known so far")


@record()
class ScanRequest(Record):
    """The question as typed.

    fail_on: the condition for exit status 1. every: seconds between two scans, None for a single scan.
    settings: the known troubles. list_held: list the objects stopped on purpose.
    """

    shape: OutputOptions
    after: float | None = None
    save: str | None = None
    fail_on: FailOn | None = None
    every: float | None = None
    settings: Settings | None = None
    list_held: bool = False


def scan(cluster: Cluster, first: Scan, request: ScanRequest) -> int:
    """Print the incidents and return the exit status; with `every` repeatedly, until interrupted. first: the
    first scan, already begun.
    """
    if request.every is None:
        return _print_scan(cluster, first, request)
    if request.shape.is_for_people and not request.shape.explain and terminal.can_draw_screen():
        return _watch_on_screen(cluster, first, request)
    from unstuck.cli.scan_watch import watch_on_pipe

    rounds = _rounds(cluster, first, request)
    return watch_on_pipe(
        lambda: _print_scan(cluster, next(rounds), request), request.every, request.shape.lang
    )


def _rounds(cluster: Cluster, first: Scan, request: ScanRequest) -> Iterator[Scan]:
    yield first
    while True:
        yield cluster.begin_scan(first.within, everywhere=first.within is None, after=request.after)


def _watch_on_screen(cluster: Cluster, first: Scan, request: ScanRequest) -> int:
    from unstuck.api.last_scan import keep
    from unstuck.cli.scan_watch import Watch
    from unstuck.render.watching import View

    rounds, shape = _rounds(cluster, first, request), request.shape

    def look(on_progress: Callable[[int, int], None]) -> Report:
        report = next(rounds).report(on_progress)
        if request.save:
            report.save(request.save)
        return _visible_report(report, request)

    def why(report: Report, number: int, width: int) -> list[str]:
        one = next(i for i in report.incidents if i.id == number)
        # As in a scan, no node is asked.
        answer_of_one = cluster.why(
            report.diagnoses[one.representative].subject, nodes=None, after=request.after
        )
        return answer_of_one.to_text(shape.lang, width).splitlines()

    view = View(
        shape.lang, first.source, request.every or 0.0, members=shape.members, ids=shape.output == "wide"
    )
    last = Watch(view, look, why, lambda report: keep(report, cluster, os.environ)).run()
    return 0 if last is None else _status(last, request)


def _print_scan(cluster: Cluster, running: Scan, request: ScanRequest) -> int:
    lang = request.shape.lang
    with (
        cleanup_on_signal(lambda: _print_unfinished(running, request)),
        progress(f"{running.source}: {running.within or in_lang(ALL, lang)}") as spinner,
    ):
        report = running.report(lambda pods, ill: spinner.say(in_lang(counts(pods, ill), lang)))
    if request.save:
        report.save(request.save)
    report = _visible_report(report, request)
    answer(report, _keep_numbers(report, cluster, request.shape))
    return _status(report, request)


def _visible_report(report: Report, request: ScanRequest) -> Report:
    """Return the printed report: with the list of held objects if requested, without known troubles."""
    return hide_known(report.with_held() if request.list_held else report, request.settings)


def _status(report: Report, request: ScanRequest) -> int:
    return (
        status_of_scan(report.answer)
        if request.fail_on is None
        else status_for(report.answer, request.fail_on)
    )


def _keep_numbers(report: Report, cluster: Cluster, shape: OutputOptions) -> OutputOptions:
    """Save the incidents' numbers for `why @N` if they are shown, and offer them only after successful
    saving.
    """
    if not shape.is_for_people or shape.explain:
        return shape
    from unstuck.api.last_scan import keep

    return replace(shape, opened="by-number") if keep(report, cluster, os.environ) else shape


def counts(pods: int, ill: int) -> Text:
    """Describe the progress of the lists."""
    return say("{pods} Pods, {ill} look ill", pods=pods, ill=ill)


def _print_unfinished(running: Scan, request: ScanRequest) -> None:
    """Print the partial results of an interrupted scan, marked as incomplete."""
    report = running.so_far()
    if report is None:
        return
    terminal.emit(format_report(_visible_report(report, request), request.shape))
    sys.stderr.write("\r" + in_lang(UNFINISHED, request.shape.lang) + "\n")
    sys.stderr.flush()
