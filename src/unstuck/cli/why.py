"""`why`: the answer about one or several objects, once or until a result is known."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from unstuck.api.asking import choose_question
from unstuck.api.last_scan import find_object_behind
from unstuck.api.subject import QuestionTarget, find_target
from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, answer, hide_known
from unstuck.cli.connection import ClusterOptions, EvidenceOptions, connect_to, with_consent
from unstuck.cli.misuse import Misuse
from unstuck.cli.progress import progress
from unstuck.cli.status import NOT_ASKED, OPEN
from unstuck.errors import UsageError
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.cluster import Cluster
    from unstuck.api.report import Report
    from unstuck.api.settings import Settings
    from unstuck.diagnosis.answer import Diagnosis

say = Messages(__name__)

_NUMBER = re.compile(r"@([1-9]\d{0,5})")


@record()
class Selection(Record):
    """The selected objects, as typed. labels: -l. fields: --field-selector. everywhere: -A."""

    words: tuple[str, ...] = ()
    labels: str = ""
    fields: str = ""
    everywhere: bool = False

    def target(self, namespace: str | None) -> QuestionTarget:
        """Parse the words. Errors: Misuse for mutually exclusive options, UsageError for words that name no
        object.
        """
        if self.everywhere and any("/" in word for word in self.words):
            raise Misuse(say("-A goes with a kind or with nothing, not with a name"))
        selected = bool(self.labels or self.fields or (self.everywhere and self.words))
        target = find_target(self.words, namespace, selected=selected)
        return replace(target, labels=self.labels, fields=self.fields, everywhere=self.everywhere)

    def number(self) -> int | None:
        """Parse a single `@3` as 3, None for words that name an object. Errors: UsageError for a number
        beside other words, or an @ without a number.
        """
        if not any(word.startswith("@") for word in self.words):
            return None
        typed = _NUMBER.fullmatch(self.words[0])
        if typed is None or len(self.words) > 1:
            words = " ".join(self.words)
            raise UsageError(
                say("{words!r} is not one number of the last scan", words=words),
                say("write it alone: unstuck why @3"),
            )
        return int(typed[1])


@record()
class WhyRequest(Record):
    """The question as typed. after: seconds. timeout: seconds to wait, None for asking once."""

    selection: Selection
    place: ClusterOptions
    sight: EvidenceOptions
    shape: OutputOptions
    after: float | None = None
    save: str | None = None
    timeout: float | None = None
    settings: Settings | None = None
    watch: bool = False


def why(request: WhyRequest) -> int:
    """Print the answer, save its Snapshot if wanted, and return its exit status.

    Errors: `UnstuckError` if the question cannot be asked.
    """
    if request.watch and not request.shape.is_for_people:
        raise Misuse(say("-w is for a terminal: it goes with text or wide"))
    if request.watch and request.timeout is not None:
        raise Misuse(say("--watch and --wait exclude each other"))
    number = request.selection.number()
    if number is not None:
        return _answer_by_number(number, request)
    _refuse_several(request, request.selection.target(None))
    if request.selection.everywhere and request.place.namespace:
        raise Misuse(say("-A and -n exclude each other"))
    cluster = connect_to(request.place, request.sight)
    meant = request.selection.target(cluster.namespace)
    return _print_and_watch(_report(cluster, meant, request), cluster, meant, request)


def _print_and_watch(report: Report, cluster: Cluster, meant: QuestionTarget, request: WhyRequest) -> int:
    """Print the answer, and with `watch` each change of it."""
    is_read = terminal.reader_check()
    status = _print_answer(report, request)
    if not request.watch:
        return status
    from unstuck.cli.why_watch import watch

    # Repeated questions neither ask for consent again nor create a Pod every few seconds.
    nodes = request.sight.nodes
    quiet = replace(
        request, sight=replace(request.sight, nodes=replace(nodes, probe=False) if nodes else None)
    )
    settings = request.settings
    return watch(
        hide_known(report, settings),
        lambda: hide_known(_report(cluster, meant, quiet, ask=False), settings),
        request.shape,
        is_read,
    )


def _answer_by_number(number: int, request: WhyRequest) -> int:
    """Answer about the row with this number in the last scan. Errors: as in `find_object_behind`; Misuse for
    selecting options.
    """
    which = request.selection
    if which.labels or which.fields or which.everywhere or request.place.namespace:
        raise Misuse(say("@{number} is one object: leave out -n, -A and selectors", number=number))
    cluster = connect_to(request.place, request.sight)
    meant = QuestionTarget(refs=(find_object_behind(number, cluster, os.environ),))
    return _print_and_watch(_report(cluster, meant, request), cluster, meant, request)


def _print_answer(report: Report, request: WhyRequest) -> int:
    if request.save:
        report.save(request.save)
    for failed in report.failed:
        click.echo(visible(in_lang(failed, request.shape.lang)), err=True)
    status = answer(hide_known(report, request.settings), request.shape)
    if request.timeout is not None and any(d.state.name == "held" for d in report.diagnoses):
        # A held object does not become fine on its own: a person has to release it.
        return OPEN
    return NOT_ASKED if report.failed else status


def _refuse_several(request: WhyRequest, meant: QuestionTarget) -> None:
    """Refuse options that are valid for one object only. Errors: Misuse."""
    if len(meant.refs) < 2 and not meant.kinds:
        return
    for given, option in ((request.save, "--save"), (request.timeout, "--wait")):
        if given is not None:
            raise Misuse(say("{option} takes one object", option=option))


def _report(cluster: Cluster, target: QuestionTarget, request: WhyRequest, *, ask: bool = True) -> Report:
    """Ask the cluster. ask: whether to ask for consent on the terminal."""
    source, sight = cluster.source, request.sight
    label = (
        ", ".join(map(str, target.refs[:3] or target.kinds))
        or target.name
        or ("" if target.everywhere else cluster.namespace)
    )
    with progress(f"{source}: {label}") as spinner:

        def pause(diagnosis: Diagnosis, seconds: float) -> None:
            with spinner.relabel(f"{source}: {in_lang(diagnosis.state.headline, request.shape.lang)}"):
                time.sleep(seconds)

        # The user may be asked only if the answer goes to a terminal as text.
        ask = ask and request.shape.is_for_people and terminal.can_ask()
        nodes = with_consent(sight.nodes, request.shape.lang, spinner, ask=ask)
        return choose_question(cluster, target, nodes, sight.facts, request.after, request.timeout, pause)()
