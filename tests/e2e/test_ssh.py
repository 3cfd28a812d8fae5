"""The operator's own ssh gives the same facts about a Pod as a look on its node: a real sshd on a real node.
The command itself: test_ways.py.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.command import UNSTUCK, run_unstuck
from tests.e2e.loglines import make_unlink_failure
from tests.e2e.staying import immutable_and_busy
from unstuck.collect.script import script_text
from unstuck.collect.ssh import SshWay
from unstuck.facts.aspects.host import FlaggedFiles
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.storage import PluginSockets
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.node import Node
    from unstuck_lab.sshd import Door

pytestmark = pytest.mark.e2e
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS = "e2e-ssh"
SLEEP = "864017"
MOUNT, FLAG = "/run/unstuck-ssh-fuse", "/run/unstuck-ssh-fuse.hang"


@pytest.fixture(scope="module")
def node(lab: Lab) -> Node:
    """Return the last node: hangs there leave the first one alone."""
    if lab.existing:
        pytest.skip("an existing cluster's nodes cannot be entered")
    return lab.nodes[-1]


@pytest.fixture(scope="module")
def door(node: Node) -> Iterator[Door]:
    with node.serve_ssh() as door:
        yield door


@pytest.fixture(scope="module")
def pods(lab: Lab, node: Node) -> Iterator[dict[str, Any]]:
    """Create a healthy Pod and two undeletable ones: by an immutable file, by a process in a volume."""
    with immutable_and_busy(lab, node, NS, SLEEP, "well") as running:
        yield running


def judged(report: dict[str, Any]) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the state, and each cause with its confidence and culprit."""
    found = report["diagnoses"][0]
    return found["state"], [(c["id"], c["confidence"], str(c["culprit"])) for c in found["causes"]]


def look(door: Door, node: str, about: Ref | None) -> list[Fact]:
    """Look like the command, with the configured ssh."""
    before = os.environ["PATH"]
    os.environ["PATH"] = door.path
    try:
        return SshWay(door.host).look(node, about, 20)
    finally:
        os.environ["PATH"] = before


def by_ssh(lab: Lab, door: Door, name: str) -> dict[str, Any]:
    """Return the facts of the API and ssh. No agent is installed here, which would be asked first."""
    pod = lab.get_pod(NS, name) or {}
    about = Ref("Pod", NS, name, pod["metadata"]["uid"])
    facts = look(door, pod["spec"]["nodeName"], about)
    saved = Saved(Snapshot(facts, datetime.now(UTC).replace(microsecond=0), (f"node:{door.host}",)), about)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(save(saved, "0"), file)
        file.flush()
        return why(lab, name, "--no-node", "--facts", file.name)


def why(lab: Lab, name: str, *more: str) -> dict[str, Any]:
    done = run_unstuck(
        "why", f"pod/{name}", "-n", NS, "--after", "1s", "-o", "json", *more, kubeconfig=lab.kubeconfig
    )
    assert done.returncode in (0, 1, 2), done
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def on_the_node(lab: Lab, node: Node, name: str) -> dict[str, Any]:
    from unstuck_lab.asking import provide_inner_kubeconfig

    argv = [
        UNSTUCK,
        "why",
        f"pod/{name}",
        "-n",
        NS,
        "--after",
        "1s",
        "-o",
        "json",
        "--here",
        f"--kubeconfig={provide_inner_kubeconfig(lab)}",
    ]
    done = node.run(argv, timeout=60)
    assert done.returncode in (0, 1, 2), done
    report: dict[str, Any] = json.loads(done.stdout)
    return report


PROVEN = {"immutable": "file.immutable", "busy": "mount.busy"}


@pytest.mark.parametrize("name", ["well", "immutable", "busy"])
def test_ssh_gives_the_causes_that_a_look_on_the_node_gives(
    lab: Lab, node: Node, door: Door, pods: dict[str, Any], name: str
) -> None:
    far, near = by_ssh(lab, door, name), on_the_node(lab, node, name)
    assert judged(far) == judged(near)
    if name in PROVEN:
        assert judged(far)[1][0][:2] == (PROVEN[name], "proven")
    else:
        assert judged(far) == ("fine", [])


def test_with_containerd_stopped_it_is_proven_all_the_same(
    lab: Lab, node: Node, door: Door, pods: dict[str, Any]
) -> None:
    node.stop_containerd()
    try:
        found = judged(by_ssh(lab, door, "immutable"))
    finally:
        node.start_containerd()
    assert ("file.immutable", "proven") in [c[:2] for c in found[1]]


def test_a_process_in_d_is_told_with_the_mount_it_waits_for(lab: Lab, node: Node, door: Door) -> None:
    from unstuck_lab.faults import _hung, process_in_d

    server = [*process_in_d.SERVER[:2], MOUNT, FLAG]
    name = "looks-up"
    try:
        _hung.mount_connections(node)
        node.check(["rm", "-f", FLAG])
        node.spawn(server, log="fuse")
        lab.wait(
            lambda: node.run(["mountpoint", "-q", MOUNT], timeout=5).returncode == 0, 10, f"mount {MOUNT}"
        )
        lab.apply(objects.make_namespace(NS), _hung.make_pod(NS, name, node, MOUNT))
        steps.wait_running(lab, NS, name)
        node.check(["touch", FLAG])
        steps.delete_pod(lab, NS, name, grace=1)
        lab.wait(lambda: _hung.find_blocked_process(lab, NS, name, node), 60, "a process in D")
        far = lab.wait(
            lambda: found if judged(found := by_ssh(lab, door, name))[1] else None,
            60,
            "the time that a deletion may take",
        )
        assert judged(far) == judged(on_the_node(lab, node, name)), far["diagnoses"][0]["causes"]
        assert judged(far)[1][0][:2] == ("volume.network-filesystem-hung", "proven") and MOUNT in str(far)
    finally:
        node.run(["rm", "-f", FLAG])
        lab.run_kubectl(
            "delete", "pod", name, "-n", NS, "--ignore-not-found", "--wait=false", "--grace-period=1"
        )
        lab.wait(lambda: lab.get_pod(NS, name) is None, 120, f"end of {name}")
        _hung.unmount(node, MOUNT)
        node.kill(server)


def test_a_host_that_is_another_node_is_not_believed(node: Node, door: Door) -> None:
    (said,) = look(door, "another", None)
    assert isinstance(said, Unreached) and (said.reason, said.detail) == ("other-node", node.name)


SNAPSHOTS = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots"


def test_what_was_rotated_the_flags_of_a_leaked_snapshot_and_plugins_sockets_are_told(
    lab: Lab, node: Node, door: Door
) -> None:
    uid = "0badf00d-0000-4000-8000-000000000000"
    log, leaked, registry = (
        "/var/log/kubelet.log.1.gz",
        f"{SNAPSHOTS}/999999",
        "/var/lib/kubelet/plugins_registry/e2e-reg.sock",
    )
    made = f"gzip >{log}; mkdir -p {leaked}/fs; touch {leaked}/fs/x {registry}; chattr +i {leaked}/fs/x"
    try:
        assert (
            node.run(["sh", "-ec", made], stdin=make_unlink_failure(uid, datetime.now(UTC))).returncode == 0
        )
        of_pod, of_node = look(door, node.name, Ref("Pod", NS, "gone", uid)), look(door, node.name, None)
    finally:
        node.run(["sh", "-c", f"chattr -i {leaked}/fs/x; rm -rf {log} {leaked} {registry}"])
    assert [(f.error, f.src.where) for f in of_pod if isinstance(f, Failure) and f.about.uid == uid] == [
        ("EPERM", f"{node.name} {log}")
    ]
    flagged = [f for f in of_node if isinstance(f, FlaggedFiles) and f.about.kind == "Node"]
    assert [x.path for f in flagged for x in f.files] == [f"{leaked}/fs/x"]
    assert all("e2e-reg.sock" in f.registered for f in of_pod if isinstance(f, PluginSockets)) and flagged


# System calls that modify a file system, a mount or another process, besides opening a file for writing
# (strace(1): `%file` and more).
CHANGING = (
    "creat,mkdir,mkdirat,mknod,mknodat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,"
    "symlinkat,truncate,ftruncate,"
    "chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utime,utimes,utimensat,futimesat,setxattr,lsetxattr,"
    "fsetxattr,removexattr,"
    "lremovexattr,fremovexattr,mount,umount2,move_mount,mount_setattr,pivot_root,setns,unshare,ptrace,"
    "process_vm_writev"
)
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")


def test_the_script_changes_nothing_and_leaves_no_process(
    lab: Lab, node: Node, door: Door, pods: dict[str, Any]
) -> None:
    """By the system calls of its own processes: what others on the machine do meanwhile is not its doing."""
    uid, calls = pods["immutable"]["metadata"]["uid"], "/run/unstuck-script-calls"
    before = node.check(["cat", "/proc/1/mountinfo"])
    traced = [
        "strace",
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-o",
        calls,
        "-e",
        f"trace=open,openat,openat2,{CHANGING}",
    ]
    # seconds: under strace the usual four may not suffice on a busy machine, and time is irrelevant here
    patient = "50"
    try:
        done = node.run([*traced, "sh", "-s", "--", uid, "", patient], timeout=60, stdin=script_text())
        made = node.check(["cat", calls]).splitlines()
    finally:
        node.run(["rm", "-f", calls])
    assert done.stdout.endswith("\n#end\n") and "#cut" not in done.stdout
    opened = [line for line in made if re.match(r"\d+ +open", line)]
    assert len(opened) > 100, "nothing was traced"
    writes = [line for line in opened if WRITING.search(line) and '"/dev/null"' not in line]
    assert writes == []
    assert [line for line in made if line not in opened and re.match(r"\d+ +\w+\(", line)] == []
    assert node.check(["cat", "/proc/1/mountinfo"]) == before
    names = node.check(["sh", "-c", "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; echo; done"])
    assert "lsattr" not in names and "xargs" not in names and f"-- {uid}" not in names
