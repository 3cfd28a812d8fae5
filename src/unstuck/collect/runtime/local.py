"""Connections to a daemon's UNIX socket, each with a deadline of its own."""

from __future__ import annotations

import os
import socket
import time

_LONGEST = 107  # bytes of sun_path without its end, unix(7)


class NotAcceptedError(Exception):
    """The connection was not accepted: no such socket, no listener, no permission. errno: the kernel's, 0
    for none.
    """

    def __init__(self, why: str, errno: int) -> None:
        super().__init__(why)
        self.errno = errno


class NoReplyError(Exception):
    """The connection was accepted, but no whole reply came in time."""


class ProtocolError(Exception):
    """A reply came that does not follow the protocol, or reports that the call failed."""


def connect(path: str, end: float) -> socket.socket:
    """Return a connected stream. end: on the monotonic clock. Errors: NotAcceptedError; NoReplyError if the
    queue of waiting clients is full.
    """
    try:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    except OSError as e:
        # A process that is locked may make no socket at all.
        raise NotAcceptedError(os.strerror(e.errno or 0), e.errno or 0) from e
    handle = -1
    try:
        target = path
        if len(os.fsencode(path)) > _LONGEST:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            target = f"/proc/self/fd/{handle}"
        connection.settimeout(seconds_left(end))
        connection.connect(target)
    except (TimeoutError, BlockingIOError) as e:
        connection.close()
        raise NoReplyError("its queue of connections is full") from e
    except (OSError, ValueError) as e:
        connection.close()
        code = e.errno or 0 if isinstance(e, OSError) else 0
        raise NotAcceptedError(os.strerror(code) if code else "no path of a socket", code) from e
    finally:
        if handle >= 0:
            os.close(handle)
    return connection


def seconds_left(end: float) -> float:
    """Return the seconds until `end`, never 0, which a socket takes as no timeout at all."""
    return max(0.001, end - time.monotonic())
