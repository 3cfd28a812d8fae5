"""Directories of deleted Pods: mounts below them, contents that the kubelet does not remove, and its messages
about them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.hanging import state
from tests.node.test_recorded import NODE, NOW, node_at, only
from tests.node.tree import HOST_MOUNTS, OTHER, UID, V2, Tree
from unstuck.collect.node import leftovers
from unstuck.collect.node.answers import answer, survey
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.leftovers import PodDirectories
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Refused, Want

TOP = "/var/lib/kubelet/pods"
GONE = f"{TOP}/{OTHER}"
STAMP = "E1121 03:0{minute}:00.000000     700 "
LINE = (
    STAMP + 'kubelet_volumes.go:263] "There were many similar errors. Turn up verbosity to see them." '
    'err="orphaned pod \\"{uid}\\" found, '
    'but error occurred when trying to remove the volumes dir: not a directory" numErrs=2\n'
)
TORN = (
    STAMP
    + 'nestedpendingoperations.go:348] Operation for "{{volumeName:x podName:{uid} nodeName:}}" failed. '
    "No retries permitted until x. "
    'Error: UnmountVolume.TearDown failed for volume "v" pod "{uid}" (UID: "{uid}") : remove /x: device or '
    "resource busy\n"
)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = node_at(tmp_path, V2)
    made.write("/var/log/kubelet.log", 'I1121 03:00:00.000000     700 server.go:525] "x"\n')
    return made


def found(tree: Tree) -> PodDirectories:
    return only(
        list(answer(NodeView(Root(str(tree.root)), NOW), [Want(PodDirectories, NODE)])), PodDirectories
    )


def test_a_file_that_the_kubelet_does_not_remove(tree: Tree) -> None:
    tree.write(f"{GONE}/volumes/kubernetes.io~csi/pvc-1/vol_data.json", "")
    tree.write(f"{GONE}/volume-subpaths/v/c/0", "")
    tree.write(f"{GONE}/etc-hosts", "the kubelet removes this itself")
    fact = found(tree)
    (item,) = fact.items
    assert (item.uid, item.path, item.volumes, fact.total) == (OTHER, GONE, ("kubernetes.io~csi/pvc-1",), 2)
    assert item.files == (
        f"{GONE}/volumes/kubernetes.io~csi/pvc-1/vol_data.json",
        f"{GONE}/volume-subpaths/v/c/0",
    )
    assert item.holds and item.looked and not item.mounts
    # A recorded tree may be incomplete, and has no times.
    assert not fact.whole and item.changed is None


def test_what_is_mounted_is_told_and_not_entered(tree: Tree) -> None:
    point = f"{GONE}/volumes/kubernetes.io~nfs/d"
    tree.write(
        "/proc/700/mountinfo", f"{HOST_MOUNTS}130 68 0:60 / {point} rw shared:60 - nfs4 10.0.0.9:/d rw\n"
    )
    tree.write(f"{point}/precious", "data of the volume")
    (item,) = found(tree).items
    assert [(m.mountpoint, m.fstype) for m in item.mounts] == [(point, "nfs4")]
    assert item.files == () and item.holds


def test_pods_that_run_and_static_ones_are_left_out(tree: Tree) -> None:
    tree.write(f"{TOP}/{UID}/volumes/kubernetes.io~empty-dir/d/x", "")
    tree.write(f"{TOP}/{'0a' * 16}/volumes/kubernetes.io~empty-dir/d/x", "")
    fact = found(tree)
    assert fact.items == () and fact.total == 2


def test_empty_directories_hold_nothing(tree: Tree) -> None:
    tree.directory(f"{GONE}/volumes/kubernetes.io~empty-dir/d")
    (item,) = found(tree).items
    assert not item.holds and item.volumes == ("kubernetes.io~empty-dir/d",)


def test_a_walk_has_an_end(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_MAX_ENTRIES", 3)
    for i in range(5):
        tree.write(f"{GONE}/volumes/kubernetes.io~csi/pvc-1/f{i}", "")
    (item,) = found(tree).items
    assert not item.looked and item.files == ()


def test_the_kubelets_complaint_and_what_failed_first(tree: Tree) -> None:
    tree.write(f"{GONE}/volumes/kubernetes.io~csi/pvc-1/vol_data.json", "")
    lines = [
        TORN.format(minute=1, uid=OTHER),
        TORN.format(minute=2, uid=OTHER),
        LINE.format(minute=3, uid=OTHER),
    ]
    tree.write("/var/log/kubelet.log", "".join([*lines, LINE.format(minute=4, uid=OTHER)]))
    facts = list(survey(NodeView(Root(str(tree.root)), NOW), None))
    (said,) = [f for f in facts if isinstance(f, Failure) and f.operation == "pod-directory-remove"]
    assert (said.about, said.key, said.error, said.count) == (NODE, OTHER, "ENOTDIR", 2)
    (item,) = only(facts, PodDirectories).items
    (first,) = item.earlier
    assert (first.operation, first.error) == ("volume-tear-down", "EBUSY")


def test_the_silent_complaint_of_verbosity_3(tree: Tree) -> None:
    line = (
        'I1121 03:03:00.000000     700 kubelet_volumes.go:193] "Orphaned pod found, but volumes are not '
        f'cleaned up" podUID="{OTHER}"\n'
    )
    tree.write("/var/log/kubelet.log", line)
    (said,) = [f for f in survey(NodeView(Root(str(tree.root)), NOW), None) if isinstance(f, Failure)]
    assert (said.about, said.key, said.error) == (NODE, OTHER, "volumes-mounted")


def test_without_the_directory_of_pods_nothing_is_told(tree: Tree) -> None:
    for process in (700, 600):
        tree.write(f"/proc/{process}/stat", "")
    (refused,) = answer(
        NodeView(Root(str(tree.root)), NOW, kubelet_root="/nowhere"), [Want(PodDirectories, NODE)]
    )
    assert isinstance(refused, Refused) and refused.why == "not-offered"


def test_a_file_system_that_hangs_below_is_not_touched(hung: tuple[Path, int], tmp_path: Path) -> None:
    point, victim = hung
    seen = f"/{point.relative_to(tmp_path)}"
    tree = Tree(tmp_path)
    mounts = f"{HOST_MOUNTS}130 68 0:60 / {seen} rw shared:60 - fuse.hangfs hangfs rw\n"
    tree.process(1, "systemd", mounts=mounts)
    tree.process(700, "kubelet", argv="/usr/bin/kubelet --root-dir=/", mounts=mounts)
    fact = only(leftovers.directories(NodeView(Root(str(tree.root)), NOW)), PodDirectories)
    assert [m.mountpoint for i in fact.items for m in i.mounts] == [seen]
    assert state(victim) == "D"
