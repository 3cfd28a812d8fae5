"""Prints a report in the requested format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import click

from unstuck.cli import pager, terminal
from unstuck.cli.lang import Lang
from unstuck.cli.links import add_links
from unstuck.cli.status import status_of
from unstuck.facts.record import Record, record
from unstuck.facts.text import Text
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.report import Detail, Report
    from unstuck.api.settings import Settings
    from unstuck.render.scan import Opened

Output = Literal["text", "wide", "json", "yaml", "markdown", "html", "name", "junit", "github", "proof"]


@record()
class OutputOptions(Record):
    """The options of an answer's output, without influence on the answer itself.

    members: list every member of a scan's incidents. everything: print the parts otherwise only counted.
    opened: as in `Manner`. paged: use a pager for output longer than the screen.
    """

    output: Output
    lang: Lang
    explain: bool = False
    members: bool = False
    everything: bool = False
    opened: Opened = "by-name"
    paged: bool = True

    @property
    def is_for_people(self) -> bool:
        """Whether the output is laid out for a terminal."""
        return self.output in ("text", "wide")


def hide_known(report: Report, settings: Settings | None) -> Report:
    """Remove the settings' known troubles from the report."""
    if settings is None:
        return report
    from unstuck.api.known_troubles import leave_out_known

    return leave_out_known(report, settings)


def format_report(report: Report, shape: OutputOptions) -> str:
    """Format the report, importing only the requested format's renderer."""
    if shape.output in ("json", "yaml"):
        return dump_document(report.to_document(members=shape.members), shape.output)
    if shape.output == "markdown":
        return report.to_markdown(shape.lang, members=shape.members)
    if shape.output == "html":
        return report.to_html(shape.lang, members=shape.members)
    if shape.output in ("name", "junit", "github", "proof"):
        return _format_for_pipeline(report, shape)
    if report.view == "scan" and not shape.explain:
        from unstuck.render.scan import Manner, scan

        manner = Manner(shape.members, ids=shape.output == "wide", opened=shape.opened)
        return scan(report.answer, shape.lang, terminal.width(), terminal.colour(), manner)
    detail: Detail = "all" if shape.everything else "wide" if shape.output == "wide" else "short"
    return report.to_text(
        shape.lang,
        terminal.width(),
        colour=terminal.colour(),
        explain=shape.explain,
        members=shape.members,
        detail=detail,
    )


def _format_for_pipeline(report: Report, shape: OutputOptions) -> str:
    if shape.output in ("name", "proof"):
        return report.to_names() if shape.output == "name" else report.to_proof()
    return report.to_junit(shape.lang) if shape.output == "junit" else report.to_github(shape.lang)


def dump_document(document: object, output: Output) -> str:
    """Return a document of plain values as YAML, else as JSON."""
    if output == "yaml":
        from unstuck.render.yaml import dump as as_yaml

        return as_yaml(document)
    from unstuck.render.json import dump as as_json

    return as_json(document)


def answer(report: Report, shape: OutputOptions) -> int:
    """Print the report and return its exit status, even if the reader left early."""
    body = format_report(report, shape)
    if shape.is_for_people and terminal.colour():
        body = add_links(body, shape.lang)
    pager.show(body) if shape.paged and shape.is_for_people else terminal.emit(body)
    tell(_omissions(body, report, shape), shape.lang)
    return status_of(report.answer)


def tell(notes: Iterable[Text], lang: Lang) -> None:
    """Print notes beside the answer to standard error."""
    for note in notes:
        click.echo(visible(in_lang(note, lang)), err=True)


def _omissions(body: str, report: Report, shape: OutputOptions) -> Iterable[Text]:
    if shape.output == "proof" and not body:
        from unstuck.api.omissions import explain_missing_proof

        return (explain_missing_proof(),)
    if shape.output == "name":
        from unstuck.api.omissions import describe_omitted_names

        return describe_omitted_names(report)
    return ()
