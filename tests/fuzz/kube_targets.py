"""Targets for the fast readers of a server's lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unstuck.collect.kube.scan import metadata
from unstuck.collect.runtime.protobuf import encode

_META = (
    encode(1, "web")
    + encode(3, "shop")
    + encode(5, "u" * 36)
    + encode(7, 300)
    + encode(8, encode(1, 1_790_000_000))
    + encode(9, encode(1, 1_790_000_000))
)
_LIST = (
    b"k8s\x00"
    + encode(1, encode(2, "PartialObjectMetadataList"))
    + encode(2, encode(1, encode(3, "next")) + encode(2, encode(1, _META)) * 3)
)


def _metadata(data: bytes) -> None:
    """Read the bytes as they are, and in place of a part of a good list."""
    metadata.parse(data)
    at = len(data) % len(_LIST)
    metadata.parse(_LIST[:at] + data)
    metadata.parse(_LIST[:at] + data + _LIST[at + len(data) :])


TARGETS: Mapping[str, Callable[[bytes], None]] = {"metadata": _metadata}
CORPUS = [
    _LIST,
    b'{"metadata":{"continue":""},"items":[{"metadata":{"name":"web","deletionTimestamp":null}}]}',
]
