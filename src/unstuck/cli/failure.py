"""Turns an error into an exit status and one line in the language of the command line."""

from __future__ import annotations

import os
import sys

import click

from unstuck.cli.lang import Lang
from unstuck.cli.misuse import misuse_text
from unstuck.cli.status import INTERNAL, NOT_ASKED
from unstuck.errors import UnstuckError
from unstuck.facts.text import Messages, Text
from unstuck.render.visible import visible

say = Messages(__name__)


def failure(error: Exception, prog: str, lang: Lang) -> int:
    """Print the line and return the exit status: 3 for a failed question, 70 for an internal error."""
    if isinstance(error, UnstuckError):
        return _say(error.said, lang)
    if isinstance(error, click.ClickException):
        return _usage(error, prog, lang)
    return _internal(error, lang)


def _say(said: Text, lang: Lang) -> int:
    line = say("error: {said}", said=said)
    click.echo(visible(line.zh if lang == "zh" else line.en), err=True)
    return NOT_ASKED


def _usage(error: click.ClickException, prog: str, lang: Lang) -> int:
    ctx = getattr(error, "ctx", None)
    where = ctx.command_path if ctx else prog
    return _say(misuse_text(error) + say("; see {where} --help", where=where), lang)


def _internal(error: Exception, lang: Lang) -> int:
    from unstuck.api.crash_report import write_crash_report
    from unstuck.collect.masking import mask

    said = visible(mask(f"{type(error).__name__}: {error}"))[:200]
    where = write_crash_report(error, sys.argv[1:], os.environ.get("TMPDIR"))
    told = say("internal error: {said}; a report was written to {where}", said=said, where=where)
    click.echo(told.zh if lang == "zh" else told.en, err=True)
    return INTERNAL
