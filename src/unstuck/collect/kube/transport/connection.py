"""One connection to the API server: direct, or through an HTTP or SOCKS5 proxy; each request ends by its
deadline.

A socket's timeout counts from each byte to the next, so a server that sends slowly could hold it for ever: a
watchdog shuts the socket down at the deadline in any case.
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
from typing import Literal
from urllib.parse import SplitResult, unquote

from unstuck.collect.kube.transport.address import parse_proxy, parse_server
from unstuck.collect.kube.transport.compression import Compress, accept_encoding
from unstuck.collect.kube.transport.http1 import AnswerReader, Head, write_head
from unstuck.collect.kube.transport.room import Share
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
        self._line = _Line(to)
        self._host = _format_host(to)
        self.used = False

    @property
    def stopped_at(self) -> StoppedAt:
        """How far the last request came through a proxy; "" without a proxy, or if it passed."""
        return self._line.stopped_at

    def send(
        self,
        request: tuple[str, str],
        headers: Mapping[str, str],
        extra: tuple[tuple[str, str], ...],
        until: float,
        share: Share,
        body: bytes | None = None,
    ) -> tuple[Head, bytes]:
        """Return the answer and its body, not yet decoded. request: method and path. until:
        `time.monotonic()` of the deadline.

        share: the answer's share of the room; it grows as the answer arrives. Errors: DeadlineError,
        TooLarge, OSError, ssl.SSLError, MalformedError, ValueError for what no header can carry. After an
        error the connection is closed.
        """
        with Watchdog(self._line.cut, until) as watch:
            try:
                # First: the answer's encoding depends on the peer.
                sock, answers = self._line.open(until)
                own = {"Host": self._host, "Accept-Encoding": self._line.encoding}
                length = {} if body is None else {"Content-Length": str(len(body))}
                all_ = (*own.items(), *headers.items(), *extra, *length.items())
                sock.sendall(write_head(request[0], self._to.prefix + request[1], all_) + (body or b""))
                answer = answers.read_head()
                told = answers.read_body(answer, share)
            except BaseException as e:
                self.close()
                if watch.fired or isinstance(e, TimeoutError):
                    raise DeadlineError from e
                raise
        # A body that was cut by the watchdog may look complete if its length was not given.
        if watch.fired:
            self.close()
            raise DeadlineError
        # What nobody has asked for is no answer to the next request.
        if answer.closes or answers.ahead:
            self.close()
        self.used = True
        return answer, told

    def close(self) -> None:
        """Let go of the socket."""
        self._line.close()
        self.used = False


class _Line:
    """The way to the server: a socket, with both kinds of proxies. The certificate's name may differ from the
    address.

    encoding: of the answers, chosen by the server's actual address, not by its name. stopped_at: how far a
    request comes through a proxy.
    """

    def __init__(self, to: Target) -> None:
        self._to = to
        self.stopped_at: StoppedAt = ""
        self.encoding = accept_encoding(to.compress, "")
        self._sock: socket.socket | None = None
        self._answers: AnswerReader | None = None

    def open(self, until: float) -> tuple[socket.socket, AnswerReader]:
        """Connect unless connected; the time-out of every single operation ends by the deadline."""
        if self._sock is None or self._answers is None:
            self._sock = sock = self._connect(until)
            self._answers = AnswerReader(sock)
        self._sock.settimeout(_count_left(until))
        return self._sock, self._answers

    def cut(self) -> None:
        """Abort the connection's current operation, from another thread."""
        sock = self._sock
        if sock is not None:
            # The plain shutdown: SSLSocket's own forgets the TLS state under the reader's feet.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the socket."""
        sock, self._sock, self._answers = self._sock, None, None
        if sock is not None:
            sock.close()

    def _connect(self, until: float) -> socket.socket:
        to, via = self._to, self._to.proxy
        self.stopped_at = "before the proxy" if via else ""
        host, port = (via.hostname or "", via.port or _PORTS[via.scheme]) if via else (to.host, to.port)
        _resolve(host, port, until)
        # Assigned at once: only then can the watchdog end what follows.
        self._sock = sock = socket.create_connection((host, port), _count_left(until))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if via is not None:
            self.stopped_at = "behind the proxy"
            (_connect_http if via.scheme == "http" else _connect_socks5)(sock, via, to.host, to.port)
        self.encoding = accept_encoding(to.compress, "" if via else _peer(sock))
        self.stopped_at = ""
        if to.tls is None:
            return sock
        self._sock = safe = to.tls.wrap_socket(sock, server_hostname=to.name, do_handshake_on_connect=False)
        safe.settimeout(_count_left(until))
        safe.do_handshake()
        return safe


# Where a proxy listens whose address has no port.
_PORTS = {"http": 80, "socks5": 1080, "socks5h": 1080}


def _format_host(to: Target) -> str:
    host = _bracket(to.host if to.host.isascii() else to.host.encode("idna").decode())
    return host if to.port == 80 else f"{host}:{to.port}"


def _bracket(host: str) -> str:
    """Return a host as it stands before a port."""
    return f"[{host}]" if ":" in host else host


def _peer(sock: socket.socket) -> str:
    try:
        return str(sock.getpeername()[0])
    except OSError:  # it is gone already, which the request will report
        return ""


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


def _connect_http(sock: socket.socket, via: SplitResult, host: str, port: int) -> None:
    """Connect by CONNECT (RFC 9110), with user and password if the proxy-url has them."""
    target = f"{_bracket(host)}:{port}"
    headers = [("Host", target)]
    if via.username:
        pair = f"{unquote(via.username)}:{unquote(via.password or '')}".encode()
        headers.append(("Proxy-Authorization", f"Basic {b64encode(pair).decode()}"))
    sock.sendall(write_head("CONNECT", target, headers))
    head = AnswerReader(sock).read_head()
    if not 200 <= head.status < 300:
        raise OSError(f"Tunnel connection failed: {head.status} {head.reason}")


def _connect_socks5(sock: socket.socket, via: SplitResult, host: str, port: int) -> None:
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
