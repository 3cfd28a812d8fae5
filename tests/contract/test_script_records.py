"""The shell script records every file read by the node's fact readers, so that a look over SSH gives the
collector's facts.

The script runs on the test's own tree. Files requested by a reader but missing from the tree are written
first, so that a new reader needs no file here. The script's own places are put below the tree: neither root
nor a node is needed.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.test_recorded import V2, node_at
from tests.node.tree import CONTAINER, SANDBOX, UID, Tree
from tests.patience import stretch
from unstuck.collect.node.answers import answer
from unstuck.collect.node.declaration import NodeObservable
from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.collect.node.root import MAX_FILE, Root
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import parse, script_text
from unstuck.collect.script.recorded import RecordedRoot
from unstuck.facts.core import Ref, Want
from unstuck.facts.record import record

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
DECLARED = tuple(o for o in NODE_OBSERVABLES if o.script)
LISTED = "unstuck-listed.conf"  # the entries of a listed directory that the tree lacks

# Files read by readers but deliberately left out by the script: path pattern to reason.
LEFT_OUT: Mapping[str, str] = {
    r"/proc/(?!700/)\d+/cmdline": "the arguments of others than the kubelet may hold passwords",
    r"/proc/self/.*": "the script's own process",
    r"/proc/1/net/stat/nf_conntrack": "read only where no kubelet runs",
    (
        r"/var/log/(containers|kubernetes|upstart"
        r"|containerd|crio|docker)/.*"
    ): ("of the logs, excerpts lie below /.unstuck/log"),
    (
        r"/(var|run)/log/journal/.*"
        r"|/etc/machine-id"
    ): ("the journal is read by journalctl, and lies below /.unstuck/log"),
    r"/etc/localtime": "`date` tells the zone: /.unstuck/zone",
    r"/\.unstuck/log/": "as long as there is no log",
    r"/proc/\d+/task/\d+/wchan": "only of threads that stand still or wait for a server",
    r"/\.unstuck/lsattr-leaked": "written where no Pod is asked about",
    (
        r"/(etc|run)/systemd/(system\.(control|attached)"
        r"|generator(\.early|\.late)?|transient)/.*"
    ): ("no place of a unit that somebody wrote"),
    r"/(etc|run|lib|usr/lib|usr/local/lib)/systemd/system/service\.d/.*": "drop-ins for all services at once",
    (
        r"/etc/(containerd/config\.toml"
        r"|docker/daemon\.json)"
    ): ("the runtimes' usual places are looked at, not those that are configured"),
    (
        r"/run/docker/containerd/io\.containerd\.runtime\.v\d.*"
        r"|/run/.*/io\.containerd\.runtime\.v1\.linux/.*"
    ): "Docker before 18.09",
    r"/(run|var/lib)/containers/storage/overlay-containers/.*": "what CRI-O holds is not recorded yet",
    r"/var/lib/docker/containers/": "none of the containers there is the Pod's",
}


@record()
class TracedRoot(Root):
    """A Root that records its requests. files, directories: each path, and whether it existed."""

    files: dict[str, bool] = field(default_factory=dict)
    directories: dict[str, bool] = field(default_factory=dict)

    def data(self, path: str, cap: int = MAX_FILE, offset: int = 0) -> bytes | None:
        """Read as a Root does."""
        found = Root.data(self, path, cap, offset)
        self.files[path] = found is not None
        return found

    def brief(self, path: str, cap: int = 64 << 10) -> str | None:
        """Read as a Root does."""
        found = Root.brief(self, path, cap)
        self.files[path] = found is not None
        return found

    def names(self, path: str) -> tuple[str, ...] | None:
        """List as a Root does."""
        found = Root.names(self, path)
        self.directories[path] = found is not None
        return found


def trace(top: Path, observable: NodeObservable) -> TracedRoot:
    """Return the requests of the fact's readers to a tree."""
    root = TracedRoot(str(top))
    for kind in observable.readers:
        view = NodeView(root, NOW, "node-1")
        names = {"Pod": Ref("Pod", uid=UID), "Node": view.ref, "Unit": Ref("Unit", "node-1", "web.service")}
        list(answer(view, [Want(observable.fact, names.get(kind, Ref(kind, "node-1", "/x")))]))
    return root


def prepare(top: Path, observables: Iterable[NodeObservable]) -> None:
    """Build a node with one Pod, and with each file and directory requested by the readers."""
    tree = node_at(top, V2)
    tree.link("/proc/self", "700")
    tree.process(950, "web", cgroup="0::/system.slice/web.service\n", namespace="mnt:[4026532999]")
    for at in (top / "proc").glob("[0-9]*"):
        tree.write(f"/proc/{at.name}/comm", re.findall(r"\((.*)\)", (at / "stat").read_text())[0] + "\n")
        for wchan in at.glob("**/wchan"):
            wchan.write_text("do_epoll_wait")
    tree.write("/etc/systemd/system/web.service", "[Service]\nPrivateTmp=true\n")
    tree.write("/etc/systemd/system/web.service.d/own.conf", "[Service]\nMountFlags=slave\n")
    for container in (CONTAINER, SANDBOX):
        task = f"/run/containerd/io.containerd.runtime.v2.task/k8s.io/{container}"
        tree.write(f"{task}/config.json", f'{{"annotations": {{"io.kubernetes.cri.sandbox-uid": "{UID}"}}}}')
    for _ in range(3):  # the new files lead readers to further ones
        for root in [trace(top, o) for o in observables]:
            fill_in(tree, root)


def fill_in(tree: Tree, root: TracedRoot) -> None:
    """Write the files missing from the tree."""
    lacking = [path for path, there in root.files.items() if not there] + [
        f"{path}/{LISTED}" for path, there in root.directories.items() if not there
    ]
    for path in lacking:
        if ".." not in path and not (tree.root / path.lstrip("/")).exists() and f"/{LISTED}/" not in path:
            tree.write(path, "1\n")


def run_script(text: str, top: Path, tools: Path) -> RecordedRoot:
    """Run the script with its places below the tree, and with tools that report the tree's content."""
    tools.mkdir()
    for name, does in {
        "dmesg": "cat proc/kmsg",
        "journalctl": ":",
        "iptables-save": "cat .unstuck/iptables",
        "curl": "cat .unstuck/healthz",
        "lsattr": "cat .unstuck/lsattr",
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{does}\n")
        (tools / name).chmod(0o755)
    text = text.replace("\ninto=\n", "\ninto=.\n").replace('"$(id -u)" = 0', "0 = 0")
    text = re.sub(r"(?<![\w.}])/(?=(?:proc|sys)\b)", "./", text)
    text = text.replace(
        "in /etc /run /usr/local/lib /usr/lib /lib;", "in ./etc ./run ./usr/local/lib ./usr/lib ./lib;"
    )
    text = text.replace('put "/etc/', 'put "./etc/')
    ran = subprocess.run(
        ["sh", "-c", text, "sh", UID, "", "40"],
        cwd=top,
        env={"PATH": f"{tools}:/usr/sbin:/usr/bin:/sbin:/bin"},
        capture_output=True,
        check=True,
        timeout=stretch(100),
    )
    return RecordedRoot("x", parse(re.sub(rb"(?m)^([fdlbxz] )?\./", rb"\1/", ran.stdout)))


def unrecorded(top: Path, recorded: RecordedRoot, observable: NodeObservable) -> list[str]:
    """Return the files that the fact's readers read in the tree but would miss in the recording."""
    root = trace(top, observable)
    lost = [
        path
        for path, there in root.files.items()
        if there and recorded.data(path) is None and recorded.data(path) is None
    ]
    lost += [
        f"{path}/"
        for path, there in root.directories.items()
        if there and Root.names(root, path) and recorded.names(path) is None
    ]
    return [path for path in lost if not any(re.fullmatch(pattern, path) for pattern in LEFT_OUT)]


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("node")
    prepare(made, DECLARED)
    return made


@pytest.fixture(scope="module")
def recorded(top: Path, tmp_path_factory: pytest.TempPathFactory) -> RecordedRoot:
    return run_script(script_text(), top, tmp_path_factory.mktemp("tools") / "bin")


@pytest.mark.parametrize("observable", [pytest.param(o, id=o.fact.__name__) for o in DECLARED])
def test_what_a_reader_reads_the_script_records(
    observable: NodeObservable, top: Path, recorded: RecordedRoot
) -> None:
    lost = unrecorded(top, recorded, observable)
    assert not lost, (
        f"{observable.fact.__name__}: src/unstuck/collect/script/collect.sh does not record {', '.join(lost)}"
    )


@pytest.mark.parametrize(
    ("line", "less", "fact", "lost"),
    [
        ("may_detach_mounts file-max", "file-max", "Host", "/proc/sys/fs/may_detach_mounts"),
        ('put "$1/$name"', ": ", "CgroupLimits", "pids.max"),
        ('told "$config"', 'told ""', "KubeletConfig", "/var/lib/kubelet/config.yaml"),
        ('told "$file"', 'told ""', "UnitFile", "/etc/systemd/system/web.service.d/own.conf"),
    ],
)
def test_a_forgotten_line_is_noticed(
    line: str, less: str, fact: str, lost: str, top: Path, tmp_path: Path
) -> None:
    text = script_text()
    assert line in text
    observable = next(o for o in DECLARED if o.fact.__name__ == fact)
    found = unrecorded(top, run_script(text.replace(line, less), top, tmp_path / "bin"), observable)
    assert any(lost in path for path in found), found


def test_each_path_that_is_left_out_is_read_somewhere(top: Path) -> None:
    traced = [trace(top, o) for o in DECLARED]
    read = {path for root in traced for path in root.files} | {
        f"{path}/" for root in traced for path in root.directories
    }
    assert [pattern for pattern in LEFT_OUT if not any(re.fullmatch(pattern, path) for path in read)] == []
