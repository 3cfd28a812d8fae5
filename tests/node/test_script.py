"""The shell collector on this machine, in every supported shell: real flags, real holders, a real hanging
mount.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.test_live import needs_fuse, needs_root
from tests.node.tree import UID
from unstuck.collect.node.answers import survey
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import parse, script_text
from unstuck.collect.script.recorded import RecordedRoot, limit_to_seen
from unstuck.facts.aspects import host, storage
from unstuck.facts.core import Fact

pytestmark = pytest.mark.slow

SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "ash"]}
SECONDS = "40"  # enough on a busy machine
PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def there(shell: str) -> bool:
    return any(Path(p, SHELLS[shell][0]).exists() for p in PLACES.split(":"))


@pytest.fixture(params=sorted(SHELLS))
def shell(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[list[str], str]]:
    """Return a shell with its arguments, and PATH: for busybox with its own tools first."""
    name = str(request.param)
    if not there(name):
        pytest.skip(f"there is no {name}")
    path = PLACES
    if name == "busybox":
        own = tmp_path_factory.mktemp("busybox")
        subprocess.run(["busybox", "--install", "-s", str(own)], check=False, stderr=subprocess.DEVNULL)
        path = f"{own}:{PLACES}"
    yield SHELLS[name], path


def ran(
    shell: tuple[list[str], str], *arguments: str, path: str = "", within: float = 100
) -> subprocess.CompletedProcess[bytes]:
    argv, places = shell
    env = {"PATH": f"{path}:{places}" if path else places}
    text = script_text().encode()
    return subprocess.run(
        [*argv, "-s", "--", *arguments], input=text, capture_output=True, env=env, timeout=within, check=False
    )


def facts_of(out: bytes, top: Path) -> list[Fact]:
    root = RecordedRoot("x", parse(out))
    view = NodeView(root, datetime.now(UTC), "here", str(top))
    return list(limit_to_seen(root, survey(view, UID)))


def cut(out: bytes) -> list[bytes]:
    return [line for line in out.split(b"\n") if line.startswith(b"#cut ")]


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    made = tmp_path / "pods" / UID / "volumes" / "kubernetes.io~empty-dir" / "d"
    made.mkdir(parents=True)
    return made


def test_every_shell_reads_it(shell: tuple[list[str], str]) -> None:
    done = subprocess.run([*shell[0], "-n"], input=script_text().encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@needs_root
def test_it_comes_to_its_end_says_nothing_else_and_leaves_nothing(
    shell: tuple[list[str], str], tmp_path: Path, volume: Path
) -> None:
    before = sorted(p.name for p in Path("/tmp").iterdir())
    done = ran(shell, UID, str(tmp_path), SECONDS)
    assert (
        done.stdout.startswith(b"#unstuck 1\n") and done.stdout.endswith(b"\n#end\n") and done.stderr == b""
    )
    assert not cut(done.stdout)
    assert [
        n for n in sorted(p.name for p in Path("/tmp").iterdir()) if n not in before and "unstuck" in n
    ] == []


@needs_root
def test_immutable_files_and_holders_are_proven(
    shell: tuple[list[str], str], tmp_path: Path, volume: Path
) -> None:
    for name in ("plain", "with blank", "kept"):
        (volume / name).write_text("x")
    holder = subprocess.Popen(["sleep", "600"], cwd=volume)
    subprocess.run(["chattr", "+i", str(volume / "with blank")], check=True)
    try:
        facts = facts_of(ran(shell, UID, str(tmp_path), SECONDS).stdout, tmp_path)
    finally:
        subprocess.run(["chattr", "-i", str(volume / "with blank")], check=True)
        holder.kill()
        holder.wait()
    (flags,) = [f for f in facts if isinstance(f, host.FlaggedFiles)]
    assert [(f.path, f.immutable, f.append_only) for f in flags.files] == [
        (str(volume / "with blank"), True, False)
    ]
    assert flags.whole and not flags.not_looked_at
    (uses,) = [f for f in facts if isinstance(f, host.PathUses)]
    assert (holder.pid, "sleep", "cwd", str(volume)) in [
        (u.proc.pid, u.proc.comm, u.how, u.path) for u in uses.items
    ]
    (directory,) = [f for f in facts if isinstance(f, host.PodDirectory)]
    assert directory.exists and directory.volumes == ("kubernetes.io~empty-dir/d",)


@needs_root
def test_plugins_are_told_by_their_sockets(
    shell: tuple[list[str], str], tmp_path: Path, volume: Path
) -> None:
    for at in (
        "plugins_registry/disk-reg.sock",
        "plugins_registry/notes",
        "plugins/disk/csi.sock",
        "plugins/none/data",
    ):
        (tmp_path / at).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / at).touch()
    done = ran(shell, UID, str(tmp_path), SECONDS)
    (found,) = (f for f in facts_of(done.stdout, tmp_path) if isinstance(f, storage.PluginSockets))
    assert (found.registered, found.drivers) == (("disk-reg.sock",), ("disk",))


@needs_root
def test_a_name_of_several_lines_is_left_out_and_said(
    shell: tuple[list[str], str], tmp_path: Path, volume: Path
) -> None:
    (volume / "x\n----i---------e------- \nwalked ").write_text("x")
    (flags,) = [
        f
        for f in facts_of(ran(shell, UID, str(tmp_path), SECONDS).stdout, tmp_path)
        if isinstance(f, host.FlaggedFiles)
    ]
    assert flags.files == () and not flags.whole
    assert flags.not_looked_at == (f"{volume} (a name of several lines)",)


@needs_root
def test_more_files_than_it_looks_at_are_said(
    shell: tuple[list[str], str], tmp_path: Path, volume: Path
) -> None:
    for i in range(5_100):
        (volume / f"f{i}").touch()
    (flags,) = [
        f
        for f in facts_of(ran(shell, UID, str(tmp_path), SECONDS).stdout, tmp_path)
        if isinstance(f, host.FlaggedFiles)
    ]
    assert not flags.whole


@needs_root
def test_a_tool_that_hangs_costs_its_section_and_no_more(
    shell: tuple[list[str], str], tmp_path: Path, volume: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    seconds = f"{600 + os.getpid() % 100}.{os.getpid()}"
    (tools / "lsattr").write_text(f"#!/bin/sh\ntrap '' TERM\nsleep {seconds}\n")
    (tools / "lsattr").chmod(0o755)
    began = time.monotonic()
    done = ran(shell, UID, str(tmp_path), SECONDS, path=str(tools), within=100)
    assert time.monotonic() - began < 60, "it does not hang"
    assert cut(done.stdout) == [b"#cut flags"] and done.stdout.endswith(b"\n#end\n")
    left = subprocess.run(["pgrep", "-f", f"^sleep {seconds}$"], capture_output=True, check=False).stdout
    assert left == b"", "what it started is ended"
    (flags,) = [f for f in facts_of(done.stdout, tmp_path) if isinstance(f, host.FlaggedFiles)]
    assert not flags.whole
    assert [f for f in facts_of(done.stdout, tmp_path) if isinstance(f, host.PodDirectory) and f.whole], (
        "the others are as good as ever"
    )


@needs_fuse
def test_next_to_a_mount_that_hangs_it_answers_and_does_not_join(
    shell: tuple[list[str], str],
    hung: tuple[Path, int],
    tmp_path: Path,
) -> None:
    point, pid = hung
    mark = tmp_path / "on-its-path"
    done = ran(shell, UID, str(tmp_path), SECONDS, path=str(mark), within=100)
    assert done.stdout.endswith(b"\n#end\n") and not cut(done.stdout)
    facts = facts_of(done.stdout, tmp_path)
    (flags,) = [f for f in facts if isinstance(f, host.FlaggedFiles)]
    assert not flags.whole and any(line.startswith(f"{point} (a fuse") for line in flags.not_looked_at)
    (waiting,) = [f for f in facts if isinstance(f, host.WaitingMounts)]
    (item,) = [i for i in waiting.items if str(point) in i.mountpoints]
    assert item.tasks == (pid,)
    assert caught(mark) == set(), "nobody joined it"


def caught(mark: Path) -> set[str]:
    """Return the processes with the mark in their environment that wait for a FUSE server, without those of
    other tests.
    """
    mine = (
        p for p in Path("/proc").iterdir() if p.name.isdigit() and str(mark).encode() in read(p / "environ")
    )
    return {p.name for p in mine if b"wait_answer" in read(p / "wchan")}


def read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_who_is_not_root_is_told_so(shell: tuple[list[str], str]) -> None:
    if os.geteuid() == 0:
        argv = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *shell[0]]
        done = ran((argv, shell[1]))
    else:
        done = ran(shell)
    assert parse(done.stdout).refused == "not root"


def test_a_missing_tool_is_told_and_nothing_else(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "id", "date", "tr", "echo", "printf", "grep", "sed", "ls"):
        (tools / name).symlink_to(next(p for d in PLACES.split(":") if (p := Path(d, name)).exists()))
    text = script_text().replace("PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin", "PATH=$PATH")
    done = subprocess.run(
        [str(tools / "sh"), "-s"],
        input=text.encode(),
        capture_output=True,
        env={"PATH": str(tools)},
        check=False,
    )
    assert parse(done.stdout).refused == "there is no awk"


def test_arguments_are_only_ever_a_uid(tmp_path: Path) -> None:
    out = tmp_path / "made"
    ran((["sh"], PLACES), f"x; touch {out}; $(touch {out})", within=100)
    assert not out.exists()
    assert sys.platform == "linux"
