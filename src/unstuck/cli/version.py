"""`version`: the versions of the program and the cluster."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import Any

from unstuck import __version__
from unstuck.cli import terminal
from unstuck.cli.answers import Output, dump_document
from unstuck.cli.connection import ClusterOptions, EvidenceOptions, connect_to
from unstuck.cli.lang import Lang
from unstuck.errors import UnstuckError
from unstuck.facts.text import Messages, Text
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

say = Messages(__name__)

# The versions are not worth a longer wait.
SECONDS = 3.0


def print_versions(place: ClusterOptions | None, output: Output, lang: Lang) -> int:
    """Print the versions. place: the cluster, None if it is not asked."""
    server, why = _server(place)
    if output != "text":
        document: dict[str, Any] = {"client": {"version": __version__, "python": platform.python_version()}}
        if place is not None:
            document["server"] = {"version": server} if server else None
        if why is not None:
            document["not_reached"] = {"en": why.en, "zh": why.zh}
        terminal.emit(dump_document(document, output))
        return 0
    rows = [f"unstuck {__version__} (Python {platform.python_version()})"]
    if server:
        rows.append(in_lang(say("server {server}", server=server), lang))
    if why is not None:
        rows.append(in_lang(say("no server reached: ") + why, lang))
    terminal.emit("".join(f"{visible(row)}\n" for row in rows))
    return 0


def _server(place: ClusterOptions | None) -> tuple[str, Text | None]:
    """Return the server's version, or the reason for its absence."""
    if place is None:
        return "", None
    from unstuck.api import Overrides

    given = place.overrides or Overrides()
    quick = replace(place, overrides=given if given.seconds is not None else replace(given, seconds=SECONDS))
    try:
        return connect_to(quick, EvidenceOptions(None)).version(), None
    except UnstuckError as e:
        return "", e.said
