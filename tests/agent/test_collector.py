"""The collector as a separate process, asked over its socket: its answers, its limits, its end."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from unstuck.agent.collector_client import ask_collector, ask_single
from unstuck.facts.aspects.node_files import FileLines
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.core import Ref, Want
from unstuck.facts.single_wants import write_wants

_SOURCE = Path(__file__).parents[2] / "src"
_SERVE = (
    "import sys\nfrom unstuck.agent import collector\ncollector.SOCKET, collector.HOST = "
    "sys.argv[1:3]\ncollector.main()\n"
)
POD = {"namespace": "mine", "name": "web-0", "uid": "11111111-2222-3333-4444-555555555555"}


@dataclass
class Running:
    process: subprocess.Popen[bytes]
    socket: str

    def ask(self, pod: dict[str, str] | None = None, seconds: float = 20.0) -> list[dict[str, Any]]:
        return ask_collector(self.socket, "n1", pod, seconds).docs

    def child(self) -> int:
        """Return the pid of the looking child, once it exists."""
        for _ in range(1000):
            found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            # From then on the child cannot outlive the collector.
            if found and Path(f"/proc/{found[0]}/comm").read_text() == "unstuck-node\n":
                return int(found[0])
            time.sleep(0.005)
        raise AssertionError("no child")


def _start(directory: Path, host: Path, path: str) -> Running:
    where = str(directory / "s")
    env = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen([sys.executable, "-S", "-c", _SERVE, where, str(host)], env=env)
    # The file exists before the collector listens.
    for _ in range(1000):
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.connect(where)
            return Running(process, where)
        time.sleep(0.01)
    raise AssertionError("the collector does not listen")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    library = find_spec("pyseccomp")
    assert library is not None
    assert library.origin is not None
    one = _start(tmp_path, Path("/"), f"{_SOURCE}:{Path(library.origin).parent}")
    yield one
    one.process.kill()
    one.process.wait(10)


def _refused(docs: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(d["want"], d["why"]) for d in docs if d["type"] == "Refused" and d["want"] == "survey"]


@pytest.mark.slow
def test_a_question_about_the_node_is_answered_to_its_end(running: Running) -> None:
    docs = running.ask()
    assert _refused(docs) == []
    assert {"Host", "DaemonState"} <= {d["type"] for d in docs}


@pytest.mark.slow
def test_single_things_are_answered_and_nothing_else(running: Running, tmp_path: Path) -> None:
    (tmp_path / "error.log").write_text("the end\n")
    wants = [
        Want(NodePath, Ref("File", "n1", str(tmp_path))),
        Want(FileLines, Ref("File", "n1", str(tmp_path))),
    ]
    docs = ask_single(running.socket, "n1", write_wants(wants), 20.0)
    assert {d["type"] for d in docs} == {"NodePath", "FileLines"}
    assert next(d["lines"] for d in docs if d["type"] == "FileLines") == ["the end"]


@pytest.mark.slow
def test_the_collector_itself_is_locked_too(running: Running) -> None:
    def filters(pid: int) -> int:
        status = Path(f"/proc/{pid}/status").read_text()
        return int(
            next(line.split()[1] for line in status.splitlines() if line.startswith("Seccomp_filters:"))
        )

    of_ours = filters(os.getpid())
    assert running.ask()
    assert filters(running.process.pid) == of_ours + 1


@pytest.mark.slow
def test_a_pod_that_nothing_here_names_is_refused_and_nothing_else_is_told(running: Running) -> None:
    docs = running.ask(POD)
    assert [d["type"] for d in docs] == ["Refused"]
    assert _refused(docs) == [("survey", "denied")]


@pytest.mark.slow
def test_what_cannot_be_locked_does_not_look(tmp_path: Path) -> None:
    one = _start(tmp_path, Path("/"), str(_SOURCE))
    try:
        docs = one.ask()
    finally:
        one.process.kill()
        one.process.wait(10)
    assert [(d["type"], d["want"], d["why"]) for d in docs] == [("Refused", "survey", "denied")]
    assert "no library for seccomp" in docs[0]["detail"]


@pytest.mark.slow
def test_a_look_that_stops_is_cut_off_and_the_next_question_is_answered(running: Running) -> None:
    said: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: said.extend(running.ask(seconds=2.0)))
    asking.start()
    os.kill(running.child(), signal.SIGSTOP)
    asking.join(20)
    assert _refused(said) == [("survey", "timeout")]
    assert "took longer than" in said[-1]["detail"] or "did not answer" in said[-1]["detail"]
    assert _refused(running.ask()) == []


@pytest.mark.slow
def test_a_collector_that_is_killed_in_the_middle_leaves_no_child_and_that_is_told(running: Running) -> None:
    said: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: said.extend(running.ask()))
    asking.start()
    child = running.child()
    os.kill(child, signal.SIGSTOP)
    running.process.kill()
    asking.join(10)
    assert not asking.is_alive()
    assert _refused(said) == [("survey", "timeout")]
    assert "ended before it had answered" in said[-1]["detail"]
    for _ in range(500):
        if not Path(f"/proc/{child}").exists():
            return
        time.sleep(0.01)
    raise AssertionError("the child lives on")


@pytest.mark.slow
def test_a_collector_that_does_not_answer_is_left_at_the_deadline(running: Running) -> None:
    os.kill(running.process.pid, signal.SIGSTOP)
    docs = running.ask(seconds=0.5)
    assert _refused(docs) == [("survey", "timeout")]


@pytest.mark.slow
def test_it_ends_at_once_when_it_is_told_to_also_while_it_looks(running: Running) -> None:
    asking = threading.Thread(target=running.ask)
    asking.start()
    os.kill(running.child(), signal.SIGSTOP)
    running.process.terminate()
    assert running.process.wait(10) == 0
    asking.join(10)
    assert not asking.is_alive()


@pytest.mark.slow
def test_what_is_no_question_is_dropped(running: Running) -> None:
    for text in (
        b"",
        b"\n",
        b"null\n",
        b"[]\n",
        b'{"node": 1}\n',
        b'{"node": "n", "pod": [], "seconds": "x"}\n',
        b"\xff\xfe\n",
        b"{" * 9000 + b"\n",
    ):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.connect(running.socket)
            s.sendall(text)
            s.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                while s.recv(1 << 16):
                    pass
    assert _refused(running.ask(seconds=20)) == []


def test_a_collector_that_begins_later_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "collector")

    def serve() -> None:
        time.sleep(0.5)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.bind(path)
            time.sleep(0.3)
            server.listen(1)
            asking, _ = server.accept()
            with asking:
                question = json.loads(asking.recv(1 << 16))
                asking.sendall(
                    json.dumps({"known": question["seconds"] < 9.5}).encode() + b'\n{"end": true}\n'
                )

    later = threading.Thread(target=serve)
    later.start()
    looked = ask_collector(path, "n1", POD, 10.0)
    later.join()
    assert (looked.docs, looked.confirms_pod) == ([], True)


def test_a_collector_that_is_not_there_is_told(tmp_path: Path) -> None:
    docs = ask_collector(str(tmp_path / "none"), "n1", POD, 1.0).docs
    assert _refused(docs) == [("survey", "timeout")]
    assert docs[0]["about"] == {"kind": "Pod", "within": "mine", "name": "web-0", "uid": POD["uid"]}
    assert json.dumps(docs)
