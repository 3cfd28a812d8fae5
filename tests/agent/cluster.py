"""The part of an API server that the reporter uses: NodeProbes and NodeReports over HTTPS, with list, watch
and failures.

A request for a table gets rows with the columns of charts/unstuck, like the real server's; other requests get
whole objects.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import trustme

from tests.patience import stretch

_BASE = "/apis/unstuck.dev/v1/namespaces/unstuck-system/"
Doc = dict[str, Any]


class Cluster:
    """probes, reports: by name. asked: (method, path with query). tokens: the used ones, in order. pages: the
    limit of each list. fails: called for each request; a returned (status, headers) is the answer instead.
    """

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.version = 100
        self.probes: dict[str, Doc] = {}
        self.reports: dict[str, Doc] = {}
        self.events: list[tuple[int, Doc]] = []
        self.asked: list[tuple[str, str]] = []
        self.tokens: list[str] = []
        self.pages: list[int] = []
        self.fails: Callable[[str, str], tuple[int, dict[str, str]] | None] = lambda _method, _path: None
        self.cut = 0
        self.oldest = 0

    def probe(
        self, name: str, node: str = "n1", age: float = 0.0, meta: Doc | None = None, **spec: Any
    ) -> str:
        """Create a NodeProbe; its uid. meta: more of its metadata."""
        with self.lock:
            self.version += 1
            uid = f"{self.version:08d}-0000-0000-0000-000000000000"
            doc = {
                "metadata": {
                    "name": name,
                    "uid": uid,
                    "resourceVersion": str(self.version),
                    "creationTimestamp": (datetime.now(UTC) - timedelta(seconds=age)).strftime(
                        "%Y-%m-%dT%H:%M:%SZ"
                    ),
                    **(meta or {}),
                },
                "spec": {"nodeName": node, "requestedBy": "me", "deadlineSeconds": 5, **spec},
            }
            self.probes[name] = doc
            self._tell("ADDED", doc)
            return uid

    def remove(self, name: str) -> None:
        """Delete a NodeProbe."""
        with self.lock:
            self.version += 1
            self._tell("DELETED", self.probes.pop(name))

    def _tell(self, kind: str, doc: Doc) -> None:
        self.events.append((self.version, {"type": kind, "object": doc}))
        self.lock.notify_all()

    def end_watches(self) -> None:
        """End all open watches."""
        with self.lock:
            self.cut += 1
            self.lock.notify_all()

    def wait(self, what: Callable[[], bool], seconds: float = 20.0) -> bool:
        """Wait until a condition holds; return False if it does not in time."""
        end = time.monotonic() + stretch(seconds)
        while time.monotonic() < end:
            with self.lock:
                if what():
                    return True
            time.sleep(0.01)
        return False

    def watching(self) -> int:
        """Return the number of watches begun."""
        return sum("watch=1" in path for _, path in self.asked)


_COLUMNS = {
    "Name": ("metadata", "name"),
    "Node": ("spec", "nodeName"),
    "Asked by": ("spec", "requestedBy"),
    "Age": (),
    "UID": ("metadata", "uid"),
    "Created": ("metadata", "creationTimestamp"),
    "Deadline": ("spec", "deadlineSeconds"),
    "Since": ("spec", "since"),
    "Wants": ("spec", "wants"),
    "Pod namespace": ("spec", "pod", "namespace"),
    "Pod": ("spec", "pod", "name"),
    "Pod UID": ("spec", "pod", "uid"),
}


def make_table(items: list[Doc], meta: Doc, heads: bool = True) -> Doc:
    """Return objects as a table. heads: whether it names its columns, as in the first one of a list or a
    watch.
    """
    rows = [
        {"cells": [_make_cell(item, keys) for keys in _COLUMNS.values()], "object": None} for item in items
    ]
    return {
        "kind": "Table",
        "metadata": meta,
        "columnDefinitions": [{"name": n} for n in _COLUMNS] if heads else None,
        "rows": rows,
    }


def _make_row_events(event: Any, heads: bool) -> Doc | None:
    """Return an event with the row of its object, None for an event without an object."""
    found = event.get("object") if isinstance(event, dict) else None
    if not isinstance(found, dict) or "spec" not in found:
        return None
    return {
        "type": event["type"],
        "object": make_table([found], {"resourceVersion": found["metadata"]["resourceVersion"]}, heads),
    }


def _make_cell(item: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        item = item.get(key) if isinstance(item, dict) else None
    return item if keys else "5s"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def cluster(self) -> Cluster:
        return self.server.cluster

    def _begun(self) -> bool:
        cluster = self.cluster
        with cluster.lock:
            cluster.asked.append((self.command, self.path))
            # A test that has seen the request may end its watch at once.
            self._cut = cluster.cut
            cluster.tokens.append(self.headers["Authorization"] or "")
        failed = cluster.fails(self.command, self.path)
        if failed is not None:
            if self.command == "POST":
                self.rfile.read(int(self.headers["Content-Length"]))
            self._respond(
                failed[0], {"kind": "Status", "message": "as the test says", "code": failed[0]}, failed[1]
            )
        return failed is None

    def _respond(self, status: int, doc: Doc, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(doc).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        if not self._begun():
            return
        cluster, query = self.cluster, parse_qs(urlsplit(self.path).query)
        if "watch" in query:
            self._watch(int(query["resourceVersion"][0]), self._tabular(query))
            return
        begin, limit = int(query.get("continue", ["0"])[0]), int(query["limit"][0])
        with cluster.lock:
            cluster.pages.append(limit)
            items = [cluster.probes[name] for name in sorted(cluster.probes)]
            meta = {"resourceVersion": str(cluster.version)} | (
                {"continue": str(begin + limit)} if begin + limit < len(items) else {}
            )
        page = items[begin : begin + limit]
        self._respond(
            200, make_table(page, meta) if self._tabular(query) else {"metadata": meta, "items": page}
        )

    def _tabular(self, query: dict[str, list[str]]) -> bool:
        return "as=Table" in self.headers["Accept"] and query.get("includeObject") == ["None"]

    def _watch(self, since: int, tabular: bool) -> None:
        cluster, heads = self.cluster, True
        if since < cluster.oldest:
            self._stream_head()
            self._chunk(
                {
                    "type": "ERROR",
                    "object": {"kind": "Status", "code": 410, "message": "too old resource version"},
                }
            )
            self._chunk(None)
            return
        self._stream_head()
        with cluster.lock:
            while cluster.cut == self._cut:
                for version, event in [e for e in cluster.events if e[0] > since]:
                    since = version
                    rows = _make_row_events(event, heads) if tabular else None
                    heads = heads and rows is None
                    self._chunk(rows or event)
                cluster.lock.wait(0.2)
        self._chunk(None)

    def _stream_head(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, doc: Doc | None) -> None:
        data = b"" if doc is None else json.dumps(doc).encode() + b"\n"
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def do_POST(self) -> None:
        if not self._begun():
            return
        doc = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        cluster, name = self.cluster, doc["metadata"]["name"]
        with cluster.lock:
            there = name in cluster.reports
            cluster.reports.setdefault(name, doc)
        self._respond(409 if there else 201, doc)

    def do_DELETE(self) -> None:
        if not self._begun():
            return
        kind, _, name = urlsplit(self.path).path.removeprefix(_BASE).partition("/")
        cluster = self.cluster
        with cluster.lock:
            held = cluster.probes if kind == "nodeprobes" else cluster.reports
            found = name in held
            if kind == "nodeprobes" and found:
                cluster.version += 1
                cluster._tell("DELETED", held.pop(name))
            elif found:
                held.pop(name)
        self._respond(200 if found else 404, {})

    def log_message(self, *_: object) -> None:
        """Stay silent."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *_: object) -> None:
        """Ignore a client that goes away."""


_CA = trustme.CA()


@contextmanager
def serving(cluster: Cluster, account: Path, port: int = 0) -> Iterator[int]:
    """Run a server for the cluster and yield its port. account: gets `token` and `ca.crt` if missing."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _CA.issue_cert("127.0.0.1").configure_cert(context)
    account.mkdir(exist_ok=True)
    _CA.cert_pem.write_to_path(str(account / "ca.crt"))
    if not (account / "token").exists():
        (account / "token").write_text("first")
    server = _Server(("127.0.0.1", port), _Handler)
    server.cluster = cluster
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        cluster.end_watches()
        server.shutdown()
        with suppress(OSError):
            server.server_close()
        thread.join(5)
