"""Asks for each container's state, one by one: a runtime may be silent about only one of them.

A runtime that waits for one container under its lock answers for all others. The containers are taken from
its files, because its list may be the call that hangs. Bounded in time and number: two tries of two seconds
each, eight at a time, none after five stayed silent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from unstuck.collect.runtime import cri
from unstuck.collect.runtime.local import NoReplyError, NotAcceptedError, ProtocolError
from unstuck.collect.runtime.probe import (
    SECONDS,
    STAGGER,
    RuntimeEndpoint,
    TwoTries,
    fetch_cri_version,
    fetch_docker_version,
)
from unstuck.facts.aspects.runtime import Daemon, Try
from unstuck.facts.record import Record, record

_AT_ONCE = 8
_MOST = 300
_ENOUGH = 5


@record()
class StatusQuery(Record):
    """A container to ask about. sandbox: whether it is one, which has a CRI call of its own."""

    id: str
    pod: str = ""
    sandbox: bool = False


@dataclass(slots=True)
class Statuses:
    """The answers of one endpoint. told: whether it returned its version, without which it is asked nothing
    else.
    """

    daemon: Daemon
    told: bool = False
    silent: list[tuple[StatusQuery, tuple[Try, ...]]] = field(default_factory=list)
    answered: int = 0
    left_out: int = 0


def ask_each(
    endpoint: RuntimeEndpoint,
    containers: Sequence[StatusQuery],
    seconds: float = SECONDS,
    stagger: float = STAGGER,
) -> Statuses:
    """Ask for each container in turn; never raises, and starts no query after half of `seconds`, so that it
    ends even if one hangs.
    """
    out = Statuses(endpoint.daemon, left_out=len(containers))
    api = None if endpoint.suspended else _find_api(endpoint, time.monotonic() + seconds)
    if api is None:
        return out
    out.told = True
    todo = list(containers)[:_MOST][::-1]
    last = time.monotonic() + seconds / 2
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                if not todo or len(out.silent) >= _ENOUGH or time.monotonic() > last:
                    return
                one = todo.pop()
            twice: TwoTries[None] = TwoTries(*_make_call(endpoint, api, one))
            twice.run(seconds, stagger)
            _count_reply(out, one, tuple(twice.tries), lock)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(_AT_ONCE, len(todo)))]
    for thread in threads:
        with suppress(RuntimeError):  # no more threads are allowed: the others do its work
            thread.start()
    for thread in (t for t in threads if t.ident):
        thread.join(3 * seconds + stagger)
    with lock:
        return Statuses(
            out.daemon, True, sorted(out.silent, key=lambda s: s[0].id), out.answered, out.left_out
        )


def _count_reply(out: Statuses, one: StatusQuery, tries: tuple[Try, ...], lock: threading.Lock) -> None:
    """Count a reply: an error is an answer too; one silent try, or a connection that was not taken, is
    neither an answer nor silence.
    """
    with lock:
        if any(t.answered for t in tries):
            out.answered += 1
        elif sum(t.accepted for t in tries) > 1:
            out.silent.append((one, tries))
        else:
            return
        out.left_out -= 1


def _make_call(endpoint: RuntimeEndpoint, api: str, one: StatusQuery) -> tuple[str, Callable[[float], None]]:
    if endpoint.daemon == "dockerd":
        return "GET /containers/ID/json", lambda end: _request_docker(endpoint.real, api, one.id, end)
    name = "CRI PodSandboxStatus" if one.sandbox else "CRI ContainerStatus"
    return name, lambda end: cri.request_status(endpoint.real, api, one.id, one.sandbox, end)


def _request_docker(path: str, api: str, container: str, end: float) -> None:
    from unstuck.collect.runtime import docker  # with http.client; only if there is a dockerd

    docker.request_status(path, api, container, end)


def _find_api(endpoint: RuntimeEndpoint, end: float) -> str | None:
    version = fetch_docker_version if endpoint.daemon == "dockerd" else fetch_cri_version
    try:
        return version(endpoint.real, end)[1]
    except (NotAcceptedError, NoReplyError, ProtocolError, ImportError):
        return None
