"""One request to the API server, with only the standard library."""

import http.client
import json
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from unstuck_lab.errors import ApiError, LabError


class Connector(Protocol):
    """A connector to an API server."""

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        """Return an unused connection. timeout: seconds for each wait."""


@dataclass(frozen=True)
class ApiServer:
    """The API server's address, and the file of its CA."""

    url: str
    authority: str

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        """Connect as a `Connector` does."""
        context = ssl.create_default_context(cafile=self.authority)
        return http.client.HTTPSConnection(urlsplit(self.url).netloc, context=context, timeout=timeout)


class Kept(threading.local):
    """Keeps one open connection per thread, after its last GET: polling code asks often, and a handshake
    costs more than an answer.
    """

    def __init__(self) -> None:
        self._idle: dict[Connector, http.client.HTTPConnection] = {}

    def take(self, server: Connector, timeout: float) -> http.client.HTTPConnection | None:
        """Take this thread's connection unless it is known to be closed. timeout: seconds for each wait."""
        connection = self._idle.pop(server, None)
        if connection is None or connection.sock is None:
            return None
        connection.sock.settimeout(timeout)
        return connection

    def put(self, server: Connector, connection: http.client.HTTPConnection) -> None:
        """Keep a connection for the next request; its last answer must have been read."""
        self._idle[server] = connection


def request(  # noqa: PLR0913, PLR0917 - the parts of one HTTP request
    server: Connector,
    method: str,
    path: str,
    body: object = None,
    content_type: str = "application/json",
    timeout: float = 60,
    token: str | None = None,
    accept: str = "application/json",
    kept: Kept | None = None,
) -> dict[str, Any]:
    """Send a request and return the JSON object of the answer (text as `message`).

    token: the bearer token to send. accept: the wanted media type. kept: keeps connections for the next GET.
    Raises `ApiError` for a status of 400 or more, and `LabError` if the server cannot be reached.
    """
    headers = {"Accept": accept}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers["Content-Type"] = content_type
    asked = (method, path, None if body is None else json.dumps(body), headers)
    # A change must not be sent twice, so it never uses a connection that may have been closed meanwhile.
    kept = kept if method == "GET" else None
    old = kept.take(server, timeout) if kept else None
    connection = old or server.connect(timeout)
    try:
        try:
            status, text = _exchange(connection, *asked)
        except (OSError, http.client.HTTPException) as error:
            if old is None or isinstance(error, TimeoutError):
                raise
            connection.close()
            connection = server.connect(timeout)
            status, text = _exchange(connection, *asked)
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise LabError(
            f"cannot be reached: {error}", "API server", "`unstuck-lab status` tells what runs"
        ) from error
    if kept is not None and connection.sock is not None:
        kept.put(server, connection)
    else:
        connection.close()
    try:
        value = json.loads(text)
    except ValueError:
        value = {"message": text}
    if not isinstance(value, dict):
        value = {"value": value}
    if status >= 400:
        raise ApiError(status, str(value.get("reason", "")), str(value.get("message", text)), path)
    return value


def _exchange(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    data: str | None,
    headers: Mapping[str, str],
) -> tuple[int, str]:
    """Send the request, and return the status and text of the answer."""
    connection.request(method, path, data, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(errors="replace")
