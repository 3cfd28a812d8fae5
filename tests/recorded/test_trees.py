"""Nodes of old software as file trees, with the lines of field reports: read by the same collector, answered by the same causes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import read_diagnosis, run_unstuck, write_kubeconfig
from tests.kube.cluster import cluster, make_list

pytestmark = pytest.mark.slow

TREES = Path(__file__).parent / "trees"


@dataclass(frozen=True)
class Tree:
    """A recorded node, its undeletable Pod, and the expected answer."""

    name: str
    node: str
    namespace: str
    pod: str
    uid: str
    kernel: str
    kubelet: str
    cause: str
    says: str
    sure: bool  # whether the tree contains the proof; file flags are not recorded

    @property
    def root(self) -> str:
        return str(TREES / self.name)


NTPD = Tree(
    name="ntpd-private-tmp",
    node="node-4",
    namespace="default",
    pod="web-prod-1-85d7c94f6b-w2k8n",
    uid="4d29e14c-e43d-429c-a587-eb07fa7a48fa",
    kernel="3.10.0-327.el7.x86_64",
    kubelet="v1.12.3",
    cause="mount.leaked-to-private-tmp",
    says="ntpd.service",
    sure=True,
)
AGENT = Tree(
    name="log-agent-overlay2",
    node="node-21",
    namespace="shop",
    pod="orders-5d8c7b9f4-tq7kx",
    uid="813f9a12-33cf-4fe4-a721-48266071a424",
    kernel="3.10.0-514.26.2.el7.x86_64",
    kubelet="v1.14.8",
    cause="mount.held-by-process",
    says="process 27187 (log-agent)",
    sure=True,
)
IMMUTABLE = Tree(
    name="immutable-overlay2",
    node="node-7",
    namespace="shop",
    pod="gateway-7bd5f9c684-h2v9s",
    uid="e30bb518-1029-4cba-a2f6-1d59bc09987e",
    kernel="3.10.0-1062.el7.x86_64",
    kubelet="v1.14.3",
    cause="file.immutable",
    says="/diff/usr/bin/bash",
    sure=False,
)
ALL = pytest.mark.parametrize("tree", [NTPD, AGENT, IMMUTABLE], ids=lambda t: t.name)


# The reading time of a tree depends on the machine; tests/node check the time limits.
HERE = ("--here", "--node-timeout", "30s")


def facts_file(tree: Tree, path: Path, *args: str) -> Path:
    done = run_unstuck("node", *HERE, "--root", tree.root, *args, "-o", "json", kubeconfig=None)
    assert (done.returncode, done.stderr) == (0, "")
    path.write_text(done.stdout)
    return path


def replayed(path: Path) -> dict[str, Any]:
    return read_diagnosis(run_unstuck("replay", str(path), "-o", "json", kubeconfig=None))


def first(found: dict[str, Any]) -> tuple[str, str]:
    return found["causes"][0]["id"], found["causes"][0]["confidence"]


@ALL
def test_the_node_alone_is_answered(tree: Tree, tmp_path: Path) -> None:
    """About the Node: what cannot be removed is told by the kubelet's and docker's lines; the holder by its mountinfo."""
    found = replayed(facts_file(tree, tmp_path / "node.json"))
    assert first(found) == (tree.cause, "proven" if tree.sure else "likely")
    assert (
        tree.says in found["causes"][0]["says"]["en"]
        and tree.says.split()[-1].strip("()") in found["causes"][0]["says"]["zh"]
    )


@ALL
def test_the_pod_is_at_most_likely_while_nobody_saw_its_object(tree: Tree, tmp_path: Path) -> None:
    found = replayed(facts_file(tree, tmp_path / "node.json", "--pod", tree.uid))
    assert (found["subject"]["namespace"], found["subject"]["name"]) == (tree.namespace, tree.pod)
    assert first(found) == (tree.cause, "likely")


@ALL
def test_as_text_it_names_the_cause_in_both_languages(tree: Tree) -> None:
    for lang in ("en", "zh"):
        done = run_unstuck(
            "node", *HERE, "--root", tree.root, "--pod", tree.uid, "--lang", lang, kubeconfig=None
        )
        assert done.returncode == 1 and tree.cause in done.stdout and done.stderr == ""


@contextmanager
def api(tree: Tree, path: Path) -> Iterator[Path]:
    """Return the relevant answers of an API server of that time: the Pod under deletion, its Node, expired
    Events.
    """
    meta = {
        "name": tree.pod,
        "namespace": tree.namespace,
        "uid": tree.uid,
        "creationTimestamp": "2026-09-01T00:00:00Z",
    }
    ended = {
        "terminated": {
            "exitCode": 137,
            "reason": "Error",
            "finishedAt": "2026-11-01T00:00:01Z",
            "containerID": "docker://0",
        }
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**meta, "deletionTimestamp": "2026-11-01T00:00:30Z", "deletionGracePeriodSeconds": 30},
        "spec": {
            "nodeName": tree.node,
            "containers": [{"name": "c", "image": "registry.example/web:1"}],
            "volumes": [],
        },
        "status": {
            "phase": "Running",
            "startTime": "2026-09-01T00:00:01Z",
            "containerStatuses": [
                {"name": "c", "ready": False, "restartCount": 0, "state": ended, "image": "w", "imageID": ""}
            ],
        },
    }
    info = {"kubeletVersion": tree.kubelet, "kernelVersion": tree.kernel, "osImage": "CentOS Linux 7 (Core)"}
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": tree.node,
            "uid": "00000000-0000-4000-8000-000000000001",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "status": {
            "nodeInfo": info,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        },
    }
    space = f"/api/v1/namespaces/{tree.namespace}"
    with cluster(
        {f"{space}/pods/{tree.pod}": pod, f"{space}/events": make_list(), f"/api/v1/nodes/{tree.node}": node}
    ) as c:
        yield write_kubeconfig(path, c.server.url)


@ALL
def test_on_the_node_why_proves_what_the_tree_shows(tree: Tree, tmp_path: Path) -> None:
    question = ["why", f"pod/{tree.pod}", "-n", tree.namespace, "-o", "json"]
    with api(tree, tmp_path / "config") as kubeconfig:
        without = read_diagnosis(run_unstuck(*question, "--no-node", kubeconfig=kubeconfig))
        here = run_unstuck(*question, *HERE, "--root", tree.root, kubeconfig=kubeconfig)
        elsewhere = run_unstuck(
            *question,
            "--facts",
            str(facts_file(tree, tmp_path / "f.json", "--pod", tree.uid)),
            kubeconfig=kubeconfig,
        )
    assert without["state"] == "stuck" and without["causes"] == []
    assert tree.cause in [u["id"] for u in without["undecided"]]
    for done in (here, elsewhere):
        assert (done.returncode, done.stderr) == (1, "")
        assert first(read_diagnosis(done)) == (tree.cause, "proven" if tree.sure else "likely")
        assert tree.says in read_diagnosis(done)["causes"][0]["says"]["en"]


def test_a_newer_kubelet_lets_the_pod_go_so_it_is_not_that(tmp_path: Path) -> None:
    """The same node with a kubelet of today: a root filesystem that stays holds no Pod."""
    import dataclasses

    modern = dataclasses.replace(NTPD, kubelet="v1.30.1")
    question = ["why", f"pod/{NTPD.pod}", "-n", NTPD.namespace, "-o", "json", *HERE, "--root", NTPD.root]
    with api(modern, tmp_path / "config") as kubeconfig:
        found = read_diagnosis(run_unstuck(*question, kubeconfig=kubeconfig))
    assert NTPD.cause not in [c["id"] for c in found["causes"]]
    assert NTPD.cause in [c["id"] for c in found["ruled_out"]]


def test_the_private_tmp_of_the_holder_is_told() -> None:
    done = run_unstuck("node", *HERE, "--root", NTPD.root, kubeconfig=None)
    assert "ntpd.service has PrivateTmp=true" in " ".join(done.stdout.split())
    assert "process 27250 (ntpd)" in done.stdout and "systemctl restart ntpd.service" in done.stdout


def test_a_tree_that_is_no_node_is_one_line(tmp_path: Path) -> None:
    done = run_unstuck("node", *HERE, "--root", str(tmp_path), kubeconfig=None)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1) and str(
        tmp_path
    ) in done.stderr


def test_no_link_of_a_tree_leads_into_this_machine() -> None:
    """`cwd` and `root` are left out of the records: whoever follows a link to `/` walks the whole machine."""
    for path in TREES.rglob("*"):
        if path.is_symlink():
            target = path.readlink()
            assert not target.is_absolute() or not target.is_dir(), path
