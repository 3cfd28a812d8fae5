"""Requests to an API server: those who wait ask over one connection, and what changes something is sent
once.
"""

import http.client
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from unstuck_lab import api
from unstuck_lab.errors import LabError


class Counting(ThreadingHTTPServer):
    """connections: how many there were. asked: what came. closing: each is closed after its answer,
    without a word. silent: none comes.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.connections = 0
        self.asked: list[str] = []
        self.closing = False
        self.silent = threading.Event()


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Counting

    def handle(self) -> None:
        self.server.connections += 1
        super().handle()

    def do_GET(self) -> None:
        self.server.asked.append(self.command)
        if self.server.silent.is_set():
            self.rfile.read(1)  # until the one who asked has gone
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
        self.close_connection = self.server.closing

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@dataclass(frozen=True)
class Plain:
    port: int

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)


@pytest.fixture
def server() -> Iterator[Counting]:
    with Counting() as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def test_those_who_wait_ask_over_one_connection(server: Counting) -> None:
    way, kept = Plain(server.server_port), api.Kept()
    for _ in range(3):
        assert api.request(way, "GET", "/", kept=kept) == {}
    assert server.connections == 1


def test_what_changes_something_goes_over_a_connection_of_its_own(server: Counting) -> None:
    way, kept = Plain(server.server_port), api.Kept()
    for method in ("GET", "POST", "GET", "POST"):
        api.request(way, method, "/", kept=kept)
    assert (server.connections, server.asked) == (3, ["GET", "POST", "GET", "POST"])


def test_one_that_was_closed_meanwhile_is_made_anew(server: Counting) -> None:
    way, kept = Plain(server.server_port), api.Kept()
    server.closing = True
    for _ in range(3):
        assert api.request(way, "GET", "/", kept=kept) == {}
    assert (server.connections, len(server.asked)) == (3, 3)


def test_a_server_that_does_not_answer_is_not_asked_again(server: Counting) -> None:
    way, kept = Plain(server.server_port), api.Kept()
    api.request(way, "GET", "/", kept=kept)
    server.silent.set()
    with pytest.raises(LabError, match="cannot be reached"):
        api.request(way, "GET", "/", kept=kept, timeout=0.2)
    assert len(server.asked) == 2
