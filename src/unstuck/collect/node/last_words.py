"""Reads the last words of a daemon that does not run: its final line, known or unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from unstuck.collect.node.logs import Log
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.klog import KlogRecord, read_records
from unstuck.wording.match import find_failures

_TAIL = 64 << 10
# Later lines are the service manager's report, or the next start that fails as well.
_LATER = 8
# With these a program in Go ends. Source: component-base cli/run.go, cobra command.go, Go runtime/panic.go.
_ENDS = regex(r"^\"?command failed\"? err=|^panic: |^fatal error: |^Error: ")
_ERR = regex(r"\berr(?:or)?=\"((?:[^\"\\]|\\.){1,2000})\"")
_QUOTED = 300


def read_last_words(log: Log, about: Ref, node: str, now: datetime) -> list[Failure]:
    """Return the kubelet's final error as a failed start; [] if its log does not end with one."""
    lines = log.pieces[-1].data[-_TAIL:].decode("utf-8", "replace").splitlines()
    records = list(read_records(lines, now.astimezone(log.zone)))
    for later, one in enumerate(reversed(records)):
        if later > _LATER:
            break
        if said := next(_ends_of(one), ""):
            return _make_failures(said, one, log, about, node)
    return []


def _ends_of(one: KlogRecord) -> Iterator[str]:
    """Yield the lines of a record with which a program ends."""
    first, *more = one.message.split("\n")
    if one.severity == "F" or _ENDS.search(first):
        yield first
    yield from (line for line in more if _ENDS.search(line))


def _make_failures(said: str, one: KlogRecord, log: Log, about: Ref, node: str) -> list[Failure]:
    inner = _ERR.search(said)
    words = re.sub(r"\\(.)", r"\1", inner[1]) if inner else said
    src = Source(f"{node} {log.where}", words[:_QUOTED], one.at)
    # Wrapped in the kubelet's own frame for a fatal error, so that it is classified like any failed start.
    told = find_failures(f"failed to run Kubelet: {words}", about=about, src=src, reporter=log.component)
    return [
        replace(f, message=words[:_QUOTED] if f.error == "other" else f.message)
        for f in told
        if f.operation == "kubelet-start"
    ][:1]
