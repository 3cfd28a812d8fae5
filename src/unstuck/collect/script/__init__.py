"""The collector for hosts without Python: a POSIX shell script, and the reader of the stream that it
prints.
"""

from __future__ import annotations

from unstuck.collect.script.recorded import limit_to_seen, open_root
from unstuck.collect.script.stream import NoStreamError, Recording, parse

__all__ = ["NoStreamError", "Recording", "limit_to_seen", "open_root", "parse", "script_text"]


def script_text() -> str:
    """Return the script's text. It works from a zip too."""
    from importlib.resources import files

    return files(__package__).joinpath("collect.sh").read_text(encoding="utf-8")
