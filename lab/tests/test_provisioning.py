"""What a run needs comes from the setup alone, whatever a mirror, a disk or an earlier run that was killed
does to it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from unstuck_lab import agent, build, csi, docker, images, packages, provisioning, shell
from unstuck_lab.errors import CommandFailedError, LabError
from unstuck_lab.paths import Paths
from unstuck_lab.permission import FROZEN, NotSetUpError

MODULE = "example.com/hello"
PROGRAM = 'package main\n\nimport "example.com/words"\n\nfunc main() { println(words.Hello) }\n'


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "state", tmp_path / "cache")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def in_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `unstuck-lab setup` runs; and tries that follow each other at once."""
    monkeypatch.setenv(FROZEN, "0")
    monkeypatch.setattr(shell, "PAUSES", (0.0, 0.0))


MAKERS: dict[str, Callable[[Paths], object]] = {
    "packages": lambda _: packages.install(["no-such-package"], print),
    "Kubernetes": lambda paths: build.ensure(paths, print),
    "tool": lambda paths: csi.LABCSI.ensure(paths, print),
    "docker": lambda paths: docker.ensure(paths, print),
    "image of Python": lambda paths: images.ensure_python(paths, print),
    "image of the agent": lambda paths: agent.ensure_image(paths, print),
}


@pytest.mark.parametrize("what", MAKERS)
def test_while_tests_run_nothing_is_installed_built_or_downloaded(
    what: str, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FROZEN, "1")
    with pytest.raises(NotSetUpError, match="run `unstuck-lab setup` first"):
        MAKERS[what](paths)


def test_tests_run_frozen() -> None:
    assert os.environ[FROZEN] == "1"


def test_everything_the_setup_provides_is_listed_by_a_name_of_its_own(paths: Paths) -> None:
    names = [need.name for need in provisioning.list_prerequisites(paths)]
    assert len(names) == len(set(names)) > 8
    with pytest.raises(LabError, match="helm"):
        provisioning.provide(paths, print, "no-such-thing")


def test_a_disk_without_room_is_said_before_anything_is_built(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 10, 2**30))
    with pytest.raises(LabError, match=r"1\.0 GiB free, the setup needs 10"):
        provisioning.provide(paths, print)


def hash_of(files: dict[str, bytes]) -> str:
    """As `golang.org/x/mod/sumdb/dirhash` has it."""
    lines = "".join(
        f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items())
    )
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


WORDS = {
    "go.mod": b"module example.com/words\n\ngo 1.21\n",
    "words.go": b'package words\n\nconst Hello = "hello"\n',
}


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in WORDS.items():
            archive.writestr(f"example.com/words@v1.0.0/{name}", content)
    return buffer.getvalue()


@contextmanager
def mirror(refusals: int) -> Iterator[str]:
    """A module proxy on loopback that answers its first requests with 503."""
    left = [refusals]
    bodies = {
        "/example.com/words/@v/v1.0.0.info": b'{"Version":"v1.0.0","Time":"2024-01-01T00:00:00Z"}',
        "/example.com/words/@v/v1.0.0.mod": WORDS["go.mod"],
        "/example.com/words/@v/v1.0.0.zip": zipped(),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = bodies.get(self.path)
            status = 503 if left[0] > 0 else 200 if body else 404
            left[0] -= 1
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body or b"" if status == 200 else b"busy")

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program that needs another module, and Go without anything that it has seen before but the build
    of its own packages.
    """
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    here = tmp_path / "module"
    here.mkdir()
    (here / "main.go").write_text(PROGRAM)
    (here / "go.mod").write_text(f"module {MODULE}\n\ngo 1.21\n\nrequire example.com/words v1.0.0\n")
    whole = hash_of({f"example.com/words@v1.0.0/{name}": content for name, content in WORDS.items()})
    (here / "go.sum").write_text(
        f"example.com/words v1.0.0 {whole}\nexample.com/words v1.0.0/go.mod "
        f"{hash_of({'go.mod': WORDS['go.mod']})}\n"
    )
    for name, value in {
        "GOMODCACHE": str(tmp_path / "modules"),
        "GONOSUMDB": "*",
        "GOTOOLCHAIN": "local",
    }.items():
        monkeypatch.setenv(name, value)
    yield here
    # Go keeps modules read-only.
    subprocess.run(["chmod", "-R", "u+w", str(tmp_path)], check=True)


@pytest.mark.usefixtures("in_setup")
def test_a_mirror_that_answers_503_once_is_asked_again(
    module: Path, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "bin" / "hello"
    with mirror(refusals=1) as url:
        monkeypatch.setenv("GOPROXY", url)
        build.compile_go(target, ".", module, "-s", said.append)
    assert subprocess.run([target], capture_output=True, check=True).stderr == b"hello\n"
    assert len(said) == 1 and "503" in said[0] and "trying again" in said[0]


@pytest.mark.usefixtures("in_setup")
def test_a_mirror_that_always_answers_503_is_an_error(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mirror(refusals=1000) as url:
        monkeypatch.setenv("GOPROXY", url)
        with pytest.raises(CommandFailedError, match="503"):
            build.compile_go(tmp_path / "bin" / "hello", ".", module, "-s", print)


@pytest.mark.usefixtures("in_setup")
def test_what_a_killed_build_left_is_removed_and_that_of_a_running_one_is_not(
    paths: Paths, module: Path, said: list[str]
) -> None:
    target = paths.cache / "bin" / "hello"
    target.parent.mkdir(parents=True)
    with subprocess.Popen(["true"]) as ended:
        pass
    left, going = (target.with_name(f"hello.{pid}.part") for pid in (ended.pid, 1))
    for part in (left, going):
        part.touch()
    with mirror(refusals=0) as url, pytest.MonkeyPatch.context() as env:
        env.setenv("GOPROXY", url)
        build.compile_go(target, ".", module, "-s", said.append)
    assert target.exists() and going.exists() and not left.exists()
    assert said == [f"removing {left.name}, left by a build that was killed"]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
@pytest.mark.usefixtures("in_setup")
def test_after_a_full_disk_the_next_run_passes(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    target = small / "bin" / "hello"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        with mirror(refusals=0) as url:
            monkeypatch.setenv("GOPROXY", url)
            with pytest.raises(CommandFailedError, match="no space left"):
                build.compile_go(target, ".", module, "-s", print)
            assert list(target.parent.iterdir()) == []
            subprocess.run(["mount", "-o", "remount,size=64m", str(small)], check=True)
            build.compile_go(target, ".", module, "-s", print)
        assert target.exists()
    finally:
        subprocess.run(["umount", str(small)], check=True)


@pytest.mark.usefixtures("in_setup")
def test_an_interrupted_installation_of_packages_is_finished_first(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_, calls = tmp_path / "bin", tmp_path / "calls"
    bin_.mkdir()
    for name, body in {"dpkg": '[ "$1" = --audit ] && echo "half-installed: socat"', "apt-get": ":"}.items():
        (bin_ / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{calls}\n{body}\nexit 0\n')
        (bin_ / name).chmod(0o755)
    monkeypatch.setattr(packages, "_ENVIRONMENT", {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"})
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    packages.install(["socat"], said.append)
    ran = [line.split() for line in calls.read_text().splitlines()]
    assert (
        [line[0] for line in ran] == ["dpkg", "dpkg", "apt-get"]
        and ran[1] == ["dpkg", "--configure", "-a"]
        and ran[2][-1] == "socat"
    )
    assert said == ["installing socat", "an earlier installation of packages was interrupted: finishing it"]


def test_a_command_that_works_is_waited_for_and_one_that_only_waits_is_ended(tmp_path: Path) -> None:
    works = (
        "n=0; while [ $n -lt 40 ]; do n=$((n+1)); dd if=/dev/zero of=/dev/null bs=1M count=300 2>/dev/null; "
        "sleep 0.1; done; echo done"
    )
    assert shell.run_while_working(["sh", "-c", works], quiet=3).strip() == "done"
    with pytest.raises(CommandFailedError, match=r"did not end in \d+ s \(the host was overloaded for"):
        shell.run_while_working(["sleep", "600"], quiet=1)
