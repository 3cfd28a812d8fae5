"""The lab's real containerd, and a real dockerd beside it: their answers match their own clients', also while
suspended.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from unstuck.collect.node import NodeCollector
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.runtime import RuntimeAnswer, RuntimeContainers
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.runtime import find_disagreement

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.node import Node

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
NS = "t-runtime"
NODE = Ref("Node", None, "lab-1")


@pytest.fixture(scope="module")
def node(lab: Lab) -> Node:
    if lab.existing:
        pytest.skip("its nodes cannot be entered")
    return lab.get_node("lab-1")


@pytest.fixture(scope="module")
def uid(lab: Lab, node: Node) -> Iterator[str]:
    """Return the uid of a Pod running on the node."""
    from unstuck_lab.faults import _objects, _steps

    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, "web", nodeName=node.name))
    yield str(_steps.wait_running(lab, NS, "web")["metadata"]["uid"])
    _steps.remove_namespace(lab, NS, timeout=180)


@contextmanager
def suspended(pid: int | None) -> Iterator[None]:
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def frozen(node: Node, pid: int) -> Iterator[None]:
    """Freeze the process by its control group: it does not run, and is not in state T. pid: on the node."""
    group = "/sys/fs/cgroup/freezer/unstuck-test"
    if node.run(["mkdir", "-p", group]).returncode != 0:
        pytest.skip("control groups of version 1 are needed")
    try:
        node.check(["sh", "-ec", f"echo {pid} > {group}/cgroup.procs; echo FROZEN > {group}/freezer.state"])
        yield
    finally:
        node.run(
            [
                "sh",
                "-c",
                (
                    f"echo THAWED > {group}/freezer.state; echo {pid} > {group}/../daemons/cgroup.procs; "
                    f"rmdir {group}"
                ),
            ]
        )


def collector(node: Node) -> NodeCollector:
    return NodeCollector(node.root, node.name, lambda: datetime.now(UTC), deadline=15.0)


def answer(node: Node, daemon: str) -> RuntimeAnswer:
    facts = collector(node).collect([Want(RuntimeAnswer, NODE)])
    return next(f for f in facts if isinstance(f, RuntimeAnswer) and f.daemon == daemon)


def containers(node: Node, pod: str) -> RuntimeContainers:
    facts = collector(node).collect([Want(RuntimeContainers, Ref("Pod", uid=pod))])
    return next(f for f in facts if isinstance(f, RuntimeContainers))


def test_containerd_is_who_its_client_says(node: Node) -> None:
    told = answer(node, "containerd")
    version = next(
        line.split()[-1]
        for line in reversed(node.check(["ctr", "version"]).splitlines())
        if "Version" in line
    )
    assert (told.answers, told.api, told.for_kubelet) == (True, "runtime.v1", True)
    assert told.version == f"containerd {version}"


def test_its_containers_are_those_of_its_client_and_of_the_api(lab: Lab, node: Node, uid: str) -> None:
    fact = containers(node, uid)
    tasks = {
        t.split()[0]: int(t.split()[1])
        for t in node.check(["ctr", "-n", "k8s.io", "tasks", "ls"]).splitlines()[1:]
    }
    pod = lab.get_pod(NS, "web")
    assert pod is not None
    (status,) = pod["status"]["containerStatuses"]
    assert fact.whole
    assert {c.id: c.task_pid for c in fact.items} == {c.id: tasks[c.id] for c in fact.items}
    (web,) = [c for c in fact.items if not c.sandbox]
    assert f"containerd://{web.id}" == status["containerID"]
    assert [w.state for w in web.words] == ["running", "running"]
    assert web.task_pid in [p.pid for p in web.processes or ()]
    assert not [c for c in fact.items if find_disagreement(c)]


def test_suspended_it_accepts_and_does_not_answer_and_its_files_still_tell(node: Node, uid: str) -> None:
    with suspended(node.containerd_pid):
        began = time.monotonic()
        facts = collector(node).survey(uid)
        assert time.monotonic() - began < 40
    told = next(f for f in facts if isinstance(f, RuntimeAnswer))
    state = next(f for f in facts if isinstance(f, DaemonState) and f.daemon == "containerd")
    seen = next(f for f in facts if isinstance(f, RuntimeContainers) and f.about.kind == "Pod")
    assert (told.accepts, told.answers, state.stopped) == (True, None, True)
    (web,) = [c for c in seen.items if not c.sandbox]
    assert [w.by.rpartition("/")[2] for w in web.words] == ["status"]
    assert find_disagreement(web) is None


def test_nothing_is_left_behind_by_asking(node: Node) -> None:
    before = node.check(["sh", "-c", "ls -R /run/containerd/io.containerd.runtime.v2.task | sort | md5sum"])
    for _ in range(3):
        answer(node, "containerd")
    assert (
        node.check(["sh", "-c", "ls -R /run/containerd/io.containerd.runtime.v2.task | sort | md5sum"])
        == before
    )


def test_dockerd_answers_lists_and_is_silent_when_suspended(lab: Lab, node: Node) -> None:
    from unstuck_lab.errors import LabError
    from unstuck_lab.faults import _docker

    try:
        pid = _docker.start(lab, node)
    except LabError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"docker.io cannot be fetched here: {error}")
    try:
        label = "11111111-2222-4333-8444-555555555555"
        _docker.run_docker(
            lab, node, "run", "-d", "--network=none", "-e", "PASSWORD=hunter2", "--label", f"io.kubernetes.pod.uid={label}",
            _docker.IMAGE, "/bin/sleep", "9999",
        )  # fmt: skip
        told = answer(node, "dockerd")
        assert told.version == _docker.run_docker(lab, node, "version", "-f", "{{.Server.Version}}").strip()
        assert (told.answers, told.api, told.for_kubelet) == (
            True,
            _docker.run_docker(lab, node, "version", "-f", "{{.Server.APIVersion}}").strip(),
            False,
        )
        (seen,) = containers(node, label).items
        assert seen.id == _docker.run_docker(lab, node, "ps", "-q", "--no-trunc").strip()
        assert [(w.daemon, w.state) for w in seen.words] == [("dockerd", "running")] * 2
        assert find_disagreement(seen) is None
        assert "hunter2" not in repr(seen)
        with suspended(pid):
            told = answer(node, "dockerd")
            assert (told.accepts, told.answers) == (True, None)
            (seen,) = containers(node, label).items
            assert [w.by.rpartition("/")[2] for w in seen.words] == ["config.v2.json"]
        with frozen(node, int(node.check(["cat", "/run/unstuck-lab-docker.pid"]))):
            told = answer(node, "dockerd")
            assert (told.accepts, told.answers) == (True, False)
            assert [(t.call, t.answered, t.seconds >= 2) for t in told.tries] == [
                ("GET /version", False, True)
            ] * 2
    finally:
        _docker.remove(lab, node)
