"""Messages of old kubelets about the directory of a deleted Pod, on nodes built as trees with the lines of
field reports.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import HOST_MOUNTS, Tree
from tests.recorded.test_old_nodes import UID as RUNS
from tests.recorded.test_old_nodes import old_node
from unstuck.collect.node import NodeCollector
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import discover, investigate
from unstuck.facts.aspects.objects import Below
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

pytestmark = pytest.mark.slow

NOW = datetime(2019, 4, 8, 6, 0, tzinfo=UTC)
GONE = "c5d04266-246f-4781-a6de-8a6cbda8ba59"
TOP = f"/var/lib/kubelet/pods/{GONE}"
NODE = Ref("Node", None, "node-a1")
API = """\
apiVersion: v1
kind: Node
metadata: {{name: node-a1, uid: 00000000-0000-4000-8000-0000000000b1, creationTimestamp: "2018-11-01T00:00:00Z"}}
status:
  conditions: [{{type: Ready, status: "True", reason: KubeletReady, lastTransitionTime: "2019-04-08T05:55:40Z"}}]
  nodeInfo: {{kubeletVersion: {kubelet}, kernelVersion: 3.10.0-693.el7.x86_64, containerRuntimeVersion: "docker://18.9.9"}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {{name: node-a1, namespace: kube-node-lease, uid: 00000000-0000-4000-8000-0000000000b2}}
spec: {{holderIdentity: node-a1, leaseDurationSeconds: 40, renewTime: "2019-04-08T05:59:55Z"}}
"""
HEAD = "Apr 08 05:59:18 node-a1 kubelet: E0408 05:59:18.360278   27666 kubelet_volumes.go:{line}] "
TAIL = " : There were a total of 1 errors similar to this. Turn up verbosity to see them.\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return old_node(tmp_path)


def answer(tree: Tree, kubelet: str, *uids: str) -> Diagnosis:
    reader = NodeCollector(tree.root, "node-a1", now=lambda: NOW, deadline=20)
    refs = tuple(Ref("Pod", "ads-prod", f"p-{i}", uid) for i, uid in enumerate(uids))
    below = Below(about=NODE, src=Source("/api/v1/pods", f"{len(refs)} Pods"), kind="Pod", refs=refs)
    facts = {below, *read_text(API.format(kubelet=kubelet), "node.yaml", NOW).facts, *reader.survey(None)}
    return investigate(NODE, Snapshot(facts, NOW), discover(), reader.collect, None)[1]


def told(found: Diagnosis) -> list[tuple[str, str]]:
    return [(t.id, t.confidence) for t in found.causes]


def test_a_kubelet_1_18_leaves_even_an_empty_volume_directory(tree: Tree) -> None:
    tree.directory(f"{TOP}/volumes/kubernetes.io~csi/pvc-1")
    said = (
        HEAD.format(line=154)
        + f'Orphaned pod "{GONE}" found, but volume paths are still present on disk'
        + TAIL
    )
    tree.write("/var/log/messages", said)
    found = answer(tree, "v1.18.8", RUNS)
    assert told(found) == [("kubelet.orphaned-pod-directory", "proven")]
    (first,) = found.causes
    assert GONE in first.finding.says.en and GONE in first.finding.says.zh
    assert (
        first.finding.help[-1].command.argv[:2] == ("find", TOP)
        and "-empty" in first.finding.help[-1].command.argv
    )


def test_a_kubelet_1_20_fails_at_the_target_of_a_subpath(tree: Tree) -> None:
    file = f"{TOP}/volume-subpaths/cudald/est73vf8503ba-0/1"
    tree.write(file, "")
    tree.write(
        "/var/log/messages",
        HEAD.format(line=179)
        + f'orphaned pod "{GONE}" found, but failed to rmdir() subpath at path {file}: not a directory'
        + TAIL,
    )
    found = answer(tree, "v1.20.4", RUNS)
    assert told(found) == [("kubelet.orphaned-pod-directory", "proven")]
    assert file in found.causes[0].finding.says.en


def test_what_is_mounted_and_said_by_nobody_stays_open_in_a_record(tree: Tree) -> None:
    point = f"{TOP}/volumes/kubernetes.io~nfs/d"
    tree.directory(point)
    tree.write(
        "/proc/27666/mountinfo", f"{HOST_MOUNTS}130 68 0:60 / {point} rw shared:60 - nfs 10.0.0.9:/d rw\n"
    )
    # A recorded tree has no times: whether the directory has been unchanged is unknown, and no message
    # reports it.
    assert told(answer(tree, "v1.18.8", RUNS)) == []


def test_the_same_line_of_a_pod_that_is_there_is_none(tree: Tree) -> None:
    tree.directory(f"{TOP}/volumes/kubernetes.io~csi/pvc-1")
    tree.write(
        "/var/log/messages",
        HEAD.format(line=154)
        + f'Orphaned pod "{GONE}" found, but volume paths are still present on disk'
        + TAIL,
    )
    assert told(answer(tree, "v1.18.8", RUNS, GONE)) == []
