"""Three nights on call, replayed in the cluster: the operator's commands, the answers, the omitted claims,
the warnings.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.command import read_diagnosis, run_unstuck

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.node import Node

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

PAY, VOLUME = "e2e-night-a", "e2e-night-a"


@pytest.fixture(scope="module")
def node(lab: Lab) -> Node:
    if lab.existing:
        pytest.skip("an existing cluster's nodes cannot be entered")
    return lab.nodes[0]


def stateful_set(node: Node) -> dict[str, Any]:
    """Return a StatefulSet with one Pod with a ReadWriteOnce volume, fixed to the node."""
    template = objects.make_pod_with_claim(PAY, "pg", "data-pg-0")["spec"] | {
        "nodeSelector": {"kubernetes.io/hostname": node.name}
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "pg", "namespace": PAY},
        "spec": {
            "serviceName": "pg",
            "replicas": 1,
            "selector": {"matchLabels": {"app": "pg"}},
            "template": {"metadata": {"labels": {"app": "pg"}}, "spec": template},
        },
    }


@pytest.fixture(scope="class")
def lost(lab: Lab, node: Node) -> Iterator[Node]:
    """Night A: the node of `pg-0` ends, its Pod is deleted, and the StatefulSet must not start another of its
    name.
    """
    from unstuck_lab.faults import _node

    try:
        lab.apply(
            objects.make_namespace(PAY),
            *objects.make_bound_claim(PAY, "data-pg-0", VOLUME),
            stateful_set(node),
        )
        steps.wait_running(lab, PAY, "pg-0")
        node.end()
        steps.delete_pod(lab, PAY, "pg-0", grace=1)
        lab.wait(lambda: _node.find_unknown_condition(lab, node.name), 120, f"node {node.name} is unknown")
        time.sleep(35)
        yield node
    finally:
        _node.restore(lab, node.name)
        steps.remove_namespace(lab, PAY, timeout=180)
        steps.remove_volume(lab, VOLUME)


class TestAStatefulSetThatCannotFailOver:
    @pytest.mark.usefixtures("lost")
    def test_the_impact_comes_first(self, lab: Lab) -> None:
        first = text(lab, "sts/pg", PAY).splitlines()[0]
        assert "StatefulSet e2e-night-a/pg — 1 of 1 not ready" in first and "pg-0" in first

    @pytest.mark.usefixtures("lost")
    def test_the_same_name_cannot_start_elsewhere(self, lab: Lab) -> None:
        assert "the same name cannot start elsewhere" in flat(text(lab, "sts/pg", PAY))

    @pytest.mark.usefixtures("lost")
    @pytest.mark.parametrize("subject", ["sts/pg", "pod/pg-0"])
    def test_nobody_claims_that_the_machine_is_off(self, lab: Lab, subject: str) -> None:
        found = read_diagnosis(ask(lab, subject, PAY, "-o", "json"))
        assert found["state"] == "stuck" and found["causes"] == []
        assert {"node.gone", "kubelet.down"} <= {o["id"] for o in found["undecided"] if o["possible"]}

    @pytest.mark.parametrize("subject", ["sts/pg", "pod/pg-0"])
    def test_force_deletion_is_warned_against_and_what_decides_is_told(
        self, lab: Lab, lost: Node, subject: str
    ) -> None:
        told = flat(text(lab, subject, PAY))
        assert "DON'T" in told and "force delete" in told and "second writer" in told
        assert f"on {lost.name}: unstuck node --here" in told


@pytest.fixture(scope="class")
def dead_api(lab: Lab) -> Iterator[str]:
    """Night B: the Service of an APIService is missing, and a Namespace of a pipeline is deleted."""
    from unstuck_lab import fault

    dead = fault.find("apiservice-dead")
    try:
        fault.inflict(lab, dead)
        fault.wait_held(lab, dead)
        time.sleep(65)
        yield dead.subject
    finally:
        fault.heal(lab, dead)


class TestANamespaceInAPipeline:
    def test_the_one_broken_api_is_the_cause(self, lab: Lab, dead_api: str) -> None:
        found = read_diagnosis(ask(lab, dead_api, None, "-o", "json"))
        cause = found["causes"][0]
        assert (cause["id"], cause["confidence"]) == ("namespace.api-discovery-failed", "proven")
        assert cause["culprit"]["kind"] == "APIService"
        assert any(step["command"] or step["says"]["en"] for step in cause["help"])
        told = flat(text(lab, dead_api, None))
        assert "not available since" in told
        assert "it is empty" in told and "cannot be listed completely" in told
        assert "DiscoveryFailed: Discovery failed for some groups" in told

    def test_clearing_the_namespaces_finalizers_is_warned_against(self, lab: Lab, dead_api: str) -> None:
        told = flat(text(lab, dead_api, None))
        assert "DON'T" in told and "finalizers" in told
        assert "every namespace" in told.lower() or "other namespaces" in told.lower()


BRICK_NS, MOUNT = "e2e-night-c", "/run/unstuck-lab-logs"


@pytest.fixture(scope="class")
def silent_storage(lab: Lab, node: Node) -> Iterator[Node]:
    """Night C: a glusterfs brick stops; containerd looks up a Pod's volume there and hangs, and is
    suspended. The node is Ready.
    """
    from unstuck_lab.faults import _hung, _signals, gluster_hung

    pid = node.containerd_pid
    try:
        _hung.mount_connections(node)
        gluster_hung._serve(lab, node)
        lab.apply(objects.make_namespace(BRICK_NS), objects.make_pod(BRICK_NS, "goes", nodeName=node.name))
        steps.wait_running(lab, BRICK_NS, "goes")
        gluster_hung.silence(lab, node)
        volume = [{"name": "h", "hostPath": {"path": f"{MOUNT}/none"}}]
        mount = {"volumeMounts": [{"name": "h", "mountPath": "/h"}]}
        lab.apply(
            *(
                objects.make_pod(BRICK_NS, f"new-{n}", container=mount, volumes=volume, nodeName=node.name)
                for n in (1, 2)
            )
        )
        lab.wait(lambda: stays_in_fuse(pid), 60, "a thread of containerd on the mount")
        _signals.stop(pid)
        steps.delete(lab, f"/api/v1/namespaces/{BRICK_NS}")
        time.sleep(65)
        assert stays_in_fuse(pid), (
            f"containerd waits for the storage no longer: its threads are in {waits_of(pid)}"
        )
        yield node
    finally:
        gluster_hung._signal(node, signal.SIGCONT)
        _signals.resume(pid)
        steps.remove_namespace(lab, BRICK_NS, timeout=180)
        _hung.unmount(node, MOUNT)
        for program in (gluster_hung.CLIENT, gluster_hung.BRICK):
            node.kill(program)
        node.check(["rm", "-rf", gluster_hung.HOME, "/var/log/unstuck-lab-brick"])


def stays_in_fuse(pid: int | None) -> bool:
    """Tell whether a thread of the process waits for a FUSE file system for at least two seconds."""
    before = {thread for thread, where in waits_of(pid).items() if "request_wait_answer" in where}
    time.sleep(2 if before else 0)
    return any("request_wait_answer" in waits_of(pid).get(thread, "") for thread in before)


def waits_of(pid: int | None) -> dict[str, str]:
    """Return the kernel function of each waiting thread of a process, by thread id."""
    return {wchan.parent.name: wchan.read_text() for wchan in Path(f"/proc/{pid}/task").glob("*/wchan")}


class TestReadyYetEveryNewPodHangs:
    @pytest.mark.parametrize("subject", ["node/lab-1", "pod/goes", f"ns/{BRICK_NS}"])
    def test_the_storage_comes_first_and_the_runtime_follows(
        self, lab: Lab, silent_storage: Node, subject: str
    ) -> None:
        found = on_node(lab, silent_storage, subject)
        assert [(c["id"], c["consequence_of"]) for c in found["causes"][:2]] == [
            ("volume.network-filesystem-hung", None),
            ("runtime.unresponsive", 0),
        ]

    def test_what_to_do_first_and_what_not(self, lab: Lab, silent_storage: Node) -> None:
        first = on_node(lab, silent_storage, "node/lab-1")["causes"][0]
        assert first["help"][0]["command"] == ["kubectl", "cordon", f"node/{silent_storage.name}"]
        warned = " ".join(act["says"]["en"] for act in first["do_not"])
        assert "restart containerd before the storage responds" in warned and "drain the node" in warned


def on_node(lab: Lab, node: Node, subject: str) -> dict[str, Any]:
    """Return the first diagnosis, from a question on the node itself."""
    from unstuck_lab import asking

    place = () if subject.startswith(("node/", "ns/")) else ("-n", BRICK_NS)
    argv = [
        asking.UNSTUCK,
        "why",
        subject,
        *place,
        "--here",
        "--node-timeout",
        "20s",
        "-o",
        "json",
        f"--kubeconfig={asking.provide_inner_kubeconfig(lab)}",
    ]
    done = node.run(argv, timeout=60)
    assert done.stdout, (done.returncode, done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)["diagnoses"][0]
    return found


def ask(lab: Lab, subject: str, namespace: str | None, *more: str) -> Any:
    place = ("-n", namespace) if namespace else ()
    return run_unstuck("why", subject, *place, "--no-node", *more, kubeconfig=lab.kubeconfig)


def text(lab: Lab, subject: str, namespace: str | None, *more: str) -> str:
    done = ask(lab, subject, namespace, *more)
    out: str = done.stdout
    return out


def flat(told: str) -> str:
    """Return the text as one line, without a terminal's line breaks."""
    return " ".join(told.split())
