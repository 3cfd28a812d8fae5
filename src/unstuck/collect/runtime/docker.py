"""dockerd over its UNIX socket: HTTP/1.1, four read-only calls, the API's version as the daemon offers it.

Source: docs.docker.com/engine/api (`/_ping` since 1.24 names `Api-Version`; `/version`; `/containers/json`,
`/containers/ID/json`).
"""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any
from urllib.parse import quote

from unstuck.collect.runtime.cri import POD_UID, CriListing
from unstuck.collect.runtime.local import NoReplyError, ProtocolError, connect, seconds_left
from unstuck.collect.runtime.reading import inner, is_id, string
from unstuck.facts.aspects.runtime import DOCKER_WORDS
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

MAX_REPLY = 16 << 20
_VERSION = regex(r"^1\.\d{1,3}$")


@record()
class DockerVersion(Record):
    """The answer of `/version`. api: the daemon's newest."""

    version: str
    api: str


class _Connection(http.client.HTTPConnection):
    """HTTP over an open connection."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__("localhost")
        self.sock = connection


def get(path: str, target: str, end: float) -> bytes:
    """Return the body of a GET answered with 200. Errors: NotAcceptedError, NoReplyError, ProtocolError."""
    connection = connect(path, end)
    asking = _Connection(connection)
    try:
        connection.settimeout(seconds_left(end))
        asking.request("GET", target, headers={"Host": "localhost", "Connection": "close"})
        connection.settimeout(seconds_left(end))
        answer = asking.getresponse()
        body = bytearray()
        while part := answer.read1(1 << 16):
            body += part
            if len(body) > MAX_REPLY:
                raise ProtocolError("the reply is too long")
            connection.settimeout(seconds_left(end))
        if answer.status != 200:
            raise ProtocolError(f"HTTP status {answer.status}")
        return bytes(body)
    except TimeoutError as e:
        raise NoReplyError("no reply in time") from e
    except (OSError, http.client.HTTPException, ValueError) as e:
        raise ProtocolError(f"{type(e).__name__}: {e}"[:200]) from e
    finally:
        asking.close()
        connection.close()


def fetch_version(path: str, end: float) -> DockerVersion:
    """Ask for the version. Errors: those of `get`."""
    doc = _parse_json(get(path, "/version", end))
    api = string(doc, "ApiVersion") if isinstance(doc, dict) else ""
    if not isinstance(doc, dict) or not _VERSION.match(api):
        raise ProtocolError("no version in the reply")
    return DockerVersion(string(doc, "Version")[:100], api)


def list_containers(path: str, api: str, uid: str | None, end: float) -> list[CriListing]:
    """Return Containers, ended ones too, of one Pod or of all. Errors: those of `get`."""
    wanted = f"&filters={quote(json.dumps({'label': [f'{POD_UID}={uid}']}))}" if uid else ""
    return parse_containers(get(path, f"/v{api}/containers/json?all=1{wanted}", end))


def request_status(path: str, api: str, container: str, end: float) -> None:
    """Ask for one container's state and drop the answer. Errors: those of `get`."""
    get(path, f"/v{api}/containers/{container}/json", end)


def parse_containers(data: bytes) -> list[CriListing]:
    """Parse the list of containers; other rows are left out. Errors: ProtocolError."""
    rows = _parse_json(data)
    if not isinstance(rows, list):
        raise ProtocolError("no list in the reply")
    out = []
    for row in rows:
        if not isinstance(row, dict) or not is_id(string(row, "Id")):
            continue
        labels = inner(row, "Labels")
        names = row.get("Names")
        name = names[0] if isinstance(names, list) and names and isinstance(names[0], str) else ""
        out.append(
            CriListing(
                string(row, "Id"),
                string(labels, "io.kubernetes.container.name") or name.lstrip("/")[:253],
                string(labels, POD_UID),
                DOCKER_WORDS.get(string(row, "State"), "unknown"),
                string(labels, "io.kubernetes.docker.type") == "podsandbox",
            )
        )
    return out


def _parse_json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as e:
        raise ProtocolError("the reply is no JSON") from e
