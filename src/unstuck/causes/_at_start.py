"""Shared parts of the causes of a daemon that ends at its start: it does not run, and its last messages give
the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from unstuck.diagnosis.sign import Sign, all_of, hearsay, some
from unstuck.facts.aspects.host import DaemonState, LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.earlier import is_of_earlier_process, want_unread_logs
from unstuck.facts.lookup import Facts

READS: frozenset[type[Fact]] = frozenset({Failure, DaemonState, LogSeen})
# A restarting daemon repeats the message at each start.
_LATELY = timedelta(minutes=15)


def exit_messages(node: Ref, snap: Facts, mine: Callable[[Failure], bool]) -> Sign[Failure]:
    """Find a daemon's last messages. mine: whether a failure is of this cause. Unknown, with the messages, if
    they may be another daemon's than the failed one's.
    """
    said = hearsay(snap, Failure, node, lambda f: [f] if mine(f) else [])
    of_now = tuple(f for f in said.hits if _is_current(node, f, snap))
    return (
        said
        if not said.value or of_now == said.hits
        else Sign(bool(of_now) or None, of_now or said.hits, said.seen, sure=said.sure)
    )


def fails_at_start(node: Ref, snap: Facts, said: Sign[Failure], daemons: tuple[str, ...]) -> Sign[Failure]:
    """Tell whether one of these daemons is down and reported the failure. said: as `exit_messages` returns
    it.
    """
    down = some(snap, DaemonState, node, lambda f: [f] if f.daemon in daemons and not f.running else [])
    ended = all_of((down, said))
    if ended.value is None and said.hits:
        return Sign(None, said.hits, said.seen, (*ended.wants, *want_unread_logs(said.hits, node, snap)))
    return Sign(ended.value, said.hits, ended.seen, ended.wants, sure=ended.sure)


def fails_or_asks_its_log(
    node: Ref, snap: Facts, said: Sign[Failure], daemons: tuple[str, ...]
) -> Sign[Failure]:
    """Return the same sign, and ask for the logs if none was read and the daemon's messages are unknown."""
    ended = fails_at_start(node, snap, said, daemons)
    if ended.value is not None or said.hits or any(snap.of(LogSeen, node)):
        return ended
    return ended._replace(wants=(*ended.wants, Want(LogSeen, node)))


def name_daemon(said: Failure, node: Ref, snap: Facts) -> str:
    """Return the daemon that wrote these messages; for a runtime whose log names none, the stopped one."""
    if said.operation == "kubelet-start":
        return "kubelet"
    down = [f.daemon for f in snap.of(DaemonState, node) if not f.running and f.daemon != "kubelet"]
    return (
        said.reporter
        if said.reporter in ("containerd", "dockerd", "crio")
        else next(iter(down), "containerd")
    )


def _is_current(node: Ref, said: Failure, snap: Facts) -> bool:
    """Tell whether they may be of the daemon that is down now."""
    if is_of_earlier_process(said, node, snap):
        return False
    looked = [f for f in snap.of(DaemonState, node) if f.daemon == name_daemon(said, node, snap)]
    if any(f.running for f in looked):
        # It runs, or was between its start and its end just then.
        return False
    return not looked or said.src.at is None or snap.now - said.src.at <= _LATELY
