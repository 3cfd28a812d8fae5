"""A real HTTP(S) server on loopback with a test's answers; and proxies in front of it."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[["Handler"], None]


@dataclass(frozen=True)
class Seen:
    """A request that arrived."""

    path: str
    headers: Message
    client_address: tuple[str, int]
    method: str = "GET"
    body: bytes = b""


class Handler(BaseHTTPRequestHandler):
    """One request; the test's script answers it."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.server.lock:
            self.server.seen.append(
                Seen(self.path, self.headers, self.client_address, self.command, self.body)
            )
        self.server.script(self)

    do_POST = do_DELETE = do_PATCH = do_GET  # noqa: N815 - http.server's names

    def say(self, status: int, body: Any = None, **headers: str) -> None:
        """Answer with a JSON document or bytes."""
        data = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def drop(self) -> None:
        """Close without an answer."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def peer(self) -> str:
        """Return the common name of the client's certificate, "" without one."""
        assert isinstance(self.connection, ssl.SSLSocket)
        cert = self.connection.getpeercert() or {}
        return next((v for rdn in cert.get("subject", ()) for k, v in rdn if k == "organizationName"), "")

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """seen: every received request. hold: set when a hanging script may end."""

    daemon_threads = True

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.seen, self.lock, self.hold = script, [], threading.Lock(), threading.Event()
        self.scheme = "https" if tls else "http"
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)

    @property
    def port(self) -> int:
        return self.server_address[1]

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def handle_error(self, *_: object) -> None:
        """Ignore clients that go away, as in some tests."""


@contextmanager
def serving(script: Script, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(script, tls)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.hold.set()
        server.shutdown()
        server.server_close()


@contextmanager
def listening(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """Run a bare TCP listener that passes each connection to `talk`, and yield its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=talk, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


def forward(a: socket.socket, b: socket.socket) -> None:
    """Forward bytes both ways until either side ends."""

    def pump(source: socket.socket, to: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                to.sendall(data)
        except OSError:
            pass
        finally:
            for s in (source, to):
                with suppress(OSError):
                    s.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=pump, args=(a, b), daemon=True).start()
    pump(b, a)
