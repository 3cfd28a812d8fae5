"""One connection to the API server: direct, or through an HTTP or SOCKS5 proxy; each request ends by its
deadline.

http.client's own timeout counts from each byte to the next, so a server that sends slowly could hold it for
ever: a watchdog shuts the socket down at the deadline in any case.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from io import BytesIO
from typing import Any, Literal
from urllib.parse import SplitResult, unquote

from unstuck.collect.kube.transport.address import parse_proxy, parse_server
from unstuck.collect.kube.transport.compression import Compress, accept_encoding
from unstuck.collect.kube.transport.room import MIB, Share
from unstuck.collect.kube.transport.watchdog import Watchdog
from unstuck.facts.record import Record, record

StoppedAt = Literal["", "before the proxy", "behind the proxy"]


class DeadlineError(TimeoutError):
    """The request did not end in time."""


@record()
class Target(Record):
    """Where to connect. name: for the server's certificate. prefix: a path before every request's (a
    proxying gateway has one).
    """

    host: str
    port: int
    tls: ssl.SSLContext | None
    name: str
    prefix: str = ""
    proxy: SplitResult | None = None
    compress: Compress = "auto"

    def __repr__(self) -> str:
        # The proxy's address may hold a password.
        return f"Target({self.host!r}, {self.port})"


def target(
    server: str,
    tls: ssl.SSLContext | None,
    tls_name: str | None,
    proxy: str | None,
    compress: Compress = "auto",
) -> Target:
    """Read `cluster.server` and its companions. Errors: AccessError for an address or a proxy of a form
    that cannot be used.
    """
    url, via = parse_server(server), parse_proxy(proxy) if proxy else None
    host, port = url.hostname or "", url.port or (443 if url.scheme == "https" else 80)
    return Target(
        host,
        port,
        tls if url.scheme == "https" else None,
        tls_name or host,
        url.path.rstrip("/"),
        via,
        compress,
    )


class Connection:
    """A kept-alive connection for one request at a time. used: whether a request has been answered on it
    before.
    """

    def __init__(self, to: Target) -> None:
        self._to = to
        self._http = _Tunnel(to)
        self.used = False

    @property
    def stopped_at(self) -> StoppedAt:
        """How far the last request came through a proxy; "" without a proxy, or if it passed."""
        return self._http.stopped_at

    def send(
        self,
        request: tuple[str, str],
        headers: Mapping[str, str],
        extra: tuple[tuple[str, str], ...],
        until: float,
        share: Share,
        body: bytes | None = None,
    ) -> tuple[HTTPResponse, bytes]:
        """Return the answer and its body, not yet decoded. request: method and path. until:
        `time.monotonic()` of the deadline.

        share: the answer's share of the room; it grows as the answer arrives. Errors: DeadlineError,
        TooLarge, OSError, ssl.SSLError, http.client.HTTPException. After an error the connection is closed.
        """
        with Watchdog(self._http.cut, until) as watch:
            try:
                self._http.deadline(until)
                # First: the answer's encoding depends on the peer.
                self._http.open()
                self._http.putrequest(request[0], self._to.prefix + request[1], skip_accept_encoding=True)
                self._http.putheader("Accept-Encoding", self._http.encoding)
                for name, value in (*headers.items(), *extra):
                    self._http.putheader(name, value)
                if body is not None:
                    self._http.putheader("Content-Length", str(len(body)))
                self._http.endheaders(body)
                answer = self._http.getresponse()
                told = _body(answer, share)
                if answer.length:  # http.client returns the part before a broken connection as if it were all
                    raise IncompleteRead(told, answer.length)
            except BaseException as e:
                self.close()
                if watch.fired or isinstance(e, TimeoutError):
                    raise DeadlineError from e
                raise
        # A body that was cut by the watchdog may look complete to http.client if its length was not given.
        if watch.fired:
            self.close()
            raise DeadlineError
        if answer.will_close:
            self.close()
        self.used = True
        return answer, told

    def close(self) -> None:
        """Let go of the socket."""
        self._http.close()
        self.used = False


class _Tunnel(HTTPConnection):
    """HTTPConnection with a certificate name that may differ from the address, and both kinds of proxies.

    encoding: of the answers, chosen by the server's actual address, not by its name.
    """

    def __init__(self, to: Target) -> None:
        self._target = to
        self._until = 0.0
        self.stopped_at: StoppedAt = ""
        self.encoding = accept_encoding(to.compress, "")
        # http.client forgets its socket while a body without a length is still being read from it.
        self._reading: socket.socket | None = None
        via = to.proxy
        if via is not None and via.scheme == "http":
            super().__init__(via.hostname or "", via.port or 80)
            self.set_tunnel(to.host, to.port, headers=_proxy_authorization(via))
        else:
            super().__init__(to.host, to.port)

    def deadline(self, until: float) -> None:
        """Set the time-out of every single operation of the coming request."""
        self._until = until
        self.timeout = _count_left(until)
        if self.sock:
            self.sock.settimeout(self.timeout)

    def open(self) -> None:
        """Connect unless connected."""
        if self.sock is None:
            self.connect()

    def cut(self) -> None:
        """Abort the connection's current operation, from another thread."""
        sock = self.sock or self._reading
        if sock is not None:
            # The plain shutdown: SSLSocket's own forgets the TLS state under the reader's feet.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def send(self, data: Any) -> None:
        if self.sock and self.stopped_at == "before the proxy":
            self.stopped_at = "behind the proxy"
        super().send(data)

    def getresponse(self) -> HTTPResponse:
        self._reading = self.sock
        return super().getresponse()

    def connect(self) -> None:
        via = self._target.proxy
        self.stopped_at = "before the proxy" if via else ""
        if via is not None and via.scheme.startswith("socks5"):
            _resolve(via.hostname or "", via.port or 1080, self._until)
            self.sock = socket.create_connection(
                (via.hostname or "", via.port or 1080), _count_left(self._until)
            )
            self.stopped_at = "behind the proxy"
            _socks5(self.sock, via, self._target.host, self._target.port)
        else:
            _resolve(self.host, self.port, self._until)
            super().connect()
            self.encoding = accept_encoding(self._target.compress, "" if via else _peer(self.sock))
        self.stopped_at = ""
        if self._target.tls is not None:
            # The handshake comes after the assignment: only then can the watchdog end it.
            self.sock = self._target.tls.wrap_socket(
                self.sock, server_hostname=self._target.name, do_handshake_on_connect=False
            )
            self.sock.settimeout(_count_left(self._until))
            self.sock.do_handshake()


def _peer(sock: socket.socket) -> str:
    try:
        return str(sock.getpeername()[0])
    except OSError:  # it is gone already, which the request will report
        return ""


def _body(answer: HTTPResponse, share: Share) -> bytes:
    """Read a body to its end. Errors: TooLarge before it exceeds the limit."""
    share.check(answer.length or 0)
    # Most bodies are one part. Of a longer one the buffer's value is handed over without a copy; joined parts
    # would be there twice.
    first = _read_part(answer, share, 0)
    if len(first) < MIB:
        return first
    body = BytesIO()
    body.write(first)
    while part := _read_part(answer, share, body.tell()):
        body.write(part)
    return body.getvalue()


def _read_part(answer: HTTPResponse, share: Share, so_far: int) -> bytes:
    """Read the next part of a body; one of less than a MiB is the last. Errors: TooLarge."""
    part = answer.read(MIB)
    share.check(so_far + len(part))
    share.take(len(part))
    return part


def _count_left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise DeadlineError
    return left


def _resolve(host: str, port: int, until: float) -> None:
    """Resolve a name with a deadline: the resolver knows none, so it runs in a thread that may be
    abandoned.
    """
    try:
        ipaddress.ip_address(host)
        return
    except ValueError:
        pass
    errors: list[OSError] = []

    def ask() -> None:
        try:
            socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as e:
            errors.append(e)
        except UnicodeError as e:
            errors.append(socket.gaierror(str(e)))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_count_left(until))
    if asking.is_alive():
        raise DeadlineError
    if errors:
        raise errors[0]


def _proxy_authorization(via: SplitResult) -> dict[str, str]:
    if not via.username:
        return {}
    pair = f"{unquote(via.username)}:{unquote(via.password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {b64encode(pair).decode()}"}


def _socks5(sock: socket.socket, via: SplitResult, host: str, port: int) -> None:
    """Connect by name (RFC 1928), with user and password (RFC 1929) if the proxy-url has them."""
    user, password = unquote(via.username or "").encode(), unquote(via.password or "").encode()
    sock.sendall(b"\x05\x01\x02" if user else b"\x05\x01\x00")
    _, method = _receive_exactly(sock, 2)
    if method == 2 and user:
        sock.sendall(bytes([1, len(user)]) + user + bytes([len(password)]) + password)
        if _receive_exactly(sock, 2)[1]:
            raise OSError("the SOCKS5 proxy refused the user or password")
    elif method:
        raise OSError("the SOCKS5 proxy offers no way of authentication that proxy-url has")
    name = host.encode("idna")
    sock.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + port.to_bytes(2))
    _, reply, _, kind = _receive_exactly(sock, 4)
    if reply:
        raise ConnectionRefusedError(f"the SOCKS5 proxy could not connect (reply {reply})")
    _receive_exactly(sock, {1: 4, 4: 16}.get(kind) or _receive_exactly(sock, 1)[0])
    _receive_exactly(sock, 2)


def _receive_exactly(sock: socket.socket, count: int) -> bytes:
    out = b""
    while len(out) < count:
        more = sock.recv(count - len(out))
        if not more:
            raise ConnectionResetError("the SOCKS5 proxy closed the connection")
        out += more
    return out
