"""Finds programs' log lines about signals that they sent, at the ends of their own logs below /var/log."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.signals import SignalLine, SignalTraces
from unstuck.facts.core import Source
from unstuck.facts.regex import regex

_TOP = "/var/log"
_LATELY = timedelta(minutes=30)
_TAIL = 64 << 10
_MOST_NAMES, _MOST_FILES = 400, 60
_OF_ONE, _LONGEST = 10, 300
# Logs of containers, and of programs that other facts cover; the last ones are not text.
_OTHERS = regex(
    r"kubelet|containerd|crio|docker|kube|containers$|pods$|journal|btmp|wtmp|lastlog|.*\.(?:gz|xz|zst|bz2)$"
)
_SIGNAL = regex(
    r"\bSIG(?:TERM|KILL|INT)\b|\bsignal (?:9|15)\b|\bkill(?:ed|ing)?\b|\bterminat(?:ed|ing)\b", re.IGNORECASE
)


def signal_traces(view: NodeView) -> SignalTraces | None:
    """Return the lines about signals of each log that was written to lately; None where the logs cannot be
    listed.
    """
    files = view.kubelet.files
    if not view.root.live or not view.may_touch(_TOP) or files.names(_TOP) is None:
        return None
    items, whole = read_traces(files, view.now, view.may_touch)
    return SignalTraces(
        about=view.ref,
        src=Source(f"{view.name} {_TOP}", items[-1].line if items else "no line about a signal"),
        whole=view.sees_node and whole,
        items=items,
    )


def read_traces(
    files: Root, now: datetime, may_touch: Callable[[str], bool]
) -> tuple[tuple[SignalLine, ...], bool]:
    """Return the lines, from the newest log last, and whether every recent log was read. may_touch: the
    NodeView's.
    """
    recent = [(path, at) for path, at in _list_logs(files, may_touch) if now - at <= _LATELY]
    lines = (line for path, at in recent[-_MOST_FILES:] for line in _list_lines_of(files, path, at))
    return tuple(lines), len(recent) <= _MOST_FILES


def _list_logs(files: Root, may_touch: Callable[[str], bool]) -> list[tuple[str, datetime]]:
    """Return the logs in the directory and in those right below it with their last change, the newest
    last.
    """
    found = list[tuple[str, datetime]]()
    todo = [_TOP]
    for directory in todo:
        for name in (files.names(directory) or ())[:_MOST_NAMES]:
            path = f"{directory}/{name}"
            state = files.stat(path) if not _OTHERS.match(name) and may_touch(path) else None
            if state is not None and stat.S_ISDIR(state.st_mode) and directory == _TOP:
                todo.append(path)
            elif state is not None and stat.S_ISREG(state.st_mode) and state.st_size:
                found.append((path, datetime.fromtimestamp(state.st_mtime, UTC)))
    return sorted(found, key=lambda f: (f[1], f[0]))


def _list_lines_of(files: Root, path: str, at: datetime) -> Iterator[SignalLine]:
    state = files.stat(path)
    data = files.data(path, _TAIL, max(0, state.st_size - _TAIL)) if state else None
    if not data or b"\0" in data:
        return
    lines = [
        line.strip() for line in data.decode("utf-8", "backslashreplace").splitlines() if _SIGNAL.search(line)
    ]
    yield from (SignalLine(path, line[:_LONGEST], at) for line in lines[-_OF_ONE:])
