"""Find the line of a text that is most likely the reason, by its level and its words, and the part of it to
quote. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from unstuck.facts.derive.ends import is_bare_end
from unstuck.facts.regex import regex

# How klog, Go's runtime, logrus and zap write fatal errors.
FATAL = regex(
    r"^\s*F\d{4} \d\d:\d\d:\d\d\.|^\s*panic: |\blevel=(?:fatal|panic)\b|\"level\": ?\"(?:fatal|panic)\""
    r"|^\s*FATA\[|^\s*FATAL\b"
)
FAILING = regex(
    r"\b(?:error|fatal|failed|cannot|can't|could ?n[o']t|unable to|denied|forbidden|refused|timed out|no "
    r"such|unavailable"
    r"|unrecogni[sz]ed|unknown|unsupported|invalid)\b|\bwarning\s{2,}[a-z]",
    re.I,
)
_ERROR = regex(
    r"^(?:\d+ )?\s*E\d{4} \d\d:\d\d:|\blevel=error\b|\"(?:level|severity)\": ?\"(?:error|ERROR)\""
    r"|^\W{0,3}[Ee]rror:|\bERROR\b|✗"
)
_WARNING = regex(
    r"^(?:\d+ )?\s*W\d{4} \d\d:\d\d:|\blevel=warn(?:ing)?\b|\"(?:level|severity)\": ?\"(?:warn|WARN)|type: "
    r"'Warning'"
)
_QUIET = regex(
    r"^(?:\d+ )?\s*I\d{4} \d\d:\d\d:|\blevel=(?:info|debug|trace)\b|\"(?:level|severity)\": ?\"(?:info|debug"
    r"|INFO|DEBUG)\""
)
# Words of failure that healthy lines also contain: they count in a line without a level.
_AMISS = regex(
    r"\b(?:not found|exceeded|expired|not ready|not empty|waiting for|waiting to|(?:not )?authorized"
    r"|Unauthorized\w*|AccessDenied\w*"
    r"|no matches|marked|being (?:deleted|terminated)|in progress|exit(?:ed)? (?:status|code)|\w+(?:Error"
    r"|Exception|Failed))\b",
    re.I,
)
# A level within a message: a line that its program relays from another.
_LEVELS = regex(r"\blevel=\\*\"?(?P<level>[a-z]{4,7})\b")
# Skipped because it is not needed. Refused, foreign or disabled things are not included: they may be the
# reader's question.
_SKIPPED = regex(
    r"\bskip\w{0,5} .{0,300}?\b(?:not (?:used|needed|required)|unused|already|up[ -]to[ -]date|no changes?"
    r"|unchanged|nothing to do"
    r"|has no resources)\b",
    re.I,
)
# An object as a log names it: `NAMESPACE/NAME`.
_NAMED = regex(r"(?<![\w./-])[a-z0-9][a-z0-9-]{0,62}/[a-z0-9][a-z0-9.-]{0,252}(?![\w/])")
# The prefix of a Go program's message.
_KLOG = regex(r"^(?:.{0,200}? )?(?:\d+ )?[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] ?")
# The key of a nested block.
_KEY = regex(r"^\s*[\w.-]{1,63}:\s*$")
_MESSAGE = regex(r"\bmsg=(?P<msg>\"(?:[^\"\\]|\\.)*\")")
_CAUSE = regex(r"\b(?:error|err)=(?P<error>\"(?:[^\"\\]|\\.)*\")")
# A field for an error that there was none of: `"Error": ""`, `err=<nil>`.
_NO_ERROR = regex(r"[\"']?\berr(?:or)?[\"']?\s{0,2}[:=]\s{0,2}(?:\"\"|''|null\b|<?nil>?)", re.I)
_LONGEST = 500
# A summary is at most this many lines below the reason.
_CLOSE = 3
# The rank of a line that its program marks as information.
_INFORMATION = 5
_READ = 4000


def sort_by_gravity(lines: Sequence[str]) -> list[str]:
    """Return the lines that report a failure: those that ended a program first, then errors, and the last one
    first among equals.

    A line without a level from its program counts by its words, more than a warning. A line that reports only
    an end ranks below a line with the reason, regardless of its level.
    """
    ranked = sorted(
        (rank, -n, line) for n, line in enumerate(lines) if (rank := _rank(line[:_READ])) is not None
    )
    return list(dict.fromkeys(line for _, _, line in _put_reason_first(ranked)))


def _put_reason_first(ranked: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the ranked lines; a line with a reason, after a colon, moves before a summary close below it."""
    if not ranked or ": " in quote_line(ranked[0][2]):
        return ranked
    rank, at, _ = ranked[0]
    reasons = (
        one for one in ranked if one[0] == rank and 0 < one[1] - at <= _CLOSE and ": " in quote_line(one[2])
    )
    first = next(reasons, ranked[0])
    return [first, *(one for one in ranked if one is not first)]


def is_skipped(line: str, lines: Sequence[str]) -> bool:
    """Tell whether a line is about an optional step that its program skips: by its own text, or by another
    line about the same name.

    Never if any other line of the text is a warning or graver.
    """
    skips = [
        other
        for other in lines
        if _SKIPPED.search(other[:_READ]) and (_QUIET.search(other) or _WARNING.search(other))
    ]
    if any(
        rank < _INFORMATION
        for other in lines
        if other not in skips and (rank := _rank(other[:_READ])) is not None
    ):
        return False
    names = {*_NAMED.findall(line)}
    return line in skips or any(names & {*_NAMED.findall(other)} for other in skips)


def is_relayed(line: str) -> bool:
    """Tell whether a line repeats another program's information, which reports no failure."""
    levels = [*_LEVELS.finditer(line[:_READ])]
    relayed = len(levels) > 1 and levels[-1]["level"] in ("info", "debug", "trace")
    return relayed and not FAILING.search(line[levels[-1].end() : _READ])


def _rank(line: str) -> int | None:
    """Rank a line by gravity, 0 the gravest; None where it reports no failure."""
    if _KEY.match(line) or is_relayed(line):
        return None
    line = _NO_ERROR.sub("", line)
    if is_bare_end(line):
        return 3
    if FATAL.search(line):
        return 0
    if _ERROR.search(line):
        return 1
    fails, amiss = FAILING.search(line), _AMISS.search(line)
    if _WARNING.search(line):
        return 4
    if _QUIET.search(line):
        return _INFORMATION if fails else None
    return 2 if fails or amiss else None


def quote_line(line: str) -> str:
    """Quote a line without its frame, in at most 500 characters; the innermost error at its end stays
    whole.
    """
    said = _read_json(line) or _read_logfmt(line) or _KLOG.sub("", line.strip(), count=1)
    said = " ".join(said.split())
    if len(said) <= _LONGEST:
        return said
    end = said[-_LONGEST:]
    return "…" + (end.partition(": ")[2] if ": " in end[: _LONGEST // 2] else end)


def _read_json(line: str) -> str:
    """Return the message and the error of a record of zap's or logrus'; "" for another line."""
    line = line.strip()
    if line.startswith('"{"') and line.endswith('}"'):
        line = line[1:-1]
    start = line.find("{")
    if start < 0 or not line.endswith("}"):
        return ""
    with suppress(ValueError, RecursionError):
        read = json.loads(line[start:])
        told = [
            read[key]
            for key in ("msg", "message", "error", "err")
            if isinstance(read, dict) and isinstance(read.get(key), str)
        ]
        return ": ".join(dict.fromkeys(one.strip() for one in told if one.strip()))
    return ""


def _read_logfmt(line: str) -> str:
    """Return the message and the error of a record of logrus'; "" for another line."""
    if _MESSAGE.search(line) is None:
        return ""
    with suppress(ValueError):
        told = [json.loads(found[1]) for form in (_MESSAGE, _CAUSE) if (found := form.search(line))]
        return ": ".join(dict.fromkeys(one.strip() for one in told if one.strip()))
    return ""
