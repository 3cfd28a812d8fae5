"""One unary gRPC call over a UNIX socket. HTTP/2 is h2's; docs/why/runtime-sockets.md says why.

Source: github.com/grpc/grpc doc/PROTOCOL-HTTP2.md.
"""

from __future__ import annotations

import socket
import struct
import time
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import unquote

from unstuck.collect.runtime.local import NoReplyError, ProtocolError, connect, seconds_left

if TYPE_CHECKING:
    from h2.connection import H2Connection

MAX_REPLY = 16 << 20
_UNIMPLEMENTED = "12"


class NotOfferedError(ProtocolError):
    """The server answers, but does not know this method."""


def call(path: str, method: str, request: bytes, end: float) -> bytes:
    """Return the reply's message. path: of the socket. method: `/runtime.v1.RuntimeService/Version`. end: on
    the monotonic clock.

    Errors: NotAcceptedError, NoReplyError, NotOfferedError, ProtocolError.
    """
    with closing(connect(path, end)) as connection:
        return exchange(connection, method, request, end)


def exchange(connection: socket.socket, method: str, request: bytes, end: float) -> bytes:
    """Call as `call` does, over an open connection."""
    import h2.config  # some 40 ms, which only a node with a socket pays
    import h2.connection
    import h2.exceptions
    import hpack.exceptions
    import hyperframe.exceptions

    http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
    reply = _Reply()
    try:
        http.initiate_connection()
        http.increment_flow_control_window(MAX_REPLY)
        http.update_settings({4: MAX_REPLY})  # SETTINGS_INITIAL_WINDOW_SIZE
        # grpc-go refuses an :authority that is a path; every client of a UNIX socket says localhost.
        head = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", "localhost"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
        ]
        http.send_headers(1, head)
        http.send_data(1, b"\0" + struct.pack(">I", len(request)) + request, end_stream=True)
        connection.settimeout(seconds_left(end))
        connection.sendall(http.data_to_send())
        while not reply.ended:
            data = _receive(connection, end)
            for event in http.receive_data(data):
                reply.take(http, event)
            if out := http.data_to_send():
                connection.settimeout(seconds_left(end))
                connection.sendall(out)
    except TimeoutError as e:
        raise NoReplyError("no reply in time") from e
    except (
        OSError,
        h2.exceptions.H2Error,
        hpack.exceptions.HPACKError,
        hyperframe.exceptions.HyperframeError,
        ValueError,
    ) as e:
        raise ProtocolError(f"{type(e).__name__}: {e}"[:200]) from e
    return reply.message()


def _receive(connection: socket.socket, end: float) -> bytes:
    if time.monotonic() >= end:
        raise TimeoutError
    connection.settimeout(seconds_left(end))
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionError("the connection was closed")
    return data


class _Reply:
    """The reply as received so far."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.heads: dict[str, str] = {}
        self.ended = False

    def take(self, http: H2Connection, event: object) -> None:
        kind = type(event).__name__
        if kind in ("ResponseReceived", "TrailersReceived"):
            self.heads.update({_to_text(k): _to_text(v) for k, v in getattr(event, "headers", None) or ()})
        elif kind == "DataReceived":
            self.data += getattr(event, "data", b"")
            if len(self.data) > MAX_REPLY:
                raise ValueError("the reply is too long")
            http.acknowledge_received_data(getattr(event, "flow_controlled_length", 0), 1)
        elif kind in ("StreamEnded", "StreamReset", "ConnectionTerminated"):
            self.ended = True

    def message(self) -> bytes:
        """Return the reply's message. Errors: NotOfferedError, ProtocolError."""
        status = self.heads.get("grpc-status", "")
        if status == _UNIMPLEMENTED:
            raise NotOfferedError(unquote(self.heads.get("grpc-message", ""))[:200])
        if status != "0":
            detail = unquote(self.heads.get("grpc-message", ""))[:200]
            raise ProtocolError(f"gRPC status {status or '?'}: {detail}")
        if (
            len(self.data) < 5
            or self.data[0] != 0
            or struct.unpack(">I", self.data[1:5])[0] != len(self.data) - 5
        ):
            raise ProtocolError("no whole message in the reply")
        return bytes(self.data[5:])


def _to_text(value: object) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
