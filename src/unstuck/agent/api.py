"""The few requests that the reporter sends to the API server, and one watch. Standard library only, little
memory.

The token is read for every request (the kubelet replaces it while this runs), the authority's certificate for
every connection. Raises ApiGoneError alone; every request has a time-out, a watch has the kernel's keep-alive
too.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
# An answer may be as large as the API server's limit for one object (3 MiB), for any page size.
_LARGEST = 4 << 20
_LONGEST_LINE = 1 << 20
_LONGEST_WAIT = 30.0


# Rows in place of objects: the columns of the CustomResourceDefinition, and with `includeObject=None` nothing
# else.
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class ApiGoneError(Exception):
    """No answer: the server cannot be reached, or the connection broke. The message gives the reason."""


class TooLargeError(ApiGoneError):
    """The answer is larger than the limit."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """status; the JSON body, {} if it is none. at: the server's clock. wait: seconds after which to try
    again, None if not given.
    """

    status: int
    doc: dict[str, Any] = field(default_factory=dict)
    at: float | None = None
    wait: float | None = None

    @property
    def message(self) -> str:
        """The server's own words, in one line."""
        return " ".join(str(self.doc.get("message", ""))[:400].split())


class Api:
    """One API server. host, port: from the Pod's environment. account: the directory with `token` and
    `ca.crt`.
    """

    def __init__(self, host: str, port: int, account: Path = ACCOUNT) -> None:
        self._host = host
        self._port = port
        self._account = account
        self._idle_connection: http.client.HTTPSConnection | None = None

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        seconds: float = 10.0,
        accept: str = "application/json",
    ) -> HttpReply:
        """Send one request. A kept connection that the server has closed meanwhile is reopened once.

        Errors: ApiGoneError, TooLargeError.
        """
        for fresh in (self._idle_connection is None, True):
            connection = self._idle_connection or self._connect(seconds)
            self._idle_connection = None
            try:
                answer = self._send(connection, method, path, body, seconds, accept)
            except TooLargeError:
                connection.close()
                raise
            except (OSError, http.client.HTTPException, ValueError) as e:
                connection.close()
                if fresh or isinstance(e, TimeoutError):
                    raise ApiGoneError(_words(e)) from e
                continue
            self._idle_connection = connection
            return answer
        raise AssertionError("unreachable")

    def watch(
        self, path: str, params: Mapping[str, str | int], silence: float, accept: str = "application/json"
    ) -> Generator[dict[str, Any], None, None]:
        """Yield Events of a watch until the server ends it. silence: seconds without a byte after which it is
        given up.

        Any answer other than 200 begins with `{"type": "STATUS", "status": N, …}`. Errors: ApiGoneError,
        TooLargeError for an event.
        """
        connection = self._connect(silence)
        try:
            connection.request("GET", f"{path}?{urlencode(params)}", headers=self._headers(accept))
            response = connection.getresponse()
            if response.status != 200:
                doc = _doc(response.read(_LARGEST))
                yield {
                    "type": "STATUS",
                    "status": response.status,
                    "message": doc.get("message"),
                    "wait": _wait(response),
                }
                return
            # Split at newlines only: Go's output may hold other characters that end a line elsewhere.
            rest = b""
            while part := response.read1(1 << 16):
                *whole, rest = (rest + part).split(b"\n")
                yield from filter(None, map(_doc, whole))
                if len(rest) > _LONGEST_LINE:
                    raise TooLargeError("an event longer than any that is asked for")
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise ApiGoneError(_words(e)) from e
        finally:
            connection.close()

    def _send(
        self,
        connection: http.client.HTTPSConnection,
        method: str,
        path: str,
        body: object,
        seconds: float,
        accept: str,
    ) -> HttpReply:
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        connection.request(
            method, path, data, self._headers(accept) | ({"Content-Type": "application/json"} if data else {})
        )
        response = connection.getresponse()
        text = response.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise TooLargeError("an answer larger than any that is read")
        at = None
        with suppress(TypeError, ValueError):
            at = parsedate_to_datetime(response.getheader("Date") or "").timestamp()
        return HttpReply(response.status, _doc(text), at, _wait(response))

    def _headers(self, accept: str) -> dict[str, str]:
        token = (self._account / "token").read_text(encoding="ascii").strip()
        return {"Authorization": f"Bearer {token}", "Accept": accept, "User-Agent": "unstuck-agent"}

    def _connect(self, seconds: float) -> http.client.HTTPSConnection:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.load_verify_locations(self._account / "ca.crt")
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=context)
            connection.connect()
            _keep_alive(connection.sock)
        except (OSError, ValueError) as e:
            raise ApiGoneError(_words(e)) from e
        return connection


def pause(failed: int, wait: float | None) -> float:
    """Return seconds until the next try: twice as long each time, never the same for all nodes, never less
    than the server asked for.

    failed: the number of failed tries. wait: seconds that the server asks to be left alone.
    """
    longest = min(_LONGEST_WAIT, 0.25 * float(2 ** min(failed, 8)))
    return max(longest * (0.5 + os.urandom(1)[0] / 512), min(wait or 0.0, 2 * _LONGEST_WAIT))


def _keep_alive(sock: socket.socket) -> None:
    """Make the kernel notice within a minute that the peer is gone."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)


def _doc(text: bytes) -> dict[str, Any]:
    try:
        doc = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return doc if isinstance(doc, dict) else {}


def _wait(response: http.client.HTTPResponse) -> float | None:
    text = response.getheader("Retry-After") or ""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 5 else None


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]
