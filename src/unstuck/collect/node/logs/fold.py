"""Folds entries of a log into failures: each kind once, with how often, its first and its last time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from unstuck.collect.node.logs.log import Log, LogEntry
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.klog import VERBOSITY_OF
from unstuck.wording.match import find_failures

_MAX_DISTINCT = 500
_READ = 16 << 10
# Numbers that change from one repetition to the next and mean nothing: times, durations, process ids,
# addresses.
_VARIES = regex(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:Z| ?[+-]\d\d:?\d\d)?(?: [A-Z]{3,4})?|m=[+-][\d.]+"
    r"|\b(?:\d+(?:\.\d+)?(?:ns|µs|ms|s|m|h))+\b|0x[0-9a-f]+|(?<=[Pp]id[ =:])\d+|(?<=PID[ =:])\d+"
)


def fold_failures(found: Iterable[LogEntry], log: Log, *, about: Ref, node: str) -> list[Failure]:
    """Return the failures in these entries, each kind once, with how often, its first and its last time,
    and the place of the last one.
    """
    folded: dict[str, tuple[LogEntry, int, datetime | None]] = {}
    for one in found:
        message = one.record.message[:_READ]
        if one.record.severity == "I" and not any(
            w in message.lower() for w in (" err=", "failed", "volumes are not cleaned up")
        ):
            continue
        key = _VARIES.sub("#", message)
        _, count, first = folded.pop(key, (one, 0, one.record.at))
        folded[key] = (one, count + 1, first)
    out: dict[tuple[object, ...], Failure] = {}
    for one, count, first in list(folded.values())[-_MAX_DISTINCT:]:
        where = f"{node} {one.where or log.where}" + (f":{one.line}" if one.line is not None else "")
        src = Source(where, one.record.message.split("\n")[0][:300], one.record.at)
        for told in find_failures(
            one.record.message, about=about, src=src, reporter=log.component, count=count, first=first
        ):
            f = replace(told, src=replace(src, quote=told.message)) if told.message else told
            key_ = (f.operation, f.error, f.path, f.object, f.key, f.host, f.container)
            out[key_] = _merge(out[key_], f) if key_ in out else f
    return list(out.values())


def _merge(a: Failure, b: Failure) -> Failure:
    """Merge two lines with the same message: the later one, with both counts."""
    early, late = sorted((a, b), key=lambda f: f.src.order)
    first = min((f.first for f in (a, b) if f.first), default=None)
    return replace(late, count=early.count + late.count, first=first)


def find_verbosity(log: Log) -> int | None:
    """Return the highest verbosity that a line of the log proves; None if none does."""
    highest_first = sorted(VERBOSITY_OF, key=lambda row: -row[1])
    # `rfind` passes over a long text in half the time of `in`.
    return next(
        (
            level
            for words, level in highest_first
            if any(p.data.rfind(words.encode()) >= 0 for p in log.pieces)
        ),
        None,
    )
