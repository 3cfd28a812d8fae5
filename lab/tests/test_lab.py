"""The lab itself, on a running cluster: `pytest lab/tests` as root on Linux."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unstuck_lab import Lab
from unstuck_lab.errors import ApiError, CommandFailedError, LabError
from unstuck_lab.fault import list_faults
from unstuck_lab.faults import _objects, _steps

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")
NS = "lab-test"


@pytest.fixture(scope="module")
def pods(lab: Lab) -> Iterator[dict[str, str]]:
    """One Pod on each node, serving its own name by HTTP: Pod name to address."""
    serve = "echo $HOSTNAME > /tmp/index.html; exec httpd -f -p 80 -h /tmp"
    lab.apply(
        _objects.make_namespace(NS),
        *(
            _objects.make_pod(
                NS,
                f"on-{n.name}",
                container={"command": ["sh", "-c", serve]},
                nodeName=n.name,
                terminationGracePeriodSeconds=1,
            )
            for n in lab.nodes
        ),
    )
    yield {f"on-{n.name}": _steps.wait_running(lab, NS, f"on-{n.name}")["status"]["podIP"] for n in lab.nodes}
    _steps.remove_namespace(lab, NS)


def test_pods_reach_each_other_and_the_api(lab: Lab, pods: dict[str, str]) -> None:
    for pod in pods:
        for other, address in pods.items():
            assert lab.run_kubectl("exec", "-n", NS, pod, "--", "wget", "-qO-", address).strip() == other
        version = ("wget", "-qO-", "--no-check-certificate", "https://10.96.0.1/version")
        assert '"minor": "34"' in lab.run_kubectl("exec", "-n", NS, pod, "--", *version)


def test_the_api_server_reaches_a_service_in_a_pod(lab: Lab, pods: dict[str, str]) -> None:
    pod = next(iter(pods))
    path = f"/api/v1/namespaces/{NS}/pods/{pod}:80/proxy/"
    assert lab.request("GET", path)["message"].strip() == pod


def test_a_node_sees_itself_only(lab: Lab, pods: dict[str, str]) -> None:
    for node in lab.nodes:
        assert node.check(["hostname"]).strip() == node.name
        kubelets = [line for line in node.check(["ps", "ax", "-o", "comm"]).split() if line == "kubelet"]
        assert len(kubelets) == 1
        uids = [d.name for d in (node.root / "var/lib/kubelet/pods").iterdir()]
        here = lab.get_pod(NS, f"on-{node.name}")
        assert here is not None and here["metadata"]["uid"] in uids
        groups = node.check(["cat", "/proc/self/cgroup"]).split()
        assert all(line.endswith(":/daemons") for line in groups)
        python = Path(sys.executable)
        assert node.check([str(python), "-c", "print(6 * 7)"]).strip() == "42"


def test_the_reader_may_nothing(lab: Lab) -> None:
    with pytest.raises(ApiError) as refused:
        lab.request("GET", "/api/v1/namespaces/default/pods", token=lab.read_token("reader"))
    assert refused.value.code == 403


def test_a_node_may_not_touch_another(lab: Lab) -> None:
    if len(lab.nodes) < 2:
        pytest.skip("one node only")
    token = lab.read_token("system:node:lab-1")
    with pytest.raises(ApiError) as refused:
        lab.request(
            "PATCH",
            "/api/v1/nodes/lab-2",
            {"metadata": {"labels": {"x": "y"}}},
            token,
            "application/merge-patch+json",
        )
    assert refused.value.code == 403


def test_a_node_ends_and_is_restored(lab: Lab) -> None:
    node = lab.nodes[-1]
    before = node.pid
    node.end()
    assert not node.running
    with pytest.raises(Exception, match="is not running"):
        node.check(["true"])
    node.restore()
    assert node.pid != before
    lab.wait(lambda: lab.is_node_ready(node.name), 60, f"{node.name} Ready")
    lab.apply(
        _objects.make_namespace("lab-test-restored"),
        _objects.make_pod("lab-test-restored", "p", nodeName=node.name),
    )
    _steps.wait_running(lab, "lab-test-restored", "p")
    _steps.remove_namespace(lab, "lab-test-restored")


def test_a_stopped_kubelet_starts_again(lab: Lab) -> None:
    node = lab.nodes[0]
    node.stop_kubelet()
    assert node.kubelet_pid is None
    node.start_kubelet()
    assert node.kubelet_pid is not None
    lab.wait(lambda: lab.is_node_ready(node.name), 60, f"{node.name} Ready")


def test_a_containerd_whose_cri_did_not_load_is_started_again(lab: Lab) -> None:
    node, config = lab.nodes[0], "/etc/containerd/config.toml"
    broken = '[plugins."io.containerd.grpc.v1.cri".containerd]\\n  snapshotter = "none"\\n'
    node.stop_containerd()
    node.check(["cp", config, f"{config}.usual"])
    try:
        node.check(["sh", "-c", f"printf '{broken}' >> {config}"])
        with pytest.raises(LabError, match="does not load its CRI plugin"):
            node.start_containerd()
    finally:
        node.check(["mv", f"{config}.usual", config])
    before = node.containerd_pid
    assert before is not None and node.check(["ctr", "version"])
    assert node.ensure()
    assert node.containerd_pid != before
    assert not node.ensure()
    lab.wait(lambda: lab.is_node_ready(node.name), 60, f"{node.name} Ready")
    lab.apply(
        _objects.make_namespace("lab-test-cri"), _objects.make_pod("lab-test-cri", "p", nodeName=node.name)
    )
    _steps.wait_running(lab, "lab-test-cri", "p")
    _steps.remove_namespace(lab, "lab-test-cri")


def test_a_helper_is_found_and_ended(lab: Lab) -> None:
    node = lab.nodes[0]
    pid = node.spawn(["sleep", "3333"])
    assert node.find(["sleep", "3333"]) == pid
    assert node.kill(["sleep", "3333"])
    lab.wait(lambda: node.find(["sleep", "3333"]) is None, 5, "end of the helper")
    assert not node.kill(["sleep", "3333"])


def test_a_command_that_does_not_end_is_ended(lab: Lab) -> None:
    assert lab.nodes[0].run(["sleep", "60"], timeout=1).returncode == 124
    with pytest.raises(CommandFailedError, match="status 3"):
        lab.nodes[0].check(["sh", "-c", "exit 3"])


def test_every_fault_is_described() -> None:
    found = list_faults()
    assert {"file-immutable", "configmap-missing", "apiservice-dead", "healthy-deployment"} <= {
        f.name for f in found
    }
    for fault in found:
        assert fault.summary and "/" in fault.subject
        assert bool(fault.accepts) != (fault.with_node == "fine")
