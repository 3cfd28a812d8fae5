"""One request to the API server, with nothing but the standard library."""

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from unstuck_lab.errors import ApiError, LabError


class Way(Protocol):
    """A way to an API server."""

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        """A connection that nothing was sent on. timeout: seconds for each wait."""


@dataclass(frozen=True)
class Server:
    """Where the API server is, and the file of its CA."""

    url: str
    authority: str

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        """See `Way`."""
        context = ssl.create_default_context(cafile=self.authority)
        return http.client.HTTPSConnection(urlsplit(self.url).netloc, context=context, timeout=timeout)


def request(  # noqa: PLR0913, PLR0917 - the parts of one HTTP request
    server: Way,
    method: str,
    path: str,
    body: object = None,
    content_type: str = "application/json",
    timeout: float = 60,
    token: str | None = None,
    accept: str = "application/json",
) -> dict[str, Any]:
    """Send a request and return the JSON object of the answer (text as `message`).

    token: the bearer token to show. accept: the form that is wanted.
    Raises `ApiError` for a status from 400 on and `LabError` when the server cannot be reached.
    """
    connection = server.connect(timeout)
    headers = {"Accept": accept}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers["Content-Type"] = content_type
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise LabError(f"cannot be reached: {error}", "API server", "`unstuck-lab status` tells what runs") from error
    finally:
        connection.close()
    try:
        value = json.loads(text)
    except ValueError:
        value = {"message": text}
    if not isinstance(value, dict):
        value = {"value": value}
    if answer.status >= 400:
        raise ApiError(answer.status, str(value.get("reason", "")), str(value.get("message", text)), path)
    return value
