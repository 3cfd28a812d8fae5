"""Runs one command line and turns any error into an exit status and at most one line."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from unstuck.cli.app import app
from unstuck.cli.lang import choose_readable, language_of
from unstuck.cli.status import INTERNAL, INTERRUPTED
from unstuck.facts.text import Messages

say = Messages(__name__)

_NO_MEMORY = say("error: not enough memory; read less of it at once")


def run(args: Sequence[str], prog: str) -> int:
    """Run the command line and return its exit status: 0, 1, 2 by the answer, 3 not askable, 70 internal, 130
    interrupted.
    """
    lang = choose_readable(language_of(args, os.environ))
    try:
        status = app.main(
            list(args), prog_name=prog, complete_var="_UNSTUCK_COMPLETE", standalone_mode=False, obj=lang
        )
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except MemoryError as e:
        e.__traceback__ = None  # frees the frames' values: the error message needs some memory
        click.echo(_NO_MEMORY.zh if lang == "zh" else _NO_MEMORY.en, err=True)
        return INTERNAL
    except Exception as e:  # an operator gets one line instead of a traceback, for any error
        from unstuck.cli.failure import failure

        return failure(e, prog, lang)
    return status if isinstance(status, int) else 0
