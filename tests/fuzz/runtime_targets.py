"""Targets of the container runtimes' readers: the CRI's messages, HTTP/2 over a socket, docker's,
containerd's and CRI-O's files.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic

from unstuck.collect.runtime import cri, docker, grpc, stores
from unstuck.collect.runtime.local import NoReplyError, ProtocolError
from unstuck.collect.runtime.protobuf import WireError, encode, encode_pair
from unstuck.collect.runtime.reading import parse

CONTAINER = "0a" * 32
_LABELS = encode_pair(8, "io.kubernetes.pod.uid", "1a2f2fd6-e4a7-4733-a9b2-c2b8175011d7")
_LIST = (
    encode(1, encode(1, CONTAINER) + encode(3, encode(1, "web") + encode(2, 1)) + encode(6, 1) + _LABELS) * 3
)
# SETTINGS, its acknowledgement, HEADERS with `:status 200`, and an empty message.
_FRAMES = (
    b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00\x40\x00"
    b"\x00\x00\x00\x04\x01\x00\x00\x00\x00"
    b"\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88"
    b"\x00\x00\x05\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00"
)


def _cri(data: bytes) -> None:
    """Read the bytes as they are, and after a truncated message."""
    for head in (b"", _LIST[: len(data) % len(_LIST)]):
        for read in (cri.parse_containers, cri.parse_sandboxes, lambda d: cri.parse_version(d, "runtime.v1")):
            with suppress(WireError):
                read(head + data)


def _grpc(data: bytes) -> None:
    """Read the bytes as a server's output, as they are and after good frames."""
    for head in (b"", _FRAMES[: len(data) % (len(_FRAMES) + 1)]):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(head + data[:50_000])
            theirs.shutdown(socket.SHUT_WR)
            with suppress(ProtocolError, NoReplyError):
                grpc.exchange(ours, "/runtime.v1.RuntimeService/Version", b"", monotonic() + 5)


def _files(data: bytes) -> None:
    stores.parse_docker(data, "fuzz")
    stores.containerd_settings(data.decode("utf-8", "replace"))
    with suppress(ProtocolError):
        docker.parse_containers(data)
    if (doc := parse(data)) is not None:
        stores.parse_cri_status(doc, "fuzz")
        stores.parse_crio(CONTAINER, doc, doc, "fuzz")
        stores.parse_docker_state(doc)


TARGETS: Mapping[str, Callable[[bytes], None]] = {"cri": _cri, "grpc": _grpc, "runtime-files": _files}

_STATE = {
    "Running": True,
    "Pid": 911,
    "StartedAt": "2026-11-21T06:00:01.123456789Z",
    "FinishedAt": "0001-01-01T00:00:00Z",
}
_DOCS: tuple[object, ...] = (
    {
        "ID": CONTAINER,
        "Name": "/k8s_web",
        "State": _STATE,
        "Config": {"Labels": {"io.kubernetes.pod.uid": "u"}},
    },
    {
        "Version": "v1",
        "Pid": 910,
        "CreatedAt": 1795226400000000000,
        "StartedAt": 1795226400000000000,
        "FinishedAt": 0,
        "ExitCode": 0,
    },
    [{"Id": CONTAINER, "Names": ["/web"], "State": "running", "Labels": {}}],
)
CORPUS: list[bytes] = [
    _LIST,
    _FRAMES,
    *(json.dumps(d).encode() for d in _DOCS),
    b'version = 2\nroot = "/data"\n',
]
