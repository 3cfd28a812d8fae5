"""`scan`: everything in a Namespace or in the cluster that is not fine, as incidents, once or again and again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, answer, printed, without
from unstuck.cli.cleanup import tidied
from unstuck.cli.progress import progress
from unstuck.cli.status import status_of
from unstuck.facts.record import Record, record
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
FailOn = Literal["stuck", "proven", "never"]


@record()
class ScanRequest(Record):
    """The question as it was typed.

    fail_on: what exit status 1 is kept for. every: seconds between two scans, None for one. settings: what is known. held: what
    somebody has stopped on purpose is listed.
    """

    shape: OutputOptions
    after: float | None = None
    save: str | None = None
    fail_on: FailOn | None = None
    every: float | None = None
    settings: Settings | None = None
    held: bool = False


def scan(cluster: Cluster, begun: Scan, asked: ScanRequest) -> int:
    """Print the incidents and return the exit status; with `every` again and again, until somebody ends it.

    begun: the first scan, which is under way.
    """
    if asked.every is None:
        return _once(cluster, begun, asked)
    if asked.shape.read_by_people and not asked.shape.explain and terminal.whole():
        return _on_screen(cluster, begun, asked)
    from unstuck.cli.watch import one_after_the_other

    rounds = _rounds(cluster, begun, asked)
    return one_after_the_other(lambda: _once(cluster, next(rounds), asked), asked.every, asked.shape.lang)


def _rounds(cluster: Cluster, begun: Scan, asked: ScanRequest) -> Iterator[Scan]:
    yield begun
    while True:
        yield cluster.begin_scan(begun.within, everywhere=begun.within is None, after=asked.after)


def _on_screen(cluster: Cluster, begun: Scan, asked: ScanRequest) -> int:
    from unstuck.api.last_scan import keep
    from unstuck.cli.watch import Watch
    from unstuck.render.watching import View

    rounds, shape = _rounds(cluster, begun, asked), asked.shape

    def look(counted: Callable[[int, int], None]) -> Report:
        report = next(rounds).report(counted)
        if asked.save:
            report.save(asked.save)
        return _shown(report, asked)

    def why(report: Report, number: int, width: int) -> list[str]:
        one = next(i for i in report.incidents if i.id == number)
        # As in a scan, no node is asked.
        told = cluster.why(report.diagnoses[one.representative].subject, nodes=None, after=asked.after)
        return told.to_text(shape.lang, width).splitlines()

    view = View(shape.lang, begun.source, asked.every or 0.0, members=shape.members, ids=shape.output == "wide")
    last = Watch(view, look, why, lambda report: keep(report, cluster, os.environ)).run()
    return 0 if last is None else _status(last, asked)


def _once(cluster: Cluster, begun: Scan, asked: ScanRequest) -> int:
    lang = asked.shape.lang
    with tidied(lambda: _unfinished(begun, asked)), progress(f"{begun.source}: {begun.within or in_lang(ALL, lang)}") as spinner:
        report = begun.report(lambda pods, ill: spinner.say(in_lang(counts(pods, ill), lang)))
    if asked.save:
        report.save(asked.save)
    report = _shown(report, asked)
    answer(report, _numbered(report, cluster, asked.shape))
    return _status(report, asked)


def _shown(report: Report, asked: ScanRequest) -> Report:
    """Return what is printed of it: with a list of what is held on purpose where that is asked for, without what is known."""
    return without(report.with_held() if asked.held else report, asked.settings)


def _status(report: Report, asked: ScanRequest) -> int:
    return status_of(report.answer) if asked.fail_on is None else failing(report, asked.fail_on)


def _numbered(report: Report, cluster: Cluster, shape: OutputOptions) -> OutputOptions:
    """Keep the numbers where they are shown, and offer them only if they could be kept."""
    if not shape.read_by_people or shape.explain:
        return shape
    from unstuck.api.last_scan import keep

    return replace(shape, opened="by-number") if keep(report, cluster, os.environ) else shape


def failing(report: Report, on: FailOn) -> int:
    """Return 1 where there is what a pipeline wants to fail on, else 0."""
    bad = [d for d in report.diagnoses if d.state.name == "stuck"]
    if on == "proven":
        bad = [d for d in bad if any(t.confidence == "proven" for t in d.causes)]
    return int(bool(bad) and on != "never")


def counts(pods: int, ill: int) -> Text:
    """Return how far the lists were read."""
    return say("{pods} Pods, {ill} look ill", pods=pods, ill=ill)


def _unfinished(begun: Scan, asked: ScanRequest) -> None:
    """Print what is known when somebody has had enough, and that it is not all."""
    report = begun.so_far()
    if report is None:
        return
    terminal.emit(printed(_shown(report, asked), asked.shape))
    sys.stderr.write("\r" + in_lang(UNFINISHED, asked.shape.lang) + "\n")
    sys.stderr.flush()
