"""The answers of a runtime's socket, and the effect of its silence: real sockets, with every result within
its deadline.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path

import pytest

from tests.runtime.server import answer_grpc, answer_http, listening, send_bytes
from unstuck.collect.runtime import cri, docker
from unstuck.collect.runtime.local import NoReplyError, NotAcceptedError, ProtocolError
from unstuck.collect.runtime.probe import RuntimeEndpoint, RuntimeProbe, ask
from unstuck.collect.runtime.protobuf import encode

ID = "0a" * 32


def soon() -> float:
    return time.monotonic() + 5


def version_of(api: str) -> bytes:
    return encode(1, "0.1.0") + encode(2, "containerd") + encode(3, "1.6.24") + encode(4, api)


def test_a_runtime_tells_its_version(tmp_path: Path) -> None:
    with listening(tmp_path / "s", answer_grpc(lambda _, __: ("0", version_of("v1")))) as path:
        assert cri.fetch_version(str(path), soon()) == cri.CriVersion("containerd", "1.6.24", "runtime.v1")


def test_an_old_one_is_asked_under_its_old_name(tmp_path: Path) -> None:
    def reply(method: str, _: bytes) -> tuple[str, bytes]:
        return ("0", version_of("v1alpha2")) if "v1alpha2" in method else ("12", b"")

    with listening(tmp_path / "s", answer_grpc(reply)) as path:
        assert cri.fetch_version(str(path), soon()).api == "runtime.v1alpha2"


@pytest.mark.slow
def test_a_list_longer_than_4_mib_arrives_whole(tmp_path: Path) -> None:
    row = encode(1, encode(1, ID) + encode(6, 1) + encode(99, b"x" * 5000))

    def reply(method: str, _: bytes) -> tuple[str, bytes]:
        return "0", row * 1200 if method.endswith("ListContainers") else b""

    with listening(tmp_path / "s", answer_grpc(reply)) as path:
        assert len(cri.list_containers(str(path), "runtime.v1", None, soon() + 20)) == 1200


def test_one_pods_containers_are_asked_for_by_its_label(tmp_path: Path) -> None:
    asked: dict[str, bytes] = {}

    def reply(method: str, request: bytes) -> tuple[str, bytes]:
        asked[method.rpartition("/")[2]] = request
        return "0", b""

    with listening(tmp_path / "s", answer_grpc(reply)) as path:
        assert cri.list_containers(str(path), "runtime.v1", "u-1", soon()) == []
    entry = encode(1, "io.kubernetes.pod.uid") + encode(2, "u-1")
    assert asked == {
        "ListPodSandbox": encode(1, encode(3, entry)),
        "ListContainers": encode(1, encode(4, entry)),
    }


@pytest.mark.parametrize("data", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x00" * 200, b"\xff" * 100])
def test_what_is_no_grpc_server_is_told(tmp_path: Path, data: bytes) -> None:
    with listening(tmp_path / "s", send_bytes(data)) as path, pytest.raises((ProtocolError, NoReplyError)):
        cri.fetch_version(str(path), time.monotonic() + 1)


def test_nobody_listens(tmp_path: Path) -> None:
    with listening(tmp_path / "s", None) as path:
        pass
    with pytest.raises(NotAcceptedError):
        cri.fetch_version(str(path), soon())
    answered = ask(RuntimeEndpoint("containerd", str(path), str(path)), 0.2, 0.05)
    assert (answered.accepts, answered.answers) == (False, None)


def test_a_path_longer_than_a_sockets_name_may_be(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    short = tmp_path / "s"
    with listening(short, answer_grpc(lambda _, __: ("0", version_of("v1")))):
        (deep / "s").hardlink_to(short)
        assert cri.fetch_version(str(deep / "s"), soon()).name == "containerd"


def test_silence_after_two_tries_is_told_and_ends_in_time(tmp_path: Path) -> None:
    with listening(tmp_path / "s", None) as path:
        began = time.monotonic()
        answered = ask(RuntimeEndpoint("containerd", str(path), str(path)), 0.4, 0.1)
        assert time.monotonic() - began < 5
    assert (answered.accepts, answered.answers) == (True, False)
    assert [(t.call, t.accepted, t.answered) for t in answered.tries] == [("CRI Version", True, False)] * 2


def test_a_daemon_in_t_is_tried_once_and_shortly(tmp_path: Path) -> None:
    with listening(tmp_path / "s", None) as path:
        answered = ask(RuntimeEndpoint("containerd", str(path), str(path), suspended=True))
    assert (len(answered.tries), answered.answers) == (1, None)


@pytest.mark.slow
def test_a_queue_that_is_full_is_silence_too(tmp_path: Path) -> None:
    with listening(tmp_path / "s", None, backlog=0) as path:
        answered = [ask(RuntimeEndpoint("dockerd", str(path), str(path)), 0.3, 0.1) for _ in range(3)]
    assert all(a.answers is False for a in answered)


@pytest.mark.slow
def test_a_version_without_a_list_is_silence(tmp_path: Path) -> None:
    body = json.dumps({"Version": "17.03.2-ce", "ApiVersion": "1.27"}).encode()

    def handle(connection: socket.socket) -> None:
        head = connection.recv(4096)
        if b"/version" in head:
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
            )
        else:
            connection.settimeout(1)
            connection.recv(1)

    with listening(tmp_path / "s", handle) as path:
        answered = ask(RuntimeEndpoint("dockerd", str(path), str(path)), 0.4, 0.1)
    assert (answered.version, answered.api, answered.listed, answered.answers) == (
        "17.03.2-ce",
        "1.27",
        None,
        False,
    )


def test_docker_lists_what_its_version_offers(tmp_path: Path) -> None:
    rows = [
        {
            "Id": ID,
            "Names": ["/k8s_c_web-0_shop_u-1_0"],
            "State": "running",
            "Labels": {"io.kubernetes.pod.uid": "u-1"},
        },
        7,
        {"Id": "x"},
    ]
    bodies = {
        "/version": b'{"Version": "20.10.24", "ApiVersion": "1.41"}',
        "/v1.41/containers/json": json.dumps(rows).encode(),
    }
    with listening(tmp_path / "s", answer_http(bodies)) as path:
        (answered,) = RuntimeProbe((RuntimeEndpoint("dockerd", str(path), str(path)),)).answers()
    assert answered.answers is True
    assert answered.listed == (cri.CriListing(ID, "k8s_c_web-0_shop_u-1_0", "u-1", "running", False),)


def test_without_h2_the_socket_is_not_asked_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "h2.config", None)
    with listening(tmp_path / "s", None) as path:
        answered = ask(RuntimeEndpoint("containerd", str(path), str(path)), 0.3, 0.1)
    assert (answered.answers, "h2" in answered.missing) == (None, True)


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'{"ApiVersion": "../.."}', b"{" * 5000])
def test_a_version_that_is_none_is_refused(tmp_path: Path, body: bytes) -> None:
    with listening(tmp_path / "s", answer_http({"/version": body})) as path, pytest.raises(ProtocolError):
        docker.fetch_version(str(path), soon())
