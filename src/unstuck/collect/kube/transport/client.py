"""Requests to an API server that always end: in an answer, or in a value with the reason why there is none.

All of them are GETs except those of `write`, which only node access needs: a NodeProbe, a one-shot Pod, the
user's own identity.
"""

from __future__ import annotations

import json
import os
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Literal
from urllib.parse import quote, urlencode

from unstuck import __version__
from unstuck.collect.kube.transport.address import format_address, parse_server, proxy_from
from unstuck.collect.kube.transport.client_errors import LATE, error_of
from unstuck.collect.kube.transport.connection import Connection, DeadlineError, Target, target
from unstuck.collect.kube.transport.credentials import Credentials
from unstuck.collect.kube.transport.kubeconfig import Access, find_access
from unstuck.collect.kube.transport.overrides import NOTHING, Overrides, deadline
from unstuck.collect.kube.transport.reply import Reply, make_too_large
from unstuck.collect.kube.transport.room import MIB, Room, Share, TooLarge, unpack
from unstuck.collect.kube.transport.tls import tls_context
from unstuck.collect.masking import mask
from unstuck.collect.objects.segments import leads_elsewhere
from unstuck.errors import AccessError, UnstuckError
from unstuck.facts.core import WhyOpen
from unstuck.facts.text import Messages, same_in_both

say = Messages(__name__)

SECONDS = 15.0
LONGEST_WAIT = 5.0
RETRIES = 3
_REFUSED: Mapping[int, WhyOpen] = {
    401: "denied",
    403: "denied",
    408: "timeout",
    429: "unreachable",
    504: "timeout",
}
JSON = "application/json"
# Credentials of a kind that the server does not look at (basic auth since 1.19, none at all) are no wrong
# ones to it.
_SENT = {"PATCH": "application/json-patch+json"}
# The limit of a refusal's body: its message, and the few objects that it is about.
_REFUSAL = MIB


def load_client(
    context: str | None = None,
    kubeconfig: str | None = None,
    namespace: str | None = None,
    seconds: float = SECONDS,
    given: Overrides = NOTHING,
) -> Client:
    """Return the client for a context of a kubeconfig, or for the Pod that this runs in; sends nothing yet.

    context, kubeconfig, namespace: as given on the command line, else None. seconds: the deadline of one
    request with its retries. given: the command line's overrides. Errors: AccessError, NotFound (context),
    InputError (an invalid kubeconfig), each one line with a remedy.
    """
    return Client(find_access(context, kubeconfig, namespace, given=given), deadline(given, seconds))


class Client:
    """One API server as one user. Safe for several threads: each request takes a connection of its own from
    those kept.

    requests: the path of every request sent, retries included. namespace: the context's, or the chosen one.
    """

    def __init__(
        self, access: Access, seconds: float = SECONDS, env: Mapping[str, str] | None = None
    ) -> None:
        """Prepare requests. env: where HTTPS_PROXY and NO_PROXY are looked up. Errors: AccessError for bad
        certificates or addresses.
        """
        self.access = access
        self.context = access.context
        self.namespace = access.namespace
        self.requests: list[str] = []
        self._seconds = seconds
        self._env = os.environ if env is None else env
        parse_server(access.server)
        self._credentials = Credentials(access)
        self._target: Target | None = None
        self._idle: list[Connection] = []
        self._room = Room()
        self._lock = threading.Lock()
        self._gap, self._next = 0.0, 0.0

    def pace(self, qps: float) -> None:
        """Allow at most this many requests a second from now on, retries included."""
        self._gap = 1.0 / qps

    def _turn(self, until: float) -> float:
        """Wait for this request's turn. until: its deadline; returns the deadline from then on: time spent
        waiting does not count.
        """
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            if self._gap:
                self._next = at + self._gap
        if at > now:
            time.sleep(at - now)
        return until + at - now

    def _hold(self, seconds: float) -> None:
        """Hold all requests until then: the server has too many of them (429), whichever thread's was
        refused.
        """
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        accept: str = JSON,
        seconds: float | None = None,
        retries: int = RETRIES,
        whole_list: bool = False,
    ) -> Reply:
        """Send one GET and return its reply. path: as `Kind.path` makes it. seconds: the deadline of this
        request with its retries, by default the client's.

        whole_list: the answer is a list of all objects in a short form, which may be larger than any other
        answer. 429 (with its Retry-After, at most 5 s at a time), 5xx and dropped connections are retried up
        to `retries` times; a refused credential is renewed once if possible. Never raises except AccessError,
        from the kubeconfig's contents.
        """
        if leads_elsewhere(path):
            return _no_path(path)
        full = quote(path, safe="/:%") + (f"?{urlencode(params)}" if params else "")
        until = time.monotonic() + (self._seconds if seconds is None else seconds)
        renewed = False
        for attempt in range(retries + 1):
            until = self._turn(until)
            reply, wait = self._try_once(
                ("GET", full), accept, until, Share(self._room, whole_list=whole_list)
            )
            if reply.status == 401 and not renewed and self._credentials.forget():
                renewed = True
                self._renew()
                continue
            if wait is None or attempt == retries or time.monotonic() + wait >= until:
                break
            time.sleep(wait)
        return reply

    def write(
        self,
        method: Literal["POST", "DELETE", "PATCH"],
        path: str,
        doc: object,
        params: Mapping[str, str] | None = None,
        *,
        seconds: float | None = None,
    ) -> Reply:
        """Send one POST, DELETE or JSON patch with a document, once: a request without an answer may still
        have arrived.

        It is sent a second time only if the server refused to take it (429) or the connection, kept from
        earlier, was closed. path, params, seconds, errors: as for `get`.
        """
        if leads_elsewhere(path):
            return _no_path(path)
        full = quote(path, safe="/:%") + (f"?{urlencode(params)}" if params else "")
        until = time.monotonic() + (self._seconds if seconds is None else seconds)
        body = json.dumps(doc).encode()
        until = self._turn(until)
        reply, wait = self._try_once((method, full), JSON, until, Share(self._room), body)
        if reply.status == 401 and self._credentials.forget():
            self._renew()
            return self._try_once((method, full), JSON, until, Share(self._room), body)[0]
        stale = reply.status == 0 and wait == 0.0
        if (stale or reply.status == 429) and wait is not None and time.monotonic() + wait < until:
            time.sleep(wait)
            return self._try_once((method, full), JSON, until, Share(self._room), body)[0]
        return reply

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def error(self, reply: Reply) -> UnstuckError | None:
        """Return the error of one line for a reply that says that this cluster cannot be asked at all;
        None for any other.
        """
        return error_of(reply, self.access, self._proxy(), withheld=self._credentials.withheld)

    # --- one attempt ----------------------------------------------------------------------------------------

    def _try_once(
        self, request: tuple[str, str], accept: str, until: float, share: Share, body: bytes | None = None
    ) -> tuple[Reply, float | None]:
        """Return the reply, and after how many seconds asking again could help (None: never). request:
        method and path.
        """
        path = request[1]
        connection = self._take()
        headers = self._headers(accept, connection) | (
            {"Content-Type": _SENT.get(request[0], JSON)} if body is not None else {}
        )
        self.requests.append(path)
        was_used = connection.used
        try:
            answer, told = connection.send(request, headers, self.access.headers, until, share, body)
        except DeadlineError:
            return Reply(path, 0, why="timeout", detail=LATE.en, stopped_at=connection.stopped_at), None
        except TooLarge as e:
            return make_too_large(path, e), None
        except ssl.SSLCertVerificationError as e:
            why, where = mask((e.verify_message or str(e)).rstrip(".")), format_address(self.access.server)
            raise AccessError(
                say("the certificate of {where} cannot be trusted: {why}", where=where, why=why),
                say("check certificate-authority and tls-server-name of the kubeconfig's cluster"),
            ) from e
        except ConnectionRefusedError as e:
            return Reply(
                path, 0, why="unreachable", detail=e.strerror or str(e), stopped_at=connection.stopped_at
            ), None
        except ValueError as e:
            connection.close()
            user = same_in_both(repr(self.access.user)) if self.access.user else say("'the context'")
            raise AccessError(
                say("the credentials of {user} hold what no HTTP header can carry", user=user)
            ) from e
        except (OSError, HTTPException) as e:
            # A kept connection may have been closed by the server meanwhile: ask at once on a new one.
            return Reply(
                path, 0, why="unreachable", detail=_words(e), stopped_at=connection.stopped_at
            ), 0.0 if was_used else 0.3
        self._idle_again(connection)
        try:
            return self._read(path, answer, told, share)
        except TooLarge as e:
            return make_too_large(path, e), None
        except zlib.error:
            return Reply(path, 0, why="unreachable", detail="the answer does not unpack"), None

    def _read(self, path: str, answer: HTTPResponse, body: bytes, share: Share) -> tuple[Reply, float | None]:
        """Read a body. Errors: TooLarge; zlib.error if it is not packed as declared."""
        body = unpack(body, share) if answer.getheader("Content-Encoding") == "gzip" else body
        if answer.status >= 300:
            body = body[:_REFUSAL]
        share.take_decoded(body)
        reply = Reply(path, answer.status, body, share=share)
        if reply.ok or answer.status in (404, 410):
            return reply, None
        why = _REFUSED.get(answer.status, "unreachable" if answer.status >= 500 else "not-offered")
        refused = Reply(path, answer.status, body, why, reply.message or answer.reason)
        if answer.status == 429 or answer.status >= 500:
            wait = _retry_after(answer.getheader("Retry-After"))
            if answer.status == 429 and not reply.doc:
                self._hold(wait)
            return refused, wait
        return refused, None

    def _headers(self, accept: str, connection: Connection) -> dict[str, str]:
        try:
            return {
                "Accept": accept,
                "User-Agent": f"unstuck/{__version__}",
                **self._credentials.headers(),
            }
        except AccessError:
            connection.close()
            raise

    # --- connections ----------------------------------------------------------------------------------------

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
        if parse_server(a.server).scheme == "https":
            tls = tls_context(a.ca, a.insecure, self._credentials.certificate(), a.cert_from)
        return target(a.server, tls, a.tls_name, self._proxy(), a.compress)

    def _proxy(self) -> str | None:
        return self.access.proxy or proxy_from(self._env, self.access.server)

    def _renew(self) -> None:
        """Renew a refused credential: a plugin's certificate lives in the connections, so they go too."""
        self.close()
        with self._lock:
            self._target = None


def _no_path(path: str) -> Reply:
    return Reply(
        path, 0, why="not-offered", detail="not asked: a name in its path would lead the server elsewhere"
    )


def _retry_after(header: str | None) -> float:
    """Return Seconds; servers of Kubernetes send whole seconds only (an HTTP date counts as the longest
    wait).
    """
    if header is None:
        return 0.5
    return (
        min(float(header), LONGEST_WAIT)
        if header.isascii() and header.isdigit() and len(header) < 10
        else LONGEST_WAIT
    )


def _words(error: OSError | HTTPException) -> str:
    """Return an error's own words in one line."""
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
