"""A registry in one process, with one fault: `python -m unstuck_lab.registry FAULT ADDRESS PORT`.

It has the image `shop/web` with the tags 1.25.8 and 1.26.0: one layer with one file, made in memory. Faults:
`closed` (requires `jo` with the password `right`), `untrusted` (TLS with a self-made certificate), `plain`,
`limited` (429 for everything), `cut` (the layer is shorter than promised), `platform` (only for another
platform), `open` (none). Source: opencontainers/distribution-spec spec.md, image-spec image-index.md; RFC
7617.
"""

import base64
import gzip
import hashlib
import json
import ssl
import sys
import tempfile
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from unstuck_lab import shell
from unstuck_lab.images import Entry, make_layer
from unstuck_lab.paths import read_architecture

REPOSITORY = "shop/web"
TAGS = ("1.25.8", "1.26.0")
USER, PASSWORD = "jo", "right"
FAULTS = ("closed", "untrusted", "plain", "limited", "cut", "platform", "open")
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_OTHER = "s390x"


class _Store:
    """Blobs by digest, and the common digest of both tags."""

    def __init__(self, fault: str) -> None:
        self.blobs: dict[str, tuple[str, bytes]] = {}
        layer = make_layer([Entry("hello", 0o644, b"hello\n" * 1000)])
        arch = _OTHER if fault == "platform" else read_architecture()
        config = {
            "architecture": arch,
            "os": "linux",
            "config": {"Cmd": ["/hello"]},
            "rootfs": {"type": "layers", "diff_ids": [_compute_digest(layer)]},
        }
        packed = self.add(gzip.compress(layer, 1, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")
        described = self.add(_dump_json(config), "application/vnd.oci.image.config.v1+json")
        manifest = self.add(
            _dump_json({"schemaVersion": 2, "mediaType": _MANIFEST, "config": described, "layers": [packed]}),
            _MANIFEST,
        )
        of_platform = {**manifest, "platform": {"architecture": arch, "os": "linux"}}
        self.index = self.add(
            _dump_json({"schemaVersion": 2, "mediaType": _INDEX, "manifests": [of_platform]}), _INDEX
        )["digest"]
        if fault == "cut":
            # The body matches the header, and is half of the size in the manifest.
            kind, whole = self.blobs[packed["digest"]]
            self.blobs[packed["digest"]] = kind, whole[: len(whole) // 2]

    def add(self, content: bytes, kind: str) -> dict[str, Any]:
        """Store a blob, and return its descriptor."""
        self.blobs[_compute_digest(content)] = kind, content
        return {"mediaType": kind, "digest": _compute_digest(content), "size": len(content)}


def _compute_digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _dump_json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


class _Handler(BaseHTTPRequestHandler):
    """One request; `fault` and `store` are set for all of them."""

    protocol_version = "HTTP/1.1"
    # Other input, such as a TLS handshake, is also answered in HTTP.
    default_request_version = "HTTP/1.1"
    fault = "open"
    store: _Store

    def do_GET(self) -> None:
        """Answer the read part of the distribution API."""
        if self.fault == "limited":
            return self._refuse(429, "TOOMANYREQUESTS", "You have reached your pull rate limit.")
        if self.fault == "closed" and self.headers.get("Authorization") != _format_basic_auth(USER, PASSWORD):
            return self._refuse(
                401, "UNAUTHORIZED", "authentication required", {"WWW-Authenticate": 'Basic realm="lab"'}
            )
        path = self.path.partition("?")[0]
        if path.rstrip("/") == "/v2":
            return self._respond(200, "application/json", b"{}")
        if path == f"/v2/{REPOSITORY}/tags/list":
            return self._respond(200, "application/json", _dump_json({"name": REPOSITORY, "tags": TAGS}))
        last = path.rpartition("/")[2]
        digest = (
            self.store.index if path.startswith(f"/v2/{REPOSITORY}/manifests/") and last in TAGS else last
        )
        found = self.store.blobs.get(digest) if path.startswith(f"/v2/{REPOSITORY}/") else None
        if found is None:
            return self._refuse(404, "MANIFEST_UNKNOWN", "manifest unknown")
        return self._respond(200, *found, {"Docker-Content-Digest": digest})

    do_HEAD = do_GET  # noqa: N815 - http.server's name

    def _refuse(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        self._respond(
            status, "application/json", _dump_json({"errors": [{"code": code, "message": message}]}), headers
        )

    def _respond(self, status: int, kind: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Stay silent: there is no reader."""


def _format_basic_auth(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _make_tls_context(address: str) -> ssl.SSLContext:
    """Return a TLS context with a self-signed certificate for this address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as directory:
        cert, key = Path(directory, "cert"), Path(directory, "key")
        names = f"subjectAltName=IP:{address}"
        shell.run(
            [
                *(
                    "openssl",
                    "req",
                    "-x509",
                    "-newkey",
                    "ec",
                    "-pkeyopt",
                    "ec_paramgen_curve:prime256v1",
                    "-nodes",
                    "-days",
                    "2",
                ),
                *(
                    "-subj",
                    "/CN=registry of the lab",
                    "-addext",
                    names,
                    "-keyout",
                    str(key),
                    "-out",
                    str(cert),
                ),
            ]
        )
        context.load_cert_chain(cert, key)
    return context


def main(argv: list[str]) -> int:
    """Serve until ended. Return 2 if the fault is unknown."""
    fault, address, port = argv
    if fault not in FAULTS:
        return 2
    _Handler.fault, _Handler.store = fault, _Store(fault)
    server = ThreadingHTTPServer((address, int(port)), _Handler)
    if fault == "untrusted":
        server.socket = _make_tls_context(address).wrap_socket(server.socket, server_side=True)
    server.serve_forever(0.5)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
