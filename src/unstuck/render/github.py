"""Workflow commands of GitHub Actions: one annotation for each trouble, with its whole answer.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions; the escaping of a value is
defined in actions/toolkit (packages/core/src/command.ts).
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.diagnosis.answer import Answer
from unstuck.diagnosis.text import told_apart
from unstuck.render.page import Page
from unstuck.render.scan_selection import name_hold
from unstuck.render.troubles import answer_text, list_members, list_troubles, list_unseen
from unstuck.render.visible import visible
from unstuck.render.words import Lang

WIDTH = 100


def write_github(report: Answer, lang: Lang) -> str:
    """Return `::error` for stuck objects, `::warning` for undecided and unseen objects, `::notice` for
    unasked questions.
    """
    return "".join(
        f"{line}\n" for line in _render_commands(report, Page(lang, WIDTH, report.at, printed=True))
    )


def _render_commands(report: Answer, page: Page) -> Iterator[str]:
    for trouble in list_troubles(report):
        d = trouble.diagnosis
        level = "error" if d.state.name == "stuck" else "warning"
        yield _command(level, page.text(d.state.headline), answer_text(d, page) + list_members(trouble, page))
    for text in list_unseen(report, page):
        yield _command("warning", page.word("unseen"), text)
    for ref in report.held:
        yield _command(
            "notice",
            page.word("held"),
            f"{visible(told_apart(ref))}{page.word('dash')}{name_hold(ref, page)}",
        )
    for left in report.left_out:
        yield _command("notice", page.word("left_out"), page.text(left))


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={_property(title)}::{_data(message.rstrip())}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
