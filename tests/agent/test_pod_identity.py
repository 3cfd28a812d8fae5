"""A Pod's name and uid belong together by the node's or the kubelet's word; otherwise nothing is reported."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from unstuck.agent.evidence import is_vouched_for
from unstuck.agent.pod_identity import is_known_here
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.core import Ref

UID = "1111111a-2222-3333-4444-555555555555"
OTHER = "99999999-8888-7777-6666-555555555555"
CONTAINER = "ab" * 32
POD = Ref("Pod", "mine", "web-0", UID)
ASKED = {"namespace": "mine", "name": "web-0", "uid": UID}


def _known(tree: Path, pod: Ref = POD) -> bool:
    (tree / "proc").mkdir(exist_ok=True)
    return is_known_here(NodeView(Root(str(tree)), datetime(2026, 1, 1, tzinfo=UTC), "n1"), pod)


def _cgroup(tree: Path, uid: str = UID) -> None:
    top = tree / "sys/fs/cgroup"
    (top / f"kubepods/pod{uid}/{CONTAINER}").mkdir(parents=True)
    (top / "cgroup.controllers").write_text("")


def _file(tree: Path, path: str, doc: Any) -> None:
    (tree / path).parent.mkdir(parents=True)
    (tree / path).write_text(doc if isinstance(doc, str) else json.dumps(doc))


def test_the_kubelets_log_directory_says_it(tmp_path: Path) -> None:
    (tmp_path / f"var/log/pods/mine_web-0_{UID}").mkdir(parents=True)
    assert _known(tmp_path)
    assert not _known(tmp_path, Ref("Pod", "mine", "web-1", UID))
    assert not _known(tmp_path, Ref("Pod", "theirs", "web-0", UID))
    assert not _known(tmp_path, Ref("Pod", "mine", "web-0", OTHER))


def test_another_pod_of_that_uid_does_not_say_it(tmp_path: Path) -> None:
    (tmp_path / f"var/log/pods/theirs_db-0_{UID}").mkdir(parents=True)
    assert not _known(tmp_path)


@pytest.mark.parametrize(
    "uid", ["", "../..", UID.upper(), UID.replace("-", "_"), UID.replace("-", ""), "x" * 36]
)
def test_a_uid_in_another_form_is_none(tmp_path: Path, uid: str) -> None:
    (tmp_path / f"var/log/pods/mine_web-0_{UID}").mkdir(parents=True)
    assert not _known(tmp_path, Ref("Pod", "mine", "web-0", uid))


_CRI = {
    f"io.kubernetes.cri.sandbox-{k}": v for k, v in (("namespace", "mine"), ("name", "web-0"), ("uid", UID))
}
_LABELS = {f"io.kubernetes.pod.{k}": v for k, v in (("namespace", "mine"), ("name", "web-0"), ("uid", UID))}


@pytest.mark.parametrize(
    ("path", "doc"),
    [
        (
            f"run/containerd/io.containerd.runtime.v2.task/k8s.io/{CONTAINER}/config.json",
            {"annotations": _CRI},
        ),
        (
            f"run/containers/storage/overlay-containers/{CONTAINER}/userdata/config.json",
            {"annotations": _LABELS},
        ),
        (f"var/lib/docker/containers/{CONTAINER}/config.v2.json", {"Config": {"Labels": _LABELS}}),
    ],
)
def test_a_sandbox_says_it(tmp_path: Path, path: str, doc: Any) -> None:
    _cgroup(tmp_path)
    _file(tmp_path, path, doc)
    assert _known(tmp_path)
    assert not _known(tmp_path, Ref("Pod", "mine", "web-1", UID))


@pytest.mark.parametrize(
    "doc",
    [
        "",
        "{",
        "[]",
        "null",
        '{"annotations": 1}',
        '{"Config": []}',
        '{"annotations": {"io.kubernetes.pod.uid": 5}}',
    ],
)
def test_what_does_not_read_says_nothing(tmp_path: Path, doc: str) -> None:
    _cgroup(tmp_path)
    _file(tmp_path, f"var/lib/docker/containers/{CONTAINER}/config.v2.json", doc)
    assert not _known(tmp_path)


def test_the_kubelet_vouches_for_exactly_the_pod_in_its_list() -> None:
    about = {"kind": "Pod", "within": "mine", "name": "web-0", "uid": UID}
    doc = {"type": "KubeletPod", "about": about, "listed": True}
    assert is_vouched_for([doc], ASKED)
    assert not is_vouched_for([{**doc, "listed": False}], ASKED)
    assert not is_vouched_for([{**doc, "about": {**about, "name": "db-0"}}], ASKED)
    assert not is_vouched_for([{**doc, "about": {"kind": "Pod", "uid": UID}}], ASKED)
    assert not is_vouched_for([{**doc, "type": "Failure"}], ASKED)
    assert not is_vouched_for([], ASKED)
