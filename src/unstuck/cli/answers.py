"""From Snapshots to what is printed: reports, the renderer for each format, and the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Literal

from unstuck import __version__
from unstuck.cli import terminal
from unstuck.cli.lang import Lang
from unstuck.cli.status import status_of
from unstuck.diagnosis.answer import Diagnosis, Report
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

Output = Literal["text", "json", "yaml"]
View = Literal["why", "scan"]


@record()
class Shape(Record):
    """How an answer is printed; it never changes what is answered."""

    output: Output
    lang: Lang
    explain: bool = False


def report_of(snap: Snapshot, diagnoses: Sequence[Diagnosis]) -> Report:
    """The answer about these subjects at the Snapshot's time."""
    from unstuck.engine.incidents import incidents  # noqa: PLC0415 - `unstuck node -o json` needs no engine

    return Report(snap.now, snap.sources, tuple(diagnoses), incidents(diagnoses), __version__)


def printed(report: Report, shape: Shape, view: View = "why") -> str:
    """The report in the format that was asked for. Only the renderer that is needed is loaded."""
    if shape.output == "json":
        from unstuck.render.json import json_text  # noqa: PLC0415

        return json_text(report)
    if shape.output == "yaml":
        from unstuck.render.yaml import yaml_text  # noqa: PLC0415

        return yaml_text(report)
    width, colour = terminal.width(), terminal.colour()
    if shape.explain:
        from unstuck.render.explain import explain  # noqa: PLC0415

        return explain(report, shape.lang, width, colour)
    if view == "scan":
        from unstuck.render.scan import scan  # noqa: PLC0415

        return scan(report, shape.lang, width, colour)
    from unstuck.render.text import text  # noqa: PLC0415

    return text(report, shape.lang, width, colour)


def answer(report: Report, shape: Shape, view: View = "why") -> int:
    """Prints the report and returns its exit status, whether or not anybody read to the end."""
    emit(printed(report, shape, view))
    return status_of(report)


def emit(text: str) -> None:
    """To standard output; a reader that has gone is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
