"""Recognises messages of an earlier instance of a daemon, which are irrelevant to the running one."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts


def is_of_earlier_process(failure: Failure, node: Ref, snap: Facts) -> bool:
    """Tell whether the reporter's log ends with another process: the failure is an earlier one's."""
    ends = [
        (log.until, log.pid)
        for log in snap.of(LogSeen, node)
        if log.component == failure.reporter and log.until
    ]
    _, pid = max(ends, key=lambda end: end[0], default=(None, None))
    return None not in (pid, failure.pid) and pid != failure.pid


def want_unread_logs(failures: Iterable[Failure], node: Ref, snap: Facts) -> tuple[Want, ...]:
    """Return a Want for the Node's logs if the log of some failure's reporter was not seen."""
    seen = {log.component for log in snap.of(LogSeen, node)}
    return (Want(LogSeen, node),) if any(f.reporter not in seen for f in failures) else ()
