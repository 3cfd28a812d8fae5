"""From a report to what is printed, and the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from unstuck.cli import terminal
from unstuck.cli.lang import Lang
from unstuck.cli.status import status_of
from unstuck.facts.record import Record, record

if TYPE_CHECKING:
    from unstuck.api.report import Report

Output = Literal["text", "json", "yaml", "markdown", "html"]


@record()
class Shape(Record):
    """How an answer is printed; it never changes what is answered. members: of a scan, all of each incident."""

    output: Output
    lang: Lang
    explain: bool = False
    members: bool = False


def printed(report: Report, shape: Shape) -> str:
    """The report in the format that was asked for. Only the renderer that is needed is loaded."""
    if shape.output in ("json", "yaml"):
        return dumped(report.to_document(members=shape.members), shape.output)
    if shape.output == "markdown":
        return report.to_markdown(shape.lang, members=shape.members)
    if shape.output == "html":
        return report.to_html(shape.lang, members=shape.members)
    return report.to_text(shape.lang, terminal.width(), colour=terminal.colour(), explain=shape.explain, members=shape.members)


def dumped(document: object, output: Output) -> str:
    """A document of plain values as YAML, else as JSON."""
    if output == "yaml":
        from unstuck.render.yaml import dumped as as_yaml

        return as_yaml(document)
    from unstuck.render.json import dumped as as_json

    return as_json(document)


def answer(report: Report, shape: Shape) -> int:
    """Prints the report and returns its exit status, whether or not anybody read to the end."""
    terminal.emit(printed(report, shape))
    return status_of(report.answer)
