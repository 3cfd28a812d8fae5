"""Checks whether a runtime answers: a cheap read-only call, tried twice, each try with its own deadline. An
accepted connection proves nothing.

Both tries of all sockets run in parallel to all other reading; the second begins half a second after the
first, so that one short pause of the daemon is not taken for silence.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from unstuck.collect.runtime import cri
from unstuck.collect.runtime.cri import CriListing
from unstuck.collect.runtime.local import NoReplyError, NotAcceptedError, ProtocolError
from unstuck.facts.aspects.runtime import Daemon, Try
from unstuck.facts.record import Record, record

SECONDS = 2.0
STAGGER = 0.5
_SHORT = 0.3
T = TypeVar("T")


@record()
class RuntimeEndpoint(Record):
    """A socket. path: as the node has it. real: as this process reaches it. for_kubelet: whether it is the
    kubelet's endpoint.

    suspended: its daemon's process is in state T, which proves more than any silence: one short try is
    enough.
    """

    daemon: Daemon
    path: str
    real: str
    for_kubelet: bool | None = None
    suspended: bool = False


@record()
class EndpointAnswer(Record):
    """The answer of an endpoint. listed: its containers; None without a list. denied: connecting is
    forbidden. missing: h2 is absent.
    """

    endpoint: RuntimeEndpoint
    tries: tuple[Try, ...] = ()
    version: str = ""
    api: str = ""
    listed: tuple[CriListing, ...] | None = None
    denied: bool = False
    missing: str = ""

    @property
    def accepts(self) -> bool:
        """Whether a connection was accepted."""
        return any(t.accepted for t in self.tries)

    @property
    def answers(self) -> bool | None:
        """False only if the same call had no reply twice. None if no process listens."""
        silent = [t.call for t in self.tries if t.accepted and not t.answered]
        if any(
            silent.count(c) > 1 and not any(t.answered for t in self.tries if t.call == c) for c in silent
        ):
            return False
        return True if any(t.answered for t in self.tries) else None


@dataclass(slots=True)
class TwoTries(Generic[T]):
    """Two tries of one call: `run` makes them, `tries` reports them, `value` is the answer if there was
    one.
    """

    name: str
    call: Callable[[float], T]
    tries: list[Try] = field(default_factory=list)
    value: T | None = None
    denied: bool = False
    missing: str = ""
    done: threading.Event = field(default_factory=threading.Event)

    def run(self, seconds: float, stagger: float) -> None:
        """Try twice at most."""
        threads = [threading.Thread(target=self.try_once, args=(seconds,), daemon=True) for _ in range(2)]
        try:
            threads[0].start()
        except RuntimeError:
            return
        if self.done.wait(stagger):
            return
        with suppress(RuntimeError):
            threads[1].start()
        end = time.monotonic() + seconds + stagger
        for thread in threads:
            while thread.is_alive() and not self.done.is_set() and time.monotonic() < end:
                thread.join(0.02)

    def try_once(self, seconds: float) -> None:
        """Try once."""
        began = time.monotonic()
        accepted, answered, error, final = True, False, "", True
        try:
            self.value = self.call(began + seconds)
            answered = True
        except NotAcceptedError as e:
            accepted, error = False, str(e)
            self.denied = e.errno in (errno.EACCES, errno.EPERM)
        except NoReplyError as e:
            error, final = str(e), False
        except ProtocolError as e:
            answered, error = True, str(e)
        except ImportError as e:
            accepted, error, self.missing = False, str(e), str(e)
        self.tries.append(Try(self.name, accepted, answered, round(time.monotonic() - began, 2), error))
        if final:
            self.done.set()


def ask(endpoint: RuntimeEndpoint, seconds: float = SECONDS, stagger: float = STAGGER) -> EndpointAnswer:
    """Return its version, then the list of its containers; never raises, and is over after two such times
    at most.
    """
    if endpoint.daemon == "dockerd":
        about: TwoTries[tuple[str, str]] = TwoTries(
            "GET /version", lambda end: fetch_docker_version(endpoint.real, end)
        )
    else:
        about = TwoTries("CRI Version", lambda end: fetch_cri_version(endpoint.real, end))
    if endpoint.suspended:
        about.try_once(_SHORT)
    else:
        about.run(seconds, stagger)
    if about.value is None:
        return EndpointAnswer(endpoint, tuple(about.tries), denied=about.denied, missing=about.missing)
    version, api = about.value
    if endpoint.daemon == "dockerd":
        listing: TwoTries[list[CriListing]] = TwoTries(
            "GET /containers/json", lambda end: _list_docker_containers(endpoint.real, api, end)
        )
    else:
        listing = TwoTries(
            "CRI ListContainers", lambda end: cri.list_containers(endpoint.real, api, None, end)
        )
    listing.run(seconds, stagger)
    listed = None if listing.value is None else tuple(listing.value)
    return EndpointAnswer(endpoint, (*about.tries, *listing.tries), version, api, listed)


def _list_docker_containers(path: str, api: str, end: float) -> list[CriListing]:
    from unstuck.collect.runtime import docker  # with http.client; only if there is a dockerd

    return docker.list_containers(path, api, None, end)


def fetch_docker_version(path: str, end: float) -> tuple[str, str]:
    """Return the version of dockerd, and that of its API. Errors: those of `docker.get`."""
    from unstuck.collect.runtime import docker  # as above

    found = docker.fetch_version(path, end)
    return found.version, found.api


def fetch_cri_version(path: str, end: float) -> tuple[str, str]:
    """Return the runtime's name and version, and the CRI's name that it answered to. Errors: those of
    `grpc.call`.
    """
    found = cri.fetch_version(path, end)
    return f"{found.name} {found.version}".strip()[:100], found.api


class RuntimeProbe:
    """Asks all endpoints at once, from its creation on; `answers` waits for the last."""

    def __init__(self, endpoints: tuple[RuntimeEndpoint, ...]) -> None:
        self._found: dict[RuntimeEndpoint, EndpointAnswer] = {}
        self._threads = [threading.Thread(target=self._ask, args=(e,), daemon=True) for e in endpoints]
        for thread in self._threads:
            with suppress(RuntimeError):  # no more threads are allowed: that endpoint is then not told
                thread.start()

    def _ask(self, endpoint: RuntimeEndpoint) -> None:
        self._found[endpoint] = ask(endpoint)

    def answers(self) -> tuple[EndpointAnswer, ...]:
        """Return the answer of each endpoint, in the order of their sockets' names."""
        for thread in (t for t in self._threads if t.ident):
            thread.join(2 * (SECONDS + STAGGER) + 1)
        return tuple(self._found[e] for e in sorted(self._found, key=lambda e: e.path))
