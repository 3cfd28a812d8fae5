"""Files of a node with relevant contents: a program's own log, and the daemons' configuration; and a
container's view of its volumes.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import UID, V2, Tree
from unstuck.collect.node.answers import answer
from unstuck.collect.node.config_files import config_mentions
from unstuck.collect.node.container_mounts import container_mounts
from unstuck.collect.node.log_files import file_lines
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import parse, script_text
from unstuck.collect.script.recorded import RecordedRoot
from unstuck.collect.ssh import list_asked
from unstuck.facts.aspects.node_files import FileLines, SeccompRules
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.node_processes import NumberedProcess
from unstuck.facts.aspects.packet_way import PacketWay
from unstuck.facts.core import Ref, Want

ANOTHER = "ab" * 32
NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
HOSTS_TOML = "/etc/containerd/certs.d/reg.example/hosts.toml"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    return made


def view(tree: Tree) -> NodeView:
    return NodeView(Root(str(tree.root)), NOW)


def test_the_newest_log_of_a_directory_is_read(tree: Tree) -> None:
    tree.write("/srv/log/old.log", "of before\n")
    tree.write("/srv/log/error.log", "one\npassword=hunter2\nthe end\n\n")
    tree.write("/srv/log/customers.csv", "a name\n")
    os.utime(tree.root / "srv/log/old.log", (1, 1))
    found = file_lines(view(tree), Ref("File", "n", "/srv/log"))
    assert found is not None and not found.whole
    assert found.path == "/srv/log/error.log"
    assert (found.lines[0], found.lines[-1]) == ("one", "the end")
    assert "hunter2" not in str(found)


@pytest.mark.parametrize("name", ["/srv/log/data.db", "/srv/log/absent.log", "/srv/../etc/x.log"])
def test_nothing_but_a_log_is_read(tree: Tree, name: str) -> None:
    tree.write("/srv/log/data.db", "a name\n")
    tree.write("/etc/x.log", "a line\n")
    assert file_lines(view(tree), Ref("File", "n", name)) is None


def test_a_log_that_is_no_text_is_left_out(tree: Tree) -> None:
    tree.write("/srv/log/wal.log", b"\0\1\2")
    assert file_lines(view(tree), Ref("File", "n", "/srv/log/wal.log")) is None


def test_the_line_that_names_a_mirror(tree: Tree) -> None:
    tree.write(HOSTS_TOML, 'server = "https://reg.example"\n\n[host."http://192.0.2.6:5000"]\n')
    tree.write("/etc/sysctl.d/90-own.conf", "# vm.max_map_count = 1\nvm.max_map_count = 65530\n")
    tree.write("/etc/kubernetes/pki/ca.key", "192.0.2.6:5000\n")
    seen = config_mentions(view(tree), Ref("ConfigWord", "n", "192.0.2.6:5000"))
    assert seen is not None and seen.whole
    assert [(i.path, i.number) for i in seen.items] == [(HOSTS_TOML, 3)]
    setting = config_mentions(view(tree), Ref("ConfigWord", "n", "vm.max_map_count"))
    assert setting is not None
    assert [(i.number, i.text) for i in setting.items] == [(2, "vm.max_map_count = 65530")]


def test_a_part_of_another_word_is_no_mention(tree: Tree) -> None:
    tree.write("/etc/hosts", "192.0.2.66 a.example\n")
    seen = config_mentions(view(tree), Ref("ConfigWord", "n", "192.0.2.6"))
    assert seen is not None and seen.items == ()
    assert config_mentions(view(tree), Ref("ConfigWord", "n", "ab")) is None


def test_what_a_container_sees_of_its_volumes(tree: Tree) -> None:
    mounts = (
        "30 1 0:9 / / rw - overlay overlay rw\n"
        "31 30 0:21 / /proc rw - proc proc rw\n"
        "32 30 254:0 /srv/books//deleted /books rw - ext4 /dev/vda rw\n"
    )
    tree.process(
        977, "sh", cgroup=f"0::/kubepods/pod{UID}/{ANOTHER}\n", mounts=mounts, namespace="mnt:[4026539999]"
    )
    found = container_mounts(view(tree), Ref("Pod", "f", "web", UID))
    assert found is not None
    assert [(m.container, m.path, m.root) for m in found.items if m.path == "/books"] == [
        (ANOTHER, "/books", "/srv/books//deleted")
    ]


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="the collector is run as root")
def test_the_shell_collector_tells_of_single_things_what_a_look_here_does(tmp_path: Path) -> None:
    """Its function alone, on files of this machine."""
    data = tmp_path / "data"
    data.mkdir(mode=0o750)
    (data / "customer.db").write_text("a name")
    (data / "error.log").write_text("one\nthe end\n")
    (tmp_path / "link").symlink_to("data")
    wants = [
        Want(NodePath, Ref("File", "n", f"{tmp_path}/link/customers.db")),
        Want(NodePath, Ref("File", "n", f"{data}/customer.db")),
        Want(FileLines, Ref("File", "n", str(data))),
        Want(NumberedProcess, Ref("Process", "n", str(os.getpid()))),
        Want(SeccompRules, Ref("File", "n", f"{data}/seccomp/tight.json")),
        Want(PacketWay, Ref("Route", "n", "203.0.113.9:443")),
    ]
    (data / "seccomp").mkdir()
    (data / "seccomp" / "tight.json").write_text('{"defaultAction": "SCMP_ACT_ERRNO"}')
    asked = "\n".join(list_asked(wants))
    ran = subprocess.run(
        ["sh", "-s"],
        input=f"asked={shlex.quote(asked)}\n{script_text()}",
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    recording = parse(ran.stdout.encode())
    assert recording.ended and "asked" in recording.done, ran.stderr
    root = RecordedRoot("n", recording)
    told = list(answer(NodeView(root, NOW, "n"), wants))
    there, missing = (f for f in told if isinstance(f, NodePath))
    assert missing.missing == "customers.db" and missing.beside == ("customer.db",)
    assert [(link.path, link.target) for link in missing.links] == [(f"{tmp_path}/link", f"{tmp_path}/data")]
    last = there.parts[-1]
    assert (last.path, last.kind, last.size, last.mode) == (f"{data}/customer.db", "file", 6, 0o644)
    assert there.parts[-2].mode == 0o750 and there.space is not None and there.space.bytes > 0
    assert [f.lines for f in told if isinstance(f, FileLines)] == [("one", "the end")]
    assert [f.default for f in told if isinstance(f, SeccompRules)] == ["SCMP_ACT_ERRNO"]
    # Only in the network of the first process is it the node's.
    assert len([f for f in told if isinstance(f, PacketWay)]) <= 1
    assert "a name" not in ran.stdout
