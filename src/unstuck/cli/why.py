"""`why`: the answer about one object or several, once or until something is known."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from unstuck.api.last_scan import object_behind
from unstuck.api.subject import QuestionTarget, target_of
from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, answer, without
from unstuck.cli.connecting import ClusterOptions, EvidenceOptions, connected, consenting
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
    from unstuck.api.nodes import Nodes
    from unstuck.api.report import Report
    from unstuck.api.settings import Settings
    from unstuck.diagnosis.answer import Diagnosis

say = Messages(__name__)

_NUMBER = re.compile(r"@([1-9]\d{0,5})")


@record()
class Selection(Record):
    """Which objects, as typed. labels: -l. fields: --field-selector. everywhere: -A."""

    words: tuple[str, ...] = ()
    labels: str = ""
    fields: str = ""
    everywhere: bool = False

    def meant(self, namespace: str | None) -> QuestionTarget:
        """Return what is meant. Errors: Misuse for options that exclude each other, UsageError for words that name no object."""
        if self.everywhere and any("/" in word for word in self.words):
            raise Misuse(say("-A goes with a kind or with nothing, not with a name"))
        selected = bool(self.labels or self.fields or (self.everywhere and self.words))
        return target_of(self.words, namespace, selected=selected)

    def number(self) -> int | None:
        """Parse `@3` alone as 3, None for words that name an object. Errors: UsageError for one beside others, or an @ without one."""
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
    """The question as it was typed. after: seconds. timeout: seconds to wait, None for asking once."""

    which: Selection
    place: ClusterOptions
    sight: EvidenceOptions
    shape: OutputOptions
    after: float | None = None
    save: str | None = None
    timeout: float | None = None
    settings: Settings | None = None
    watch: bool = False


def why(asked: WhyRequest) -> int:
    """Print the answer, saves its Snapshot where that was wanted, and returns its exit status.

    Errors: `UnstuckError` where the question cannot be asked.
    """
    if asked.watch and not asked.shape.read_by_people:
        raise Misuse(say("-w is for a terminal: it goes with text or wide"))
    if asked.watch and asked.timeout is not None:
        raise Misuse(say("--watch and --wait exclude each other"))
    number = asked.which.number()
    if number is not None:
        return _opened(number, asked)
    _refuse_several(asked, asked.which.meant(None))
    if asked.which.everywhere and asked.place.namespace:
        raise Misuse(say("-A and -n exclude each other"))
    cluster = connected(asked.place, asked.sight)
    meant = asked.which.meant(cluster.namespace)
    return _told(_report(cluster, meant, asked), cluster, meant, asked)


def _told(report: Report, cluster: Cluster, meant: QuestionTarget, asked: WhyRequest) -> int:
    """Print the answer, with `watch` also what becomes of it."""
    read = terminal.still_read()
    status = _answered(report, asked)
    if not asked.watch:
        return status
    from unstuck.cli.watching import watch

    # Nobody is asked again, and no Pod is made every few seconds.
    nodes = asked.sight.nodes
    quiet = replace(asked, sight=replace(asked.sight, nodes=replace(nodes, probe=False) if nodes else None))
    settings = asked.settings
    return watch(without(report, settings), lambda: without(_report(cluster, meant, quiet, ask=False), settings), asked.shape, read)


def _opened(number: int, asked: WhyRequest) -> int:
    """Answer about the row with this number in the last scan. Errors: those of `object_behind`; Misuse for options that choose objects."""
    which = asked.which
    if which.labels or which.fields or which.everywhere or asked.place.namespace:
        raise Misuse(say("@{number} is one object: leave out -n, -A and selectors", number=number))
    cluster = connected(asked.place, asked.sight)
    meant = QuestionTarget(refs=(object_behind(number, cluster, os.environ),))
    return _told(_report(cluster, meant, asked), cluster, meant, asked)


def _answered(report: Report, asked: WhyRequest) -> int:
    if asked.save:
        report.save(asked.save)
    for failed in report.failed:
        click.echo(visible(in_lang(failed, asked.shape.lang)), err=True)
    status = answer(without(report, asked.settings), asked.shape)
    if asked.timeout is not None and any(d.state.name == "held" for d in report.diagnoses):
        # It will not become fine by itself: who held it has to let it go.
        return OPEN
    return NOT_ASKED if report.failed else status


def _refuse_several(asked: WhyRequest, meant: QuestionTarget) -> None:
    """Refuse options that go with one object alone. Errors: Misuse."""
    if len(meant.refs) < 2 and not meant.kinds:
        return
    for given, option in ((asked.save, "--save"), (asked.timeout, "--wait")):
        if given is not None:
            raise Misuse(say("{option} takes one object", option=option))


def _report(cluster: Cluster, meant: QuestionTarget, asked: WhyRequest, *, ask: bool = True) -> Report:
    """Ask the cluster. ask: whether somebody at the terminal may be asked."""
    source, which = cluster.source, asked.which
    label = ", ".join(map(str, meant.refs[:3] or meant.kinds)) or meant.name or ("" if which.everywhere else cluster.namespace)
    with progress(f"{source}: {label}") as spinner:
        # Only for an answer in text a question may be put to whoever sits at the terminal.
        ask = ask and asked.shape.read_by_people and terminal.answering()
        nodes = consenting(asked.sight.nodes, asked.shape.lang, spinner, ask=ask)
        if meant.kinds or len(meant.refs) > 1:
            return _several(cluster, meant, asked, nodes)
        subject = meant.refs[0] if meant.refs else cluster.find(meant.name) if meant.name else None
        facts, after = asked.sight.facts, asked.after
        if subject is None or asked.timeout is None:
            return cluster.why(subject, everywhere=which.everywhere, nodes=nodes, facts=facts, after=after)

        def pause(diagnosis: Diagnosis, seconds: float) -> None:
            with spinner.labelled(f"{source}: {in_lang(diagnosis.state.headline, asked.shape.lang)}"):
                time.sleep(seconds)

        return cluster.wait(subject, timeout=asked.timeout, nodes=nodes, facts=facts, after=after, pause=pause)


def _several(cluster: Cluster, meant: QuestionTarget, asked: WhyRequest, nodes: Nodes | None) -> Report:
    facts, after, which = asked.sight.facts, asked.after, asked.which
    if meant.refs:
        return cluster.why_all(meant.refs, nodes=nodes, facts=facts, after=after)
    return cluster.why_selected(
        meant.kinds, labels=which.labels, fields=which.fields, everywhere=which.everywhere, nodes=nodes, facts=facts, after=after
    )
