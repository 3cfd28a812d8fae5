"""The CRI calls of the probe, with the message fields that it reads; all others are skipped.

Source: k8s.io/cri-api pkg/apis/runtime/v1/api.proto (v0.34; the same numbers in v1alpha2, which containerd
below 1.6 offers alone).
"""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.runtime.grpc import NotOfferedError, call
from unstuck.collect.runtime.local import ProtocolError
from unstuck.collect.runtime.protobuf import (
    WireError,
    encode,
    encode_pair,
    message,
    number,
    parse_fields,
    parse_pair,
    text,
)
from unstuck.facts.aspects.runtime import Word
from unstuck.facts.record import Record, record

APIS = ("runtime.v1", "runtime.v1alpha2")
POD_UID = "io.kubernetes.pod.uid"
_STATES: Mapping[int, Word] = {0: "created", 1: "running", 2: "exited", 3: "unknown"}
_SANDBOX_STATES: Mapping[int, Word] = {0: "running", 1: "exited"}


@record()
class CriVersion(Record):
    """The answer of `Version`. api: the name under which it was given."""

    name: str
    version: str
    api: str


@record()
class CriListing(Record):
    """One container or sandbox of a list. pod: its Pod's uid."""

    id: str
    name: str
    pod: str
    state: Word
    sandbox: bool


def fetch_version(path: str, end: float) -> CriVersion:
    """Return the runtime's name and version. Errors: as of `grpc.call`, with ProtocolError for a message that
    does not parse.
    """
    for api in APIS:
        try:
            return parse_version(call(path, f"/{api}.RuntimeService/Version", b"", end), api)
        except NotOfferedError as e:
            refused = e
        except WireError as e:
            raise ProtocolError(str(e)) from e
    raise refused


def list_containers(path: str, api: str, uid: str | None, end: float) -> list[CriListing]:
    """Return sandboxes and containers, of one Pod or of all. Errors: those of `grpc.call`."""
    try:
        # A filter's label_selector is field 3 of PodSandboxFilter and 4 of ContainerFilter.
        boxes = call(path, f"/{api}.RuntimeService/ListPodSandbox", _encode_filter(3, uid), end)
        inner = call(path, f"/{api}.RuntimeService/ListContainers", _encode_filter(4, uid), end)
        return [*parse_sandboxes(boxes), *parse_containers(inner)]
    except WireError as e:
        raise ProtocolError(str(e)) from e


def request_status(path: str, api: str, container: str, sandbox: bool, end: float) -> None:
    """Ask for one container's state as the kubelet does, without its details, and drop the answer. Errors:
    those of `grpc.call`.
    """
    method = "PodSandboxStatus" if sandbox else "ContainerStatus"
    call(path, f"/{api}.RuntimeService/{method}", encode(1, container), end)


def _encode_filter(field: int, uid: str | None) -> bytes:
    return encode(1, encode_pair(field, POD_UID, uid)) if uid else b""


def parse_version(data: bytes, api: str) -> CriVersion:
    """Parse a VersionResponse. Errors: WireError."""
    found = dict(parse_fields(data))
    return CriVersion(text(found.get(2, b"")), text(found.get(3, b"")), api)


def parse_sandboxes(data: bytes) -> list[CriListing]:
    """Parse a ListPodSandboxResponse. Errors: WireError."""
    out = []
    for field, value in parse_fields(data):
        if field != 1:
            continue
        found = dict(parse_fields(message(value)))
        meta = dict(parse_fields(message(found.get(2, b""))))
        state = _SANDBOX_STATES.get(number(found.get(3, 0)), "unknown")
        out.append(
            CriListing(text(found.get(1, b"")), text(meta.get(1, b"")), text(meta.get(2, b"")), state, True)
        )
    return out


def parse_containers(data: bytes) -> list[CriListing]:
    """Parse a ListContainersResponse. Errors: WireError."""
    out = []
    for field, value in parse_fields(data):
        if field != 1:
            continue
        inner = list(parse_fields(message(value)))
        found = dict(inner)
        labels = dict(parse_pair(v) for f, v in inner if f == 8)
        meta = dict(parse_fields(message(found.get(3, b""))))
        state = _STATES.get(number(found.get(6, 0)), "unknown")
        out.append(
            CriListing(text(found.get(1, b"")), text(meta.get(1, b"")), labels.get(POD_UID, ""), state, False)
        )
    return out
