"""One question to a local HTTP port, with a deadline for all of it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

_HEAD = 64 << 10


def answers_ok(address: str, port: int, path: str, seconds: float) -> bool | None:
    """Tell whether a GET is answered with 200 in time; False if it is refused, unanswered or answered
    otherwise; None if it cannot be asked.
    """
    end = time.monotonic() + seconds
    try:
        with socket.create_connection((address, port), timeout=seconds) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n".encode("ascii", "replace"))
            got = b""
            while b"\r\n" not in got and len(got) < 1024 and time.monotonic() < end:
                connection.settimeout(max(0.01, end - time.monotonic()))
                part = connection.recv(1024)
                if not part:
                    break
                got += part
            return got.split(b"\r\n")[0].split(b" ")[1:2] == [b"200"]
    except (TimeoutError, ConnectionError):
        return False
    except (OSError, ValueError):
        return None


def fetch(
    address: str, port: int, path: str, seconds: float, take: Callable[[bytes], None], cap: int
) -> int | None:
    """Send one GET; `take` receives the parts of its body, at most `cap` bytes.

    Return its status; 0 when silent or cut off; None if it cannot be asked.

    Errors: the exceptions of `take`.
    """
    end = time.monotonic() + seconds
    try:
        with socket.create_connection((address, port), timeout=seconds) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n".encode("ascii", "replace"))
            head = b""
            while b"\r\n\r\n" not in head:
                part = _receive(connection, end)
                if not part or len(head) > _HEAD:
                    return 0
                head += part
            head, _, part = head.partition(b"\r\n\r\n")
            while part or (part := _receive(connection, end)):
                cap -= len(part)
                if cap < 0:
                    return 0
                take(part)
                part = b""
            word = head.split(b"\r\n")[0].split(b" ")[1:2]
            return int(word[0]) if word and word[0].isdigit() and len(word[0]) == 3 else 0
    except (TimeoutError, ConnectionResetError, BrokenPipeError):
        return 0
    except OSError:
        return None


def _receive(connection: socket.socket, end: float) -> bytes:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)
    return connection.recv(1 << 16)
