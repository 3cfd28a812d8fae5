"""What the kubelet's, the runtime's log says about given identifiers: bounded, repetitions folded, each with where it stands."""

from __future__ import annotations

from unstuck.collect.node.logs.entries import naming
from unstuck.collect.node.logs.files import LogClock, tail
from unstuck.collect.node.logs.fold import failures_in, verbosity_shown
from unstuck.collect.node.logs.log import SPAN, FoundLines, Log, LogPiece, Window, span, windows, zone_of
from unstuck.collect.node.logs.sources import LogPlace, journal_unread, node_logs

__all__ = [
    "SPAN",
    "FoundLines",
    "Log",
    "LogClock",
    "LogPiece",
    "LogPlace",
    "Window",
    "failures_in",
    "journal_unread",
    "naming",
    "node_logs",
    "span",
    "tail",
    "verbosity_shown",
    "windows",
    "zone_of",
]
