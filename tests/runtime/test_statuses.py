"""Containers requested one by one: hanging ones are named, the others counted, and the look ends in time with
any hang.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.runtime.server import Handler, answer_grpc, answer_http, listening
from unstuck.collect.runtime.probe import RuntimeEndpoint
from unstuck.collect.runtime.protobuf import encode, parse_fields, text
from unstuck.collect.runtime.statuses import Statuses, StatusQuery, ask_each

HUNG, WELL, GONE = "0a" * 32, "0b" * 32, "0c" * 32
VERSION = encode(1, "0.1.0") + encode(2, "containerd") + encode(3, "1.6.24") + encode(4, "v1")


def side_by_side(handle: Handler) -> Handler:
    """Return a handler that answers each connection in a separate thread."""

    def begin(connection: socket.socket) -> None:
        own = connection.dup()
        own.settimeout(5)

        def serve() -> None:
            with own, suppress(OSError):  # the client is already gone
                handle(own)

        threading.Thread(target=serve, daemon=True).start()

    return begin


def runtime(hangs: frozenset[str], asked: list[tuple[str, str]]) -> Handler:
    ended = threading.Event()

    def reply(method: str, request: bytes) -> tuple[str, bytes]:
        name = method.rpartition("/")[2]
        if name == "Version":
            return "0", VERSION
        found = text(dict(parse_fields(request)).get(1, b""))
        asked.append((name, found))
        if found in hangs:
            ended.wait(3)
        return ("5", b"") if found == GONE else ("0", b"")

    return side_by_side(answer_grpc(reply))


def ask(path: Path, containers: list[StatusQuery], suspended: bool = False) -> Statuses:
    return ask_each(
        RuntimeEndpoint("containerd", str(path), str(path), suspended=suspended), containers, 0.4, 0.1
    )


def test_the_one_that_hangs_is_named_and_the_others_counted(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    with listening(tmp_path / "s", runtime(frozenset({HUNG}), asked)) as path:
        found = ask(path, [StatusQuery(HUNG, "u-1"), StatusQuery(WELL, sandbox=True), StatusQuery(GONE)])
    ((silent, tries),) = found.silent
    assert silent == StatusQuery(HUNG, "u-1")
    assert [(t.call, t.accepted, t.answered) for t in tries] == [("CRI ContainerStatus", True, False)] * 2
    # An unknown container is an answer.
    assert (found.told, found.answered, found.left_out) == (True, 2, 0)
    assert ("PodSandboxStatus", WELL) in asked and ("ContainerStatus", GONE) in asked


def test_no_more_are_asked_after_a_few_stay_silent(tmp_path: Path) -> None:
    ids = [f"{i:064x}" for i in range(40)]
    asked: list[tuple[str, str]] = []
    with listening(tmp_path / "s", runtime(frozenset(ids), asked), backlog=100) as path:
        began = time.monotonic()
        found = ask(path, [StatusQuery(i) for i in ids])
        took = time.monotonic() - began
    assert len(found.silent) <= 12 and found.left_out == 40 - len(found.silent)
    assert took < 3


def test_nothing_is_asked_of_a_runtime_that_tells_no_version(tmp_path: Path) -> None:
    with listening(tmp_path / "s", None) as path:
        found = ask(path, [StatusQuery(HUNG)])
    assert (found.told, found.silent, found.left_out) == (False, [], 1)
    asked: list[tuple[str, str]] = []
    with listening(tmp_path / "t", runtime(frozenset(), asked)) as path:
        assert not ask(path, [StatusQuery(HUNG)], suspended=True).told
    assert asked == []


def test_docker_is_asked_by_its_own_path(tmp_path: Path) -> None:
    bodies = {
        "/version": b'{"Version": "20.10.7", "ApiVersion": "1.41"}',
        f"/v1.41/containers/{WELL}/json": b"{}",
    }
    with listening(tmp_path / "s", side_by_side(answer_http(bodies))) as path:
        found = ask_each(
            RuntimeEndpoint("dockerd", str(path), str(path)), [StatusQuery(WELL), StatusQuery(GONE)], 0.4, 0.1
        )
    assert (found.told, found.answered, found.silent) == (True, 2, [])
