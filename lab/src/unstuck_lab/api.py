"""One request to the API server, with nothing but the standard library."""

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from unstuck_lab.errors import ApiError, LabError


@dataclass(frozen=True)
class Server:
    """Where the API server is, the file of its CA, and the token to show it."""

    url: str
    authority: str
    token: str


def request(
    server: Server,
    method: str,
    path: str,
    body: object = None,
    content_type: str = "application/json",
    timeout: float = 60,
) -> dict[str, Any]:
    """Send a request and return the JSON object of the answer (text as `message`).

    Raises `ApiError` for a status from 400 on and `LabError` when the server cannot
    be reached.
    """
    url = urlsplit(server.url)
    context = ssl.create_default_context(cafile=server.authority)
    connection = http.client.HTTPSConnection(url.netloc, context=context, timeout=timeout)
    headers = {"Authorization": f"Bearer {server.token}", "Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = content_type
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise LabError(f"cannot be reached: {error}", server.url, "`unstuck-lab status` tells what runs") from error
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
