"""One question to a local HTTP port, with a deadline."""

from __future__ import annotations

import socket
import time


def answers_ok(address: str, port: int, path: str, seconds: float) -> bool | None:
    """Whether a GET is answered with 200 in time; False when refused, silent or another answer; None where it cannot be asked."""
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
