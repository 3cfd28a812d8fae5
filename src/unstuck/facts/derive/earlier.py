"""What a daemon said before it ended and another one of its kind began: of the one that runs now it tells nothing."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts


def of_one_before(failure: Failure, node: Ref, snap: Facts) -> bool:
    """Tell whether another process writes the end of the Node's log of who said so."""
    ends = [(log.until, log.pid) for log in snap.of(LogSeen, node) if log.component == failure.reporter and log.until]
    _, pid = max(ends, key=lambda end: end[0], default=(None, None))
    return None not in (pid, failure.pid) and pid != failure.pid


def unread(failures: Iterable[Failure], node: Ref, snap: Facts) -> tuple[Want, ...]:
    """Return what would tell that of these, where nobody saw the log of who said so."""
    seen = {log.component for log in snap.of(LogSeen, node)}
    return (Want(LogSeen, node),) if any(f.reporter not in seen for f in failures) else ()
