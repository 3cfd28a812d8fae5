"""`verify`: judges a proof again."""

from __future__ import annotations

from unstuck.api.proving import verify as judged
from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, dump_document
from unstuck.render.verification import make_verified, write_verified

HOLDS, ENDED = 0, 1


def verify(path: str, shape: OutputOptions) -> int:
    """Print the verdict and return 0 if the claim follows, else 1. Errors: InputError."""
    found = judged(path)
    if shape.output == "text":
        terminal.emit(write_verified(found, shape.lang, terminal.width(), terminal.colour()))
    else:
        terminal.emit(dump_document(make_verified(found), shape.output))
    return HOLDS if found.holds else ENDED
