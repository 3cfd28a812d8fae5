"""The one-file collector on a bare Python: no environment, another directory, no writable place, no installed
packages.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from scripts import messages, zipapp

from tests.node.test_live import needs_root
from tests.node.test_recorded import V2, node_at
from tests.node.tree import UID
from unstuck.facts.aspects import host
from unstuck.facts.codec import load

pytestmark = pytest.mark.slow

PYTHON = os.path.realpath(sys.executable)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("one") / "unstuck-node.pyz"
    zipapp.write(made)
    return made


def run(file: Path, *arguments: str, cwd: str = "/") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYTHON, "-S", str(file), *arguments],
        env={},
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


def test_the_same_sources_give_the_same_bytes(file: Path, tmp_path: Path) -> None:
    zipapp.write(tmp_path / "again.pyz")
    assert (tmp_path / "again.pyz").read_bytes() == file.read_bytes()


def test_each_message_of_the_file_has_its_chinese_in_it(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    speaks = {
        name.removesuffix(".py")
        for name, source in held.items()
        if name.endswith(".py") and messages.MAKER in source
    }
    assert speaks == {name.removesuffix(".zh.md") for name in held if name.endswith(".zh.md")}


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_bare_python_reads_a_node(file: Path, tmp_path: Path, output: str) -> None:
    node_at(tmp_path, V2)
    done = run(file, "--root", str(tmp_path), "--pod", UID, "-o", output, "--node-timeout", "60s")
    assert done.stderr == "" and "node-1" in done.stdout and done.returncode in (0, 1, 2)
    if output == "json":
        facts = load(json.loads(done.stdout)).snapshot.facts
        (processes,) = [f for f in facts if isinstance(f, host.PodProcesses)]
        assert [p.comm for p in processes.items] == ["pause", "web"]


def test_in_chinese_without_a_table_of_widths(file: Path, tmp_path: Path) -> None:
    node_at(tmp_path, V2)
    done = run(file, "--root", str(tmp_path), "--pod", UID, "--lang", "zh", "--node-timeout", "60s")
    assert done.stderr == "" and "原因   未知" in done.stdout


def test_by_a_relative_name_from_another_directory(file: Path, tmp_path: Path) -> None:
    node_at(tmp_path, V2)
    done = subprocess.run(
        [PYTHON, "-S", file.name, "--root", str(tmp_path), "-o", "json", "--node-timeout", "60s"],
        env={},
        cwd=file.parent,
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0 and b'"node:node-1"' in done.stdout


def test_where_there_is_no_node_one_line_says_so(file: Path, tmp_path: Path) -> None:
    done = run(file, "--root", str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1) and done.stderr.startswith(
        "error: "
    )


@needs_root
def test_with_a_root_that_cannot_be_written_flags_are_found(file: Path, tmp_path: Path) -> None:
    volume = tmp_path / "pods" / UID / "volumes" / "kubernetes.io~empty-dir" / "d"
    volume.mkdir(parents=True)
    (volume / "kept").write_text("x")
    subprocess.run(["chattr", "+i", str(volume / "kept")], check=True)
    # Its child and its child's child both come from the zip; `look` is asked as they would ask it.
    code = (
        f"import sys; sys.path.insert(0, {str(file)!r})\n"
        "from unstuck.collect.node import files\nfrom unstuck.collect.node.mounts import parse_mountinfo\n"
        "own = parse_mountinfo(open('/proc/self/mountinfo').read())\n"
        f"print([f.path for f in files.find_flagged(files.plan_search([{str(volume)!r}], own), "
        "seconds=30).files])"
    )
    script = 'mount -o remount,bind,ro / && exec "$@"'
    argv = [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        script,
        "sh",
        PYTHON,
        "-S",
        "-c",
        code,
    ]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, cwd="/", timeout=100, check=False)
        assert done.stdout.strip() == str([str(volume / "kept")]), done.stderr
        here = subprocess.run(
            [*argv[:-2], str(file), "--here", "-o", "json"],
            capture_output=True,
            text=True,
            cwd="/",
            env={},
            timeout=100,
            check=False,
        )
        assert here.returncode in (0, 3) and "Traceback" not in here.stderr
    finally:
        subprocess.run(["chattr", "-i", str(volume / "kept")], check=True)
