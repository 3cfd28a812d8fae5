"""Manifests of static Pods are told with their labels, the reason why the kubelet leaves one out, and what it
says about the one that it cannot announce.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import V2, LiveTree, Tree
from unstuck.collect.node.static_pods import of_cluster, of_node
from unstuck.collect.node.view import NodeView
from unstuck.facts.core import Ref

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
CONFIG = "/var/lib/kubelet/config.yaml"
BELL = """apiVersion: v1
kind: Pod
metadata:
  name: bell
  namespace: belfries
  labels: {app: bell}
spec:
  containers: [{name: c, image: lab.local/bell:1}]
"""
REFUSED = (
    'E1129 06:59:00.000000  700 kubelet.go:3222] "Failed creating a mirror pod" '
    'err="namespaces \\"belfries\\" not found" pod="belfries/bell-n"\n'
)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    made.write("/proc/600/cmdline", f"/usr/bin/kubelet\0--config={CONFIG}\0")
    made.write(CONFIG, "kind: KubeletConfiguration\nstaticPodPath: /etc/kubernetes/static\n")
    return made


def view(tree: Tree) -> NodeView:
    return NodeView(LiveTree(str(tree.root)), NOW, "n")


def test_what_the_kubelet_reads_and_what_lies_beside(tree: Tree) -> None:
    tree.write("/etc/kubernetes/static/bell.yaml", BELL)
    tree.write("/etc/kubernetes/static/.old.yaml", BELL)
    tree.write("/etc/kubernetes/static/notes.txt", "no Pod\n")
    tree.write("/etc/kubernetes/manifests/bell.yaml", BELL.replace("belfries", "belfry"))
    tree.write("/var/log/kubelet.log", REFUSED)
    found = of_cluster(view(tree), Ref("Cluster"))
    assert found is not None
    assert (found.about, found.node, found.path) == (Ref("Cluster"), "n", "/etc/kubernetes/static")
    assert [(p.file, p.left_out, p.pod.within) for p in found.items] == [
        ("/etc/kubernetes/static/.old.yaml", "dot", "belfries"),
        ("/etc/kubernetes/static/bell.yaml", "", "belfries"),
        ("/etc/kubernetes/manifests/bell.yaml", "directory", "belfry"),
    ]
    assert found.items[1].labels == (("app", "bell"),)
    assert found.items[1].refused == 'namespaces "belfries" not found'


def test_without_a_directory(tree: Tree) -> None:
    tree.write(CONFIG, "kind: KubeletConfiguration\n")
    tree.write("/etc/kubernetes/manifests/bell.yaml", BELL)
    found = of_node(view(tree))
    assert found is not None
    assert (found.path, [p.left_out for p in found.items]) == ("", ["directory"])
