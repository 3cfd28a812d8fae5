"""The command as a process: exit status, one line for each error, interrupts, pipes, terminals."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import UNSTUCK, Terminal, make_environment, run_unstuck, write_kubeconfig
from tests.patience import stretch
from tests.render.support import POD, make_deleted_pod, make_node_facts, make_snapshot
from unstuck.api.saved_files import write_saved
from unstuck.facts.codec import Saved

pytestmark = pytest.mark.slow


def call(*args: str, env: dict[str, str] | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_unstuck(*args, kubeconfig=None, env=env, stdin=stdin)


@pytest.fixture
def proven(tmp_path: Path) -> str:
    path = str(tmp_path / "proven.json.gz")
    write_saved(path, Saved(make_snapshot(*make_deleted_pod(), *make_node_facts()), POD))
    return path


@pytest.fixture
def open_(tmp_path: Path) -> str:
    path = str(tmp_path / "open.json")
    write_saved(path, Saved(make_snapshot(*make_deleted_pod()), POD))
    return path


@pytest.fixture
def silent_server(tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    """Yield a kubeconfig, and its server that accepts connections and never answers."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(30)
    kubeconfig = write_kubeconfig(tmp_path / "kubeconfig", f"http://127.0.0.1:{server.getsockname()[1]}")
    yield str(kubeconfig), server
    server.close()


def test_status_is_the_answers(proven: str, open_: str) -> None:
    assert call("replay", proven).returncode == 1
    assert call("replay", open_).returncode == 2
    assert call("replay", open_, "-o", "json").returncode == 2


@pytest.mark.parametrize("args", [["why", "--nonsense"], ["why", "pod/a"], ["replay", "/dev/null"]])
def test_what_cannot_be_asked_is_one_line_and_3(args: list[str]) -> None:
    done = call(*args)
    assert (done.returncode, done.stdout) == (3, "")
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("error: ")


def test_a_newer_snapshot_is_refused_in_one_line() -> None:
    done = call("replay", "-", stdin=json.dumps({"format": 99, "at": "2026-11-21T00:00:00Z", "facts": []}))
    assert done.returncode == 3 and "format 99" in done.stderr and len(done.stderr.splitlines()) == 1


def test_an_error_shows_no_control_characters() -> None:
    done = call("why", "po\x1b[2Jd/x/y")
    assert done.returncode == 3 and "\x1b" not in done.stderr


def test_ctrl_c_leaves_at_once_with_130(silent_server: tuple[str, socket.socket]) -> None:
    kubeconfig, server = silent_server
    with subprocess.Popen(
        [UNSTUCK, "why", "pod/x", "--kubeconfig", kubeconfig], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        server.accept()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=stretch(10))
    assert (child.returncode, out, err) == (130, b"", b"")


def test_a_reader_that_goes_is_no_error(proven: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [UNSTUCK, "replay", proven, "-o", "json"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("closed", "args", "status"),
    [(0, ("read", "-"), 3), (1, ("version", "--client"), 0), (2, ("why", "pod/a"), 3)],
)
def test_a_stream_that_is_closed_is_no_error(closed: int, args: tuple[str, ...], status: int) -> None:
    shell = f'exec "$@" {closed}{"<" if closed == 0 else ">"}&-'
    argv = ["sh", "-c", shell, "sh", UNSTUCK, *args]
    done = subprocess.run(
        argv,
        env=make_environment(None, None),
        capture_output=True,
        text=True,
        check=False,
        timeout=stretch(60),
    )
    assert done.returncode == status and "Traceback" not in done.stderr and "internal" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line_and_3(proven: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [UNSTUCK, "replay", proven],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=stretch(60),
        )
    assert (
        done.returncode == 3
        and done.stderr == b"error: cannot write to standard output: No space left on device\n"
    )


def on_terminal(args: list[str], env: dict[str, str]) -> str:
    """Return the output of both streams on a terminal of 80 columns."""
    with Terminal(*args, kubeconfig=None, env={"COLUMNS": "80", **env}) as terminal:
        terminal.finish()
        return terminal.out.decode()


def test_colour_only_on_a_terminal_that_wants_it(proven: str) -> None:
    assert "\x1b[31m" in on_terminal(["replay", proven], {"TERM": "xterm"})
    assert "\x1b" not in on_terminal(["replay", proven], {"TERM": "xterm", "NO_COLOR": "1"})
    assert "\x1b" not in on_terminal(["replay", proven], {"TERM": "dumb"})
    assert "\x1b" not in call("replay", proven, env={"TERM": "xterm"}).stdout


def test_a_spinner_turns_and_ctrl_c_leaves_the_terminal_as_it_was(
    silent_server: tuple[str, socket.socket],
) -> None:
    with Terminal("why", "pod/x", kubeconfig=silent_server[0]) as terminal:
        before = terminal.modes
        terminal.read_until(b"live:here")
        terminal.child.send_signal(signal.SIGINT)
        assert terminal.finish(10) == 130
        assert terminal.out.endswith(b"\r\x1b[K") and b"Traceback" not in terminal.out
        assert terminal.modes == before


@pytest.fixture
def slow_plugin(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Yield a kubeconfig with a credential plugin that, like its child, reports its pid through a pipe and
    never ends.
    """
    pipe = tmp_path / "pids"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDWR)
    plugin = tmp_path / "plugin"
    plugin.write_text(f"#!/bin/sh\nsleep 300 &\necho $$ $! > {pipe}\nwait\n")
    plugin.chmod(0o755)
    run = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": str(plugin),
        "interactiveMode": "Never",
    }
    kubeconfig = write_kubeconfig(tmp_path / "kubeconfig", "https://127.0.0.1:1", {"exec": run})
    yield str(kubeconfig), reading
    os.close(reading)


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_slow_credential_plugin_has_its_spinner_and_ends_with_us(slow_plugin: tuple[str, int]) -> None:
    kubeconfig, reading = slow_plugin
    with Terminal("why", "pod/x", kubeconfig=kubeconfig) as terminal:
        assert select.select([reading], [], [], 30)[0]
        pids = [int(pid) for pid in os.read(reading, 100).split()]
        assert len(pids) == 2 and all(runs(pid) for pid in pids)
        terminal.read_until(b"live:here")
        terminal.child.send_signal(signal.SIGINT)
        assert terminal.finish(10) == 130
    left = time.monotonic() + 10
    while any(runs(pid) for pid in pids) and time.monotonic() < left:
        time.sleep(0.05)
    assert not [pid for pid in pids if runs(pid)]


def test_help_costs_little_because_it_loads_little() -> None:
    code = (
        "import sys; from unstuck.cli.run import run; run(['--help'], 'unstuck');"
        "heavy = ('unstuck.engine', 'unstuck.causes', 'unstuck.collect', 'unstuck.render', 'yaml', 'httpx');"
        "bad = [m for m in sys.modules if m.startswith(heavy)];"
        "sys.exit(' '.join(bad) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Exit status" in done.stdout and "unstuck why ns/ci-8842" in done.stdout


def test_as_a_plugin_of_kubectl_it_is_called_so() -> None:
    done = subprocess.run(
        [Path(UNSTUCK).with_name("kubectl-unstuck"), "why", "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.startswith("Usage: kubectl unstuck why")


def test_version() -> None:
    assert call("--version").stdout.startswith("unstuck 0.")


def test_completion_completes() -> None:
    done = call(env={"_UNSTUCK_COMPLETE": "bash_complete", "COMP_WORDS": "unstuck re", "COMP_CWORD": "1"})
    assert {"plain,read", "plain,replay"} <= set(done.stdout.split())


def test_the_language_of_the_environment(proven: str) -> None:
    assert "已证实" not in call("replay", proven, env={"LANG": "en_US.UTF-8"}).stdout
    assert "已证实" in call("replay", proven, env={"LANG": "zh_CN.UTF-8"}).stdout
    assert "已证实" not in call("replay", proven, env={"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}).stdout
    assert "已证实" in call("replay", proven, "--lang", "zh").stdout
