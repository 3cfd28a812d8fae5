"""Parts of an answer that a format cannot show, and that must not pass for healthy."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.api.report import Report
from unstuck.facts.text import Messages, Text
from unstuck.render.names import count_nameless

say = Messages(__name__)


def describe_omitted_names(report: Report) -> Iterator[Text]:
    """Describe the objects left out of `Report.to_names`."""
    yield from report.left_out
    if report.held:
        yield say("{n} are held on purpose: -o text", n=len(report.held))
    if n := count_nameless(report.answer):
        yield say("{n} more are stuck that no command can name: -o text", n=n)


def explain_missing_proof() -> Text:
    """Explain an empty result of `Report.to_proof`."""
    return say("no cause is known, so that there is nothing to prove: -o text")
