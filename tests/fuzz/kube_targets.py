"""Targets of what reads a server's lists at speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unstuck.collect.kube.scan import metadata
from unstuck.collect.runtime.protobuf import put

_META = put(1, "web") + put(3, "shop") + put(5, "u" * 36) + put(7, 300) + put(8, put(1, 1_790_000_000)) + put(9, put(1, 1_790_000_000))
_LIST = b"k8s\x00" + put(1, put(2, "PartialObjectMetadataList")) + put(2, put(1, put(3, "next")) + put(2, put(1, _META)) * 3)


def _metadata(data: bytes) -> None:
    """As they are, and in the place of a part of a good list."""
    metadata.parse(data)
    at = len(data) % len(_LIST)
    metadata.parse(_LIST[:at] + data)
    metadata.parse(_LIST[:at] + data + _LIST[at + len(data) :])


TARGETS: Mapping[str, Callable[[bytes], None]] = {"metadata": _metadata}
CORPUS = [_LIST, b'{"metadata":{"continue":""},"items":[{"metadata":{"name":"web","deletionTimestamp":null}}]}']
