"""A proxy to the API server that cuts off every tenth connection in the middle."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Dropping:
    """The proxy on loopback. port: its port. dropped: the number of cut connections. through: the number of
    bytes from the server.
    """

    def __init__(self, to: int, every: int) -> None:
        self._to, self._every = to, every
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.dropped = self.through = self._count = 0
        self._lock = threading.Lock()

    def run(self) -> None:
        """Accept connections until `close`."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._count += 1
                # The second of each ten: a client with kept connections makes only a few.
                cut = self._every > 0 and self._count % self._every == 2 % self._every
            threading.Thread(target=self._carry, args=(client, cut), daemon=True).start()

    def _carry(self, client: socket.socket, cut: bool) -> None:
        server = socket.create_connection(("127.0.0.1", self._to))
        threading.Thread(target=self._forward, args=(client, server, 0), daemon=True).start()
        # Enough for the handshake and a part of an answer.
        self._forward(server, client, 20_000 if cut else 0)

    def _forward(self, source: socket.socket, sink: socket.socket, most: int) -> None:
        seen = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                seen += len(data)
                if most and seen > most:
                    with self._lock:
                        self.dropped += 1
                    break
                sink.sendall(data)
        with self._lock:
            self.through += seen if sink.getsockname()[1] == self.port else 0
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop accepting connections."""
        self._listener.close()


@contextmanager
def dropping(port: int, every: int = 10) -> Iterator[Dropping]:
    """Run the proxy during the block. every: 0 to drop none."""
    way = Dropping(port, every)
    threading.Thread(target=way.run, daemon=True).start()
    try:
        yield way
    finally:
        way.close()
