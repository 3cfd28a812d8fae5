"""The container that sees the host: takes one question at a time over a UNIX socket and passes on the answer
of a locked child.

A socket and not files, because a full disk accepts no files; in the memory of the Pod's emptyDir, because
nothing else is shared. Question: one JSON line `{"node", "pod": {"namespace", "name", "uid"} or null,
"vouched", "since", "wants", "seconds"}`. Answer: the lines of `look.py`; without `{"end": true}` it was cut
off, and `{"cut": "why"}` gives the reason if known.
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
_QUESTION_SECONDS = 5.0
_ANSWER_SECONDS = 2.0
_LONGEST = 30.0
_SERVER_CALLS = ("accept", "accept4", "recvfrom", "sendto", "shutdown", "kill", "seccomp")


def main() -> None:
    """Serve until SIGTERM."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    # Everything that a child needs is loaded now, and remains shared with this process.
    look.prepare()
    server = listen(SOCKET)
    # From here on this process too can only read, answer its client, and start, end and lock copies of
    # itself. If it cannot be locked, neither can they, and then they say so and do not look.
    with suppress(NotLockedError):
        lock(_SERVER_CALLS)
    gc.freeze()
    serve(server, HOST)


def _end(_signal: int, _frame: FrameType | None) -> None:
    # A child that looks ends with us (PR_SET_PDEATHSIG); there is nothing else to clean up.
    os._exit(0)


def listen(path: str) -> socket.socket:
    """Return the socket, open to everyone who shares the directory: that is this Pod's other container."""
    with suppress(FileNotFoundError):
        os.unlink(path)  # left by an earlier life of this container
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old = os.umask(0o111)
    try:
        server.bind(path)
    finally:
        os.umask(old)
    server.listen(4)
    return server


def serve(server: socket.socket, host: str) -> None:
    """Serve one question after the other; an invalid one is dropped. host: the host's /proc is mounted at
    its `proc`.
    """
    while True:
        client, _ = server.accept()
        with client, suppress(OSError, ValueError, KeyError, TypeError):
            client.settimeout(_QUESTION_SECONDS)
            _answer(client, json.loads(_read_question(client)), host)
        child.reap_orphans()


def _read_question(client: socket.socket) -> bytes:
    text = b""
    while not text.endswith(b"\n") and len(text) < 8192:
        part = client.recv(4096)
        if not part:
            break
        text += part
    return text


def _answer(client: socket.socket, question: dict[str, Any], host: str) -> None:
    client.settimeout(_ANSWER_SECONDS)
    earlier = child.find_hung(look.NAME)
    if earlier is not None:
        why = (
            f"an earlier look at this node (process {earlier} of the collector) has not returned; it waits "
            "in the kernel"
        )
        client.sendall(_cut_line(why))
        return
    request = {
        "root": host,
        "node": question["node"],
        "pod": question["pod"],
        "vouched": bool(question.get("vouched")),
    }
    request["since"], request["wants"] = question.get("since"), question.get("wants")
    seconds = min(_LONGEST, max(0.1, float(question["seconds"])))
    try:
        for line in child.fork(partial(look.write_answer, request), seconds):
            client.sendall(line + b"\n")
    except TimeoutError:
        client.sendall(_cut_line(f"looking at the node took longer than {seconds:.1f} s"))


def _cut_line(why: str) -> bytes:
    return json.dumps({"cut": why}).encode() + b"\n"
