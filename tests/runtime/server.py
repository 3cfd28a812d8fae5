"""Real sockets with servers: a gRPC server with h2's server side, an HTTP server, and a silent one."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import h2.config
import h2.connection
import h2.events

Handler = Callable[[socket.socket], None]


@contextmanager
def listening(path: Path, handle: Handler | None, backlog: int = 16) -> Iterator[Path]:
    """Listen on a socket at `path`. handle: called with each connection; None to accept none, as in a daemon
    in state T.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(path))
        server.listen(backlog)
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                with suppress(OSError):
                    connection, _ = server.accept()
                    connection.settimeout(5)
                    with connection, suppress(OSError):
                        assert handle is not None
                        handle(connection)

        thread = threading.Thread(target=serve, daemon=True)
        if handle is not None:
            thread.start()
        try:
            yield path
        finally:
            ended.set()
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            if handle is not None:
                thread.join(5)


def answer_grpc(reply: Callable[[str, bytes], tuple[str, bytes]]) -> Handler:
    """Return a handler of one gRPC call. reply: (method, request) → (grpc-status, message)."""

    def handle(connection: socket.socket) -> None:
        http = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        )
        http.initiate_connection()
        connection.sendall(http.data_to_send())
        method, body, heads = "", b"", {}
        while data := connection.recv(1 << 16):
            for event in http.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    heads = {str(k): str(v) for k, v in event.headers}
                    method = heads[":path"]
                elif isinstance(event, h2.events.DataReceived):
                    body += event.data
                elif isinstance(event, h2.events.StreamEnded):
                    assert heads[":authority"] == "localhost"
                    status, message = reply(method, body[5:])
                    http.send_headers(1, [(":status", "200"), ("content-type", "application/grpc")])
                    _send(
                        http,
                        connection,
                        b"\0" + struct.pack(">I", len(message)) + message if status == "0" else b"",
                    )
                    http.send_headers(
                        1, [("grpc-status", status), ("grpc-message", "unknown%20service")], end_stream=True
                    )
            connection.sendall(http.data_to_send())

    return handle


def _send(http: h2.connection.H2Connection, connection: socket.socket, data: bytes) -> None:
    while data:
        size = min(http.local_flow_control_window(1), http.max_outbound_frame_size, len(data))
        if not size:
            http.receive_data(connection.recv(1 << 16))
            continue
        http.send_data(1, data[:size])
        data = data[size:]
        connection.sendall(http.data_to_send())


def answer_http(bodies: dict[str, bytes]) -> Handler:
    """Return a handler of one HTTP/1.1 GET. bodies: by target; anything else is 404."""

    def handle(connection: socket.socket) -> None:
        got = b""
        while b"\r\n\r\n" not in got and (part := connection.recv(4096)):
            got += part
        target = got.split(b" ")[1].decode()
        body = bodies.get(target.partition("?")[0])
        status = b"200 OK" if body is not None else b"404 Not Found"
        connection.sendall(
            b"HTTP/1.1 "
            + status
            + b"\r\nContent-Length: "
            + str(len(body or b"")).encode()
            + b"\r\n\r\n"
            + (body or b"")
        )

    return handle


def send_bytes(data: bytes) -> Handler:
    """Return a handler that sends these bytes and closes."""

    def handle(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(data)

    return handle
