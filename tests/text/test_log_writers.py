"""The writing process of a log's end and of each message: messages of an ended daemon are distinguished from
its successor's.
"""

from __future__ import annotations

from tests.text.support import UID, pick, read_facts
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure

FAILED = (
    'E1121 00:07:{second:02}.100000    {pid} kubelet_volumes.go:263] "There were many similar errors. Turn up verbosity to see them." '
    f'err="orphaned pod \\"{UID}\\" found, but error occurred when trying to remove the volumes dir: not a directory" numErrs=1'
)
OTHER = "I1121 00:08:00.000000    {pid} server.go:1] told"


def pids(said_by: tuple[int, ...], last_by: int) -> tuple[int | None, int | None]:
    """Return the pids of the folded failure, and of the log."""
    lines = [FAILED.format(second=n, pid=pid) for n, pid in enumerate(said_by, 10)]
    told = read_facts("\n".join(["lab-1$ journalctl -u kubelet", *lines, OTHER.format(pid=last_by), ""]))
    (failure,), (log,) = pick(told, Failure), pick(told, LogSeen)
    assert failure.count == len(said_by)
    return failure.pid, log.pid


def test_a_failure_is_of_the_process_that_said_it_last_and_a_log_of_the_one_that_wrote_last() -> None:
    assert pids((4242, 4242), last_by=4242) == (4242, 4242)
    assert pids((4242, 4242), last_by=5151) == (4242, 5151)
    assert pids((4242, 5151), last_by=5151) == (5151, 5151)
