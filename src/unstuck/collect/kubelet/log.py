"""The kubelet's log as its own API gives it: by NodeLogQuery (journald's lines with their stamps), or a file
below /var/log.

Source: pkg/kubelet/kubelet_server_journal.go; KEP-2258 (the query is off by default; without it the server
lists /var/log).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from unstuck.collect.node import logs
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex

_ANCHOR = regex(r'<a href="([^"]{1,300})">')
_FRESH = timedelta(minutes=15)


class Tail:
    """The last `size` bytes of a stream, from the beginning of a line on."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._data = bytearray()
        self._cut = False

    @property
    def data(self) -> bytes:
        """The kept bytes, from the beginning of a line on."""
        start = self._data.find(b"\n") + 1 if self._cut else 0
        return bytes(self._data[start:])

    def take(self, part: bytes) -> None:
        """Take the next part."""
        self._data += part
        if len(self._data) > 2 * self._size:
            del self._data[: len(self._data) - self._size]
            self._cut = True


def parse_listing(data: bytes) -> tuple[str, ...] | None:
    """Return the names in a directory listing of Go's file server; None where it is no such listing."""
    head = data[:4096].lstrip().lower()
    if not head.startswith((b"<!doctype html", b"<pre>", b"<html")):
        return None
    return tuple(_ANCHOR.findall(data[: 1 << 20].decode("utf-8", "replace")))


def log_facts(tail: Tail, path: str, about: Ref, pod_uid: str | None, now: datetime) -> Iterator[Fact]:
    """Yield the extent of the log that was read, and its failures about the Pod. now: the moment, UTC."""
    log = logs.Log("kubelet", (logs.LogPiece(f"kubelet {path}", tail.data),))
    since, until = logs.span(log, now)
    # klog writes in the node's own zone, which this API does not tell: a stamp that cannot be UTC tells no
    # time.
    sure = until is not None and -timedelta(minutes=2) < now - until < _FRESH
    where = f"{about.name} {log.where}"
    yield LogSeen(
        about=about,
        src=Source(where, at=until if sure else None),
        whole=False,
        component="kubelet",
        path=log.where,
        since=since if sure else None,
        until=until if sure else None,
        verbosity=logs.find_verbosity(log),
    )
    if pod_uid:
        pod = Ref("Pod", uid=pod_uid)
        found = logs.find_entries(log, [pod_uid.encode(), pod_uid.replace("-", "_").encode()], now)
        for failure in logs.fold_failures(found, log, about=pod, node=about.name or ""):
            yield failure if sure else replace(failure, src=replace(failure.src, at=None), first=None)
