"""Reports by a node's programs on the signals that they send."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record


@record()
class SignalLine(Record):
    """A line of a log that reports a signal. path: the log's. at: the log's last write, UTC."""

    path: str
    line: str
    at: datetime | None = None


@record(kw_only=True)
class SignalTraces(NodeFact):
    """Recent reports on sent signals by the node's programs, in their own logs below /var/log. about: the
    Node.

    items: the last such lines of each log, the newest last. The logs of the kubelet, of runtimes and of
    containers are left out. Whole if every log written in the last half hour was read to its end.
    """

    items: tuple[SignalLine, ...]
    ask: ClassVar[str] = (
        "grep -rIiE -e 'sig(term|kill)|sent signal|kill(ed|ing) process' /var/log | tail -n 20"
    )
