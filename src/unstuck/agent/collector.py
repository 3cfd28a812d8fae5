"""The container with the host in sight: takes one question at a time over a UNIX socket, and passes on what a locked child tells.

A socket and not files, because a full disk takes no files; in the memory of the Pod's emptyDir, because nothing else is shared.
Question: one JSON line `{"node", "pod": {"namespace", "name", "uid"} or null, "vouched", "since", "seconds"}`. Answer: the lines of
`look.py`; without `{"end": true}` it was cut off, and `{"cut": "why"}` says why where that is known.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

from unstuck.agent import child, look
from unstuck.agent.collector_client import SOCKET
from unstuck.collect.node.seccomp import NotLockedError, lock

HOST = "/host"
_ASKING = 5.0
_SENDING = 2.0
_LONGEST = 30.0
_SERVING = ("accept", "accept4", "recvfrom", "sendto", "shutdown", "kill", "seccomp")


def main() -> None:
    """Serve until SIGTERM."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    # All that a child needs is loaded now; what it shares with this process stays shared.
    look.prepare()
    server = listen(SOCKET)
    # From here on this process too can only read, answer who is connected, and start, end and lock copies of itself.
    # Where it cannot be locked, neither can they, and then they say so and do not look.
    with suppress(NotLockedError):
        lock(_SERVING)
    gc.freeze()
    serve(server, HOST)


def _end(_signal: int, _frame: FrameType | None) -> None:
    # A child that looks ends with us (PR_SET_PDEATHSIG); nothing else is to be left in order.
    os._exit(0)


def listen(path: str) -> socket.socket:
    """Return the socket, open to whoever shares the directory: that is this Pod's other container."""
    with suppress(FileNotFoundError):
        os.unlink(path)  # that of an earlier life of this container
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old = os.umask(0o111)
    try:
        server.bind(path)
    finally:
        os.umask(old)
    server.listen(4)
    return server


def serve(server: socket.socket, host: str) -> None:
    """Serve one question after the other; a question that is none is dropped. host: where the host's /proc is mounted at `proc`."""
    while True:
        asking, _ = server.accept()
        with asking, suppress(OSError, ValueError, KeyError, TypeError):
            asking.settimeout(_ASKING)
            _answer(asking, json.loads(_line(asking)), host)
        child.reap_others()


def _line(asking: socket.socket) -> bytes:
    text = b""
    while not text.endswith(b"\n") and len(text) < 8192:
        part = asking.recv(4096)
        if not part:
            break
        text += part
    return text


def _answer(asking: socket.socket, question: dict[str, Any], host: str) -> None:
    asking.settimeout(_SENDING)
    earlier = child.never_returned(look.NAME)
    if earlier is not None:
        asking.sendall(_cut(f"an earlier look at this node (process {earlier} of the collector) has not returned; it waits in the kernel"))
        return
    request = {"root": host, "node": question["node"], "pod": question["pod"], "vouched": bool(question.get("vouched"))}
    request["since"] = question.get("since")
    seconds = min(_LONGEST, max(0.1, float(question["seconds"])))
    try:
        for line in child.fork(partial(look.tell, request), seconds):
            asking.sendall(line + b"\n")
    except TimeoutError:
        asking.sendall(_cut(f"looking at the node took longer than {seconds:.1f} s"))


def _cut(why: str) -> bytes:
    return json.dumps({"cut": why}).encode() + b"\n"
