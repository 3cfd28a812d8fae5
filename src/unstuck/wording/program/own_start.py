"""Lines of a server's own log while it starts: that it sends its callers away there is no client's trouble.

Sources: PostgreSQL src/backend/access/transam/xlog.c and xlogrecovery.c (`StartupXLOG`, 8–18).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.facts.regex import regex

_MOST = 160
_READY = "database system is ready to accept"
_RECOVERS = regex(
    r"\bLOG: {1,2}(?P<said>(?:database system was (?:not properly shut down|interrupted)"
    r"|redo (?:starts at|in progress)|syncing data directory)\b.{0,200})"
)


def find_recovery(lines: Sequence[str]) -> str:
    """Return the server's own message about its recovery after an unclean shutdown; "" if there is none, or
    if the server is ready at the end.
    """
    if any(_READY in line for line in lines):
        return ""
    return next((found["said"].strip()[:_MOST] for line in lines if (found := _RECOVERS.search(line))), "")
