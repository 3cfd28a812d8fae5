"""Runs one command line and turns whatever ends it into an exit status and at most one line."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from unstuck.cli.app import app
from unstuck.errors import UnstuckError

USAGE = 3
INTERNAL = 70
INTERRUPTED = 130


def run(args: Sequence[str], prog: str) -> int:
    """Exit status of this command line: 0, 1, 2 by the answer, 3 not askable, 70 internal, 130 interrupted."""
    try:
        status = app.main(list(args), prog_name=prog, complete_var="_UNSTUCK_COMPLETE", standalone_mode=False)
    except UnstuckError as e:
        return _say(str(e))
    except click.ClickException as e:
        return _usage(e, prog)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except Exception as e:  # whatever it is, an operator gets one line and not a traceback
        return _internal(e)
    return status if isinstance(status, int) else 0


def _say(message: str) -> int:
    from unstuck.render.visible import visible  # noqa: PLC0415

    click.echo(f"error: {visible(message)}", err=True)
    return USAGE


def _usage(error: click.ClickException, prog: str) -> int:
    ctx = getattr(error, "ctx", None)
    where = ctx.command_path if ctx else prog
    return _say(f"{error.format_message().rstrip('.')}; see {where} --help")


def _internal(error: Exception) -> int:
    from unstuck.cli.report import write_report  # noqa: PLC0415
    from unstuck.render.visible import visible  # noqa: PLC0415

    said = visible(f"{type(error).__name__}: {error}")[:200]
    click.echo(f"internal error: {said}; a report was written to {write_report(error, os.environ.get('TMPDIR'))}", err=True)
    return INTERNAL
