"""From Snapshots to what is printed: reports, the renderer for each format, and the exit status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from unstuck import __version__
from unstuck.cli import terminal
from unstuck.cli.lang import Lang
from unstuck.cli.status import status_of
from unstuck.diagnosis.answer import Diagnosis, Report
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

Output = Literal["text", "json", "yaml", "markdown", "html"]
View = Literal["why", "scan"]


@record()
class Shape(Record):
    """How an answer is printed; it never changes what is answered. members: of a scan, all of each incident."""

    output: Output
    lang: Lang
    explain: bool = False
    members: bool = False


def report_of(snap: Snapshot, diagnoses: Sequence[Diagnosis], view: View = "why") -> Report:
    """The answer about these subjects at the Snapshot's time; of a scan also what it could not see, or did not ask for."""
    from unstuck.engine.incidents import incidents  # noqa: PLC0415 - `unstuck node -o json` needs no engine

    report = Report(snap.now, snap.sources, tuple(diagnoses), incidents(diagnoses, snap), __version__)
    if view == "why":
        return report
    from unstuck.engine.left_out import left_out, not_seen  # noqa: PLC0415

    return replace(report, not_seen=not_seen(snap), left_out=left_out(snap))


def printed(report: Report, shape: Shape, view: View = "why") -> str:
    """The report in the format that was asked for. Only the renderer that is needed is loaded."""
    if shape.output == "json":
        from unstuck.render.json import json_text  # noqa: PLC0415

        return json_text(report, members=shape.members)
    if shape.output == "yaml":
        from unstuck.render.yaml import yaml_text  # noqa: PLC0415

        return yaml_text(report, members=shape.members)
    if shape.output == "markdown":
        from unstuck.render.markdown import markdown  # noqa: PLC0415

        return markdown(report, shape.lang, members=shape.members)
    if shape.output == "html":
        from unstuck.render.html import html  # noqa: PLC0415

        return html(report, shape.lang, members=shape.members)
    width, colour = terminal.width(), terminal.colour()
    if shape.explain:
        from unstuck.render.explain import explain  # noqa: PLC0415

        return explain(report, shape.lang, width, colour)
    if view == "scan":
        from unstuck.render.scan import scan  # noqa: PLC0415

        return scan(report, shape.lang, width, colour, members=shape.members)
    from unstuck.render.text import text  # noqa: PLC0415

    return text(report, shape.lang, width, colour)


def answer(report: Report, shape: Shape, view: View = "why") -> int:
    """Prints the report and returns its exit status, whether or not anybody read to the end."""
    terminal.emit(printed(report, shape, view))
    return status_of(report)
