"""Messages of the kubelet's and the runtime's log about given identifiers: bounded, repetitions folded,
each with its place.
"""

from __future__ import annotations

from unstuck.collect.node.logs.entries import find_entries
from unstuck.collect.node.logs.files import LogClock, read_tail
from unstuck.collect.node.logs.fold import find_verbosity, fold_failures
from unstuck.collect.node.logs.log import SPAN, Log, LogEntry, LogPiece, Window, span, windows, zone_of
from unstuck.collect.node.logs.sources import LogPlace, has_unread_journal, read_node_logs

__all__ = [
    "SPAN",
    "Log",
    "LogClock",
    "LogEntry",
    "LogPiece",
    "LogPlace",
    "Window",
    "find_entries",
    "find_verbosity",
    "fold_failures",
    "has_unread_journal",
    "read_node_logs",
    "read_tail",
    "span",
    "windows",
    "zone_of",
]
