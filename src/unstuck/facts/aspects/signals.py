"""What programs of a node tell of signals that they send."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record


@record()
class SignalLine(Record):
    """A line of a log that reports a signal. path: the log's. at: when the log was written to last, UTC."""

    path: str
    line: str
    at: datetime | None = None


@record(kw_only=True)
class SignalTraces(NodeFact):
    """What programs of the node wrote lately, into their own logs below /var/log, of signals that they sent.
    about: the Node.

    items: of each log the last such lines, the newest last. The logs of the kubelet, of runtimes and of
    containers are left out. Whole where every log that was written to in the last half hour was read to its
    end.
    """

    items: tuple[SignalLine, ...]
    ask: ClassVar[str] = (
        "grep -rIiE -e 'sig(term|kill)|sent signal|kill(ed|ing) process' /var/log | tail -n 20"
    )
