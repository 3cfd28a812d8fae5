"""GET requests to one kubelet, each with one deadline for the whole request; the bearer token is sent only to
its intended server.

HTTP/1.0, so that an answer ends with its connection and can be read as it comes. Sources:
pkg/kubelet/server/{server,auth}.go (paths, permissions, the words of a refusal), KEP-2862 (fine-grained
permissions).
"""

from __future__ import annotations

import hashlib
import re
import socket
import ssl
import time
from collections.abc import Callable

from unstuck.facts.core import WhyOpen
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

PORT = 10250
DEADLINE = 4.0
_CHUNK = 64 << 10
_MAX_HEAD = 64 << 10
_SHOWN = 300
# `Forbidden (user=…, verb=get, resource=nodes, subresource(s)=[pods proxy])`; before 1.33
# `subresource=proxy`.
_ASKED = regex(r"subresource(?:\(s\))?=\[?([a-z ]*)\]?")


@record()
class KubeletReply(Record):
    """One answer, or why there was none.

    why: None for an answer that was read to its end; else why the question stays open, in `detail` in words.
    seconds: until the end of the answer, None where the deadline was over first. status: 0 without an answer.
    """

    status: int = 0
    seconds: float | None = None
    why: WhyOpen | None = None
    detail: str = ""


class _NotTrustedError(Exception):
    """The peer's certificate does not prove that it is the kubelet."""


class KubeletClient:
    """One kubelet's HTTPS port.

    address: the node's IP address. token: a service account's bearer token. ca: PEM texts of the authorities
    to trust, or the kubelet's own certificate. deadline: seconds for each request, in all. here: the address
    is this very machine's (a Pod that asks the node it runs on): only then is a certificate that `ca` did not
    sign accepted; see docs/why/kubelet-api.md. fingerprint: SHA-256 of the certificate (hex) that was read on
    the node itself; where it is given, an unsigned certificate must have it.
    """

    def __init__(
        self,
        address: str,
        port: int,
        token: str,
        ca: str,
        deadline: float = DEADLINE,
        *,
        here: bool = False,
        fingerprint: str = "",
    ) -> None:
        self.address = address
        self.port = port
        self.deadline = deadline
        self._token = token.strip()
        self._ca = ca
        self._here = here
        self._fingerprint = fingerprint.replace(":", "").lower()
        self._unverified = False

    def trust(self) -> KubeletReply:
        """Make one handshake to learn whether the peer can be trusted; later requests verify it in the
        same way.
        """
        end = time.monotonic() + self.deadline
        begun = time.monotonic()
        try:
            self._connect(end).close()
        except (TimeoutError, OSError, ValueError, _NotTrustedError) as error:
            return self._failed(error)
        return KubeletReply(200, time.monotonic() - begun)

    def get(self, path: str, take: Callable[[bytes], None], *, cap: int) -> KubeletReply:
        """Return one GET. take: is given the parts of a 200's body, at most `cap` bytes. Never raises and
        never waits longer than the deadline; a body above `cap` is an answer that was not read to its end.
        """
        begun = time.monotonic()
        end = begun + self.deadline
        try:
            with self._connect(end) as connection:
                connection.settimeout(_count_left(end))
                connection.sendall(self._request(path))
                return self._read(connection, take, begun, end, cap)
        except (TimeoutError, OSError, ValueError, _NotTrustedError) as error:
            return self._failed(error)

    def _request(self, path: str) -> bytes:
        host = f"[{self.address}]" if ":" in self.address else self.address
        lines = [f"GET {path} HTTP/1.0", f"Host: {host}:{self.port}", "Accept: */*", "User-Agent: unstuck"]
        if self._token:
            lines.append(f"Authorization: Bearer {self._token}")
        if any("\r" in line or "\n" in line for line in lines):
            raise ValueError("a line break in a request's header")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def _connect(self, end: float) -> ssl.SSLSocket:
        if not self._unverified:
            try:
                return self._handshake(_context(self._ca), end)
            except ssl.SSLCertVerificationError as error:
                if not (self._here or self._fingerprint):
                    raise _NotTrustedError(
                        f"its certificate is not proved by the given authority ({error.verify_message})"
                    ) from None
                self._unverified = True
        connection = self._handshake(_make_unverified_context(), end)
        if (
            self._fingerprint
            and hashlib.sha256(connection.getpeercert(True) or b"").hexdigest() != self._fingerprint
        ):
            connection.close()
            raise _NotTrustedError("its certificate is not the one that the kubelet has on the node")
        return connection

    def _handshake(self, context: ssl.SSLContext, end: float) -> ssl.SSLSocket:
        plain = socket.create_connection((self.address, self.port), timeout=_count_left(end))
        try:
            plain.settimeout(_count_left(end))
            return context.wrap_socket(plain, server_hostname=self.address, suppress_ragged_eofs=False)
        except BaseException:
            plain.close()
            raise

    def _read(
        self, connection: ssl.SSLSocket, take: Callable[[bytes], None], begun: float, end: float, cap: int
    ) -> KubeletReply:
        head, rest = _head(connection, end)
        status, length = _status(head), _read_length(head)
        if status != 200:
            more = _receive(connection, end) if len(rest) < min(_SHOWN, length or 0) else b""
            return _make_refused_reply(
                status, (rest + more)[:4096].decode("utf-8", "replace"), time.monotonic() - begun
            )
        if length is not None and length > cap:
            return KubeletReply(status, None, "not-offered", f"an answer of {length} bytes is not read")
        got = 0
        part = rest
        while True:
            got += len(part)
            if got > cap:
                return KubeletReply(
                    status, None, "not-offered", f"an answer of more than {cap} bytes was not read to its end"
                )
            take(part)
            if got == length:
                break
            # Without a length, only a connection that was closed as TLS says it has given all (anything else
            # is an OSError).
            part = _receive(connection, end)
            if not part and length is None:
                break
            if not part:
                return KubeletReply(status, None, "unreachable", "the answer was cut off")
        return KubeletReply(status, time.monotonic() - begun)

    def _failed(self, error: Exception) -> KubeletReply:
        if isinstance(error, TimeoutError):
            return KubeletReply(why="timeout", detail=f"no answer in {self.deadline:g} s")
        if isinstance(error, _NotTrustedError):
            return KubeletReply(
                why="denied", detail=f"the token is not sent to {self.address}:{self.port}: {error}"
            )
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return KubeletReply(why="unreachable", detail=words or type(error).__name__)


def _context(ca: str) -> ssl.SSLContext:
    """Return a context that trusts only the given authorities, not the machine's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca.strip():
        context.load_verify_locations(cadata=ca)
    return context


def _make_unverified_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _count_left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _receive(connection: ssl.SSLSocket, end: float) -> bytes:
    connection.settimeout(_count_left(end))
    return connection.recv(_CHUNK)


def _head(connection: ssl.SSLSocket, end: float) -> tuple[bytes, bytes]:
    """Return the status line with the headers, and the part of the body received with them. Errors: OSError
    if the answer is not HTTP.
    """
    got = b""
    while b"\r\n\r\n" not in got:
        part = _receive(connection, end)
        if not part or len(got) > _MAX_HEAD:
            raise ConnectionError("no HTTP answer")
        got += part
    head, _, rest = got.partition(b"\r\n\r\n")
    return head + b"\r\n", rest


def _status(head: bytes) -> int:
    word = head.split(b"\r\n", 1)[0].split(b" ")[1:2]
    return int(word[0]) if word and word[0].isdigit() and len(word[0]) == 3 else 0


def _read_length(head: bytes) -> int | None:
    found = re.search(rb"\r\ncontent-length: *(\d{1,12})\r\n", head.lower())
    return int(found[1]) if found else None


def _make_refused_reply(status: int, body: str, seconds: float) -> KubeletReply:
    """Return the reason for a status other than 200. A refusal that names `proxy` alone comes from a kubelet
    that knows no finer permission for the path.
    """
    said = " ".join(body.split())[:_SHOWN]
    if status == 403:
        asked = _ASKED.search(body)
        if asked and asked[1].split() == ["proxy"]:
            return KubeletReply(
                status,
                seconds,
                "not-offered",
                "this kubelet has no fine-grained permission for it, and nodes/proxy is never used",
            )
        return KubeletReply(status, seconds, "denied", said or "403")
    if status == 401:
        return KubeletReply(
            status,
            seconds,
            "denied",
            "401: the kubelet does not accept the token, or could not have it reviewed by the API server",
        )
    if status in (404, 405):
        return KubeletReply(status, seconds, "not-offered", said or str(status))
    return KubeletReply(status, seconds, "unreachable", f"{status}: {said}")
