"""Requests to an API server that always end: in an answer, or in a value that says why there is none.

All of them are GETs but those of `write`, which only asking a node needs: a NodeProbe, a one-shot Pod, who one is.
"""

from __future__ import annotations

import json
import os
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from http.client import HTTPException, HTTPResponse
from typing import Literal
from urllib.parse import quote, urlencode

from unstuck import __version__
from unstuck.collect.kube.connection import LARGEST, Connection, DeadlineError, Target, TooLarge, proxy_from, target
from unstuck.collect.kube.credentials import Credentials
from unstuck.collect.kube.kubeconfig import Access, find_access
from unstuck.collect.kube.reply import Reply
from unstuck.collect.kube.tls import not_after, tls_context
from unstuck.errors import AccessError, Unreachable, UnstuckError
from unstuck.facts.core import WhyOpen

SECONDS = 15.0
LONGEST_WAIT = 5.0
RETRIES = 3
_REFUSED: Mapping[int, WhyOpen] = {401: "denied", 403: "denied", 408: "timeout", 429: "unreachable", 504: "timeout"}
JSON = "application/json"
# Credentials of a kind that the server does not look at (basic auth since 1.19, none at all) are no wrong ones to it.
_SENT = {"PATCH": "application/json-patch+json"}
_ANONYMOUS = 'User "system:anonymous"'


def load_client(
    context: str | None = None, kubeconfig: str | None = None, namespace: str | None = None, seconds: float = SECONDS
) -> Client:
    """The client for a context of a kubeconfig, or for the Pod that this runs in; sends nothing yet.

    context, kubeconfig, namespace: as given on the command line, None where not. seconds: the deadline of one request with its retries.
    Errors: AccessError, NotFound (context), InputError (a kubeconfig that does not read), each one line with what to do.
    """
    return Client(find_access(context, kubeconfig, namespace), seconds)


class Client:
    """One API server as one user. Safe for several threads: each request takes a connection of its own from those kept.

    requests: the path of every request that was sent, retries included. namespace: the context's, or the one asked for.
    """

    def __init__(self, access: Access, seconds: float = SECONDS, env: Mapping[str, str] | None = None) -> None:
        """env: where HTTPS_PROXY and NO_PROXY are looked up. Errors: AccessError for certificates or addresses that do not read."""
        self.access = access
        self.context = access.context
        self.namespace = access.namespace
        self.requests: list[str] = []
        self._seconds = seconds
        self._env = os.environ if env is None else env
        self._credentials = Credentials(access)
        self._target: Target | None = None
        self._idle: list[Connection] = []
        self._lock = threading.Lock()

    def get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        accept: str = JSON,
        seconds: float | None = None,
        retries: int = RETRIES,
    ) -> Reply:
        """One GET. path: as `Kind.path` makes it. seconds: the deadline of this request with its retries, the client's where not given.

        429 (with its Retry-After, at most 5 s at a time), 5xx and dropped connections are asked again up to `retries` times;
        a refused credential is renewed once where it can be. Never raises but AccessError, from what a kubeconfig names.
        """
        full = quote(path, safe="/:%") + (f"?{urlencode(params)}" if params else "")
        until = time.monotonic() + (self._seconds if seconds is None else seconds)
        renewed = False
        for attempt in range(retries + 1):
            reply, wait = self._once(("GET", full), accept, until)
            if reply.status == 401 and not renewed and self._credentials.forget():
                renewed = True
                self._renew()
                continue
            if wait is None or attempt == retries or time.monotonic() + wait >= until:
                break
            time.sleep(wait)
        return reply

    def write(self, method: Literal["POST", "DELETE", "PATCH"], path: str, doc: object, *, seconds: float | None = None) -> Reply:
        """One POST, DELETE or JSON patch with a document, sent once: whether a lost one has arrived is not known.

        It is put a second time only where the server refused to take it (429) or the connection, kept from earlier, was closed.
        path: with its query, if any. seconds, errors: as for `get`.
        """
        plain, mark, query = path.partition("?")
        full = quote(plain, safe="/:%") + mark + query
        until = time.monotonic() + (self._seconds if seconds is None else seconds)
        body = json.dumps(doc).encode()
        reply, wait = self._once((method, full), JSON, until, body)
        if reply.status == 401 and self._credentials.forget():
            self._renew()
            return self._once((method, full), JSON, until, body)[0]
        stale = reply.status == 0 and wait == 0.0
        if (stale or reply.status == 429) and wait is not None and time.monotonic() + wait < until:
            time.sleep(wait)
            return self._once((method, full), JSON, until, body)[0]
        return reply

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def error(self, reply: Reply) -> UnstuckError | None:
        """The error of one line for a reply that says that this cluster cannot be asked at all; None for any other."""
        who, where = f"user {self.access.user or 'anonymous'!r} of context {self.context!r}", self.access.server
        if reply.status == 401:
            return AccessError(f"{where} refused the credentials of {who}{self._expiry()}", self._log_in())
        if reply.status == 403 and _ANONYMOUS in reply.message:
            return AccessError(f"{where} knows no such credentials as those of {who}: it took them for nobody's", self._log_in())
        if reply.status == 0 and reply.why in ("unreachable", "timeout"):
            hint = "check the address, the network or proxy-url, and whether the API server runs"
            return Unreachable(f"{where} (context {self.context!r}) does not answer: {reply.detail}", hint)
        return None

    # --- one attempt ---------------------------------------------------------------------------------------------------

    def _once(self, request: tuple[str, str], accept: str, until: float, body: bytes | None = None) -> tuple[Reply, float | None]:
        """The reply, and after how many seconds asking again could help (None: never). request: method and path."""
        path = request[1]
        connection = self._take()
        headers = self._headers(accept, connection) | ({"Content-Type": _SENT.get(request[0], JSON)} if body is not None else {})
        self.requests.append(path)
        was_used = connection.used
        try:
            answer, told = connection.send(request, headers, self.access.headers, until, body)
        except DeadlineError:
            return Reply(path, 0, why="timeout", detail="no answer within the deadline"), None
        except TooLarge as e:
            return Reply(path, 0, why="not-offered", detail=f"the answer is too large: {e}"), None
        except ssl.SSLCertVerificationError as e:
            raise AccessError(
                f"the certificate of {self.access.server} cannot be trusted: {e.verify_message or e}",
                "check certificate-authority and tls-server-name of the kubeconfig's cluster",
            ) from e
        except ConnectionRefusedError as e:
            return Reply(path, 0, why="unreachable", detail=e.strerror or str(e)), None
        except ValueError as e:
            connection.close()
            raise AccessError(f"the credentials of {self.access.user or 'the context'!r} hold what no HTTP header can carry") from e
        except (OSError, HTTPException) as e:
            # A kept connection may have been closed by the server meanwhile: ask at once on a new one.
            return Reply(path, 0, why="unreachable", detail=_words(e)), 0.0 if was_used else 0.3
        self._idle_again(connection)
        return self._read(path, answer, told)

    def _read(self, path: str, answer: HTTPResponse, body: bytes) -> tuple[Reply, float | None]:
        unpacked = _unpack(answer.getheader("Content-Encoding"), body)
        if unpacked is None:
            return Reply(path, 0, why="not-offered", detail="the answer does not unpack or is too large"), None
        reply = Reply(path, answer.status, unpacked)
        if reply.ok or answer.status in (404, 410):
            return reply, None
        why = _REFUSED.get(answer.status, "unreachable" if answer.status >= 500 else "not-offered")
        refused = Reply(path, answer.status, unpacked, why, reply.message or answer.reason)
        if answer.status == 429 or answer.status >= 500:
            return refused, _retry_after(answer.getheader("Retry-After"))
        return refused, None

    def _headers(self, accept: str, connection: Connection) -> dict[str, str]:
        try:
            return {
                "Accept": accept,
                "Accept-Encoding": "gzip",
                "User-Agent": f"unstuck/{__version__}",
                **self._credentials.headers(),
            }
        except AccessError:
            connection.close()
            raise

    # --- connections ---------------------------------------------------------------------------------------------------

    def _take(self) -> Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._target is None:
                self._target = self._aim()
            return Connection(self._target)

    def _idle_again(self, connection: Connection) -> None:
        with self._lock:
            self._idle.append(connection)

    def _aim(self) -> Target:
        a = self.access
        tls = None
        if not a.server.startswith("http://"):
            tls = tls_context(a.ca, a.insecure, self._credentials.certificate(), a.cert_from)
        return target(a.server, tls, a.tls_name, a.proxy or proxy_from(self._env, a.server))

    def _renew(self) -> None:
        """After a refused credential: a plugin's certificate lives in the connections, so they go too."""
        self.close()
        with self._lock:
            self._target = None

    def _expiry(self) -> str:
        ends = not_after(self.access.cert) if self.access.cert else None
        if ends is None or ends > datetime.now(UTC):
            return ""
        return f": its client certificate ({self.access.cert_from}) expired at {ends:%Y-%m-%d %H:%M} UTC"

    def _log_in(self) -> str:
        if self.access.plugin:
            return f"log in again with {self.access.plugin.command}"
        return "get a new kubeconfig, or choose another --context"


def _retry_after(header: str | None) -> float:
    """Seconds; servers of Kubernetes send whole seconds only (an HTTP date counts as the longest wait)."""
    if header is None:
        return 0.5
    return min(float(header), LONGEST_WAIT) if header.isascii() and header.isdigit() and len(header) < 10 else LONGEST_WAIT


def _unpack(encoding: str | None, body: bytes) -> bytes | None:
    if encoding != "gzip":
        return body
    unpacker = zlib.decompressobj(31)
    try:
        out = unpacker.decompress(body, LARGEST)
    except zlib.error:
        return None
    return None if unpacker.unconsumed_tail else out


def _words(error: OSError | HTTPException) -> str:
    """An error's own words in one line."""
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
