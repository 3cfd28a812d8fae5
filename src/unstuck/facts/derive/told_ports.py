"""The ports on which a program says in its log that it listens."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.regex import regex

# `listening on [::]:8080`, `Tomcat started on port(s): 8080 (http)`, `serving webhooks on :8443`,
# `Server listening on port 3000`; a time of the day is no port.
_LISTENS = regex(
    r"(?i)\b(?:listen(?:ing|s)?|serving|accepting connections|started (?:server|on)|bound to"
    r"|running (?:on|at))\b[^\n]{0,80}?(?::|\bport(?:\(s\))?[ =:]{1,2})(?P<port>\d{2,5})\b(?!:\d)"
)
_NOT = regex(r"(?i)\b(?:not|cannot|can't|could not|fail(?:s|ed)?|unable|error|stopp(?:ed|ing)|no longer)\b")
_LOWEST = 80


def find_told_ports(lines: Iterable[str]) -> tuple[int, ...]:
    """Return the ports in lines that report listening, each once."""
    found = (int(m["port"]) for line in lines if (m := _LISTENS.search(line)) and not _NOT.search(line))
    return tuple(dict.fromkeys(port for port in found if _LOWEST <= port < 1 << 16))
