"""The agent on a real node: a NodeProbe is answered by a NodeReport, also while containerd or the kubelet
is stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.loglines import make_unlink_failure
from tests.node import journals
from unstuck.facts.aspects.host import DaemonState, LogSeen, PodDirectory, PodProcesses
from unstuck.facts.aspects.kubelet import KubeletEndpoints, KubeletHealth
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.codec import load
from unstuck.facts.core import Fact, Ref, Refused

if TYPE_CHECKING:
    from unstuck_lab import Lab, Node

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("release")]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS, HOME, HERE = "e2e-agent", "unstuck-system", "lab-2"
OBJECTS = f"/apis/unstuck.dev/v1/namespaces/{HOME}"


@dataclass(frozen=True)
class Report:
    """A NodeReport. text: as written. seconds: from the probe to the report."""

    text: str
    facts: list[Fact]
    seconds: float

    def of(self, kind: type[Fact]) -> list[Any]:
        return [f for f in self.facts if isinstance(f, kind)]

    @property
    def refused(self) -> list[tuple[str, str]]:
        return [(f.want, f.why) for f in self.facts if isinstance(f, Refused) and f.want == "survey"]


def ask(
    lab: Lab, pod: tuple[str, str] | None = None, deadline: int = 25, since: datetime | None = None
) -> Report:
    """Create a NodeProbe, wait for its NodeReport, delete the probe. pod: name and uid of a Pod in NS. since:
    its deletion time.
    """
    spec: dict[str, Any] = {"nodeName": HERE, "requestedBy": "lab-admin", "deadlineSeconds": deadline}
    if pod:
        spec["pod"] = {"namespace": NS, "name": pod[0], "uid": pod[1]}
    if since:
        spec["since"] = since.strftime("%Y-%m-%dT%H:%M:%SZ")
    name = f"e2e-{uuid.uuid4().hex[:12]}"
    meta = {"name": name, "namespace": HOME, "labels": {"unstuck.dev/node": HERE}}
    begun = time.monotonic()
    made = lab.request(
        "POST",
        f"{OBJECTS}/nodeprobes",
        {"apiVersion": "unstuck.dev/v1", "kind": "NodeProbe", "metadata": meta, "spec": spec},
    )
    path = f"{OBJECTS}/nodereports/{made['metadata']['uid']}.{HERE}"
    try:
        found = lab.wait(lambda: lab.get(path), deadline + 10, f"NodeReport of {name}")
        seconds = time.monotonic() - begun
    finally:
        lab.request("DELETE", f"{OBJECTS}/nodeprobes/{name}")
    # A report is deleted with its probe.
    lab.wait(lambda: lab.get(path) is None, 20, f"NodeReport of {name} swept")
    return Report(found["facts"], list(load(json.loads(found["facts"])).snapshot.facts), seconds)


@pytest.fixture(scope="module")
def node(lab: Lab, release: None) -> Node:
    """Return the node with a running agent."""
    from unstuck_lab import agent

    lab.wait(lambda: agent.is_ready(lab), 120, "agents Ready")
    return lab.get_node(HERE)


@pytest.fixture(scope="module")
def pods(lab: Lab, node: Node) -> Iterator[dict[str, str]]:
    """Create two Pods on the node, with a volume each; yield uid by name."""
    volume: dict[str, Any] = {"name": "v", "emptyDir": {"medium": "Memory"}}
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    try:
        lab.apply(
            objects.make_namespace(NS),
            *(
                objects.make_pod(NS, n, container=mounts, volumes=[volume], nodeName=HERE)
                for n in ("mine", "theirs", "goes")
            ),
        )
        yield {n: steps.wait_running(lab, NS, n)["metadata"]["uid"] for n in ("mine", "theirs", "goes")}
    finally:
        steps.remove_namespace(lab, NS)


def agents(node: Node) -> dict[str, list[int]]:
    """Return the pids, as seen on the node, of the two containers' processes and their children, including an
    ending agent's.
    """
    found: dict[str, list[int]] = {"collector": [], "reporter": [], "child": []}
    for line in node.check(["ps", "-eo", "pid=,comm=,args="]).splitlines():
        pid, comm, arguments = line.split(None, 2)
        if "-m unstuck.agent." in arguments or (
            "-m unstuck.agent " in arguments and comm.startswith("unstuck-")
        ):
            found["child"].append(int(pid))
        else:
            for part in ("collector", "reporter"):
                if arguments.endswith(f"-m unstuck.agent {part}"):
                    found[part].append(int(pid))
    return found


def test_a_node_is_told_of_itself_and_by_its_kubelet(lab: Lab, node: Node) -> None:
    said = ask(lab)
    assert said.refused == [], [f.detail for f in said.of(Refused)]
    assert {d.daemon for d in said.of(DaemonState) if d.running} == {"kubelet", "containerd"}
    assert said.of(KubeletEndpoints)
    assert len(said.text) <= 256 * 1024


def test_who_asks_about_a_pod_is_told_of_that_pod_only(lab: Lab, pods: dict[str, str]) -> None:
    said = ask(lab, ("mine", pods["mine"]))
    assert said.refused == []
    (processes,) = said.of(PodProcesses)
    assert {p.comm for p in processes.items} & {"sh", "sleep", "busybox"}
    assert pods["theirs"] not in said.text
    assert "theirs" not in said.text
    assert {f.about.uid for f in said.facts if f.about.kind == "Pod"} == {pods["mine"]}


def test_what_stands_in_the_journal_alone_is_read_behind_the_lock(
    lab: Lab, node: Node, pods: dict[str, str]
) -> None:
    """A journal of systemd's own making: the agent may run no program, and reads it all the same."""
    journals.require_journals()
    place = node.kubelet_log.parent / "journal" / journals.MACHINE
    uid, now = pods["mine"], int(time.time() * 1e6)
    words = (
        f'time="x" level=error msg="StopPodSandbox failed" error="unlinkat /var/lib/kubelet/pods/{uid}/x: '
        'operation not permitted"'
    )
    try:
        journals.make(
            place / "system.journal",
            [(now, words.encode(), {"_COMM": "dockerd", "_PID": "1", "_HOSTNAME": "x"})],
        )
        said = ask(lab, ("mine", uid))
    finally:
        shutil.rmtree(place.parent, ignore_errors=True)
    assert [(log.component, log.path) for log in said.of(LogSeen) if log.component == "dockerd"] == [
        ("dockerd", "journalctl _COMM=dockerd")
    ]


def test_logs_of_the_time_of_the_deletion_are_read_though_it_is_long_ago(
    lab: Lab, node: Node, pods: dict[str, str]
) -> None:
    uid, then, log = pods["mine"], datetime.now(UTC) - timedelta(hours=3), "/var/log/kubelet.log.1.gz"
    try:
        assert node.run(["sh", "-c", f"gzip >{log}"], stdin=make_unlink_failure(uid, then)).returncode == 0
        lately, then_too = ask(lab, ("mine", uid)), ask(lab, ("mine", uid), since=then - timedelta(minutes=1))
    finally:
        node.run(["rm", "-f", log])
    # Only this log's messages count: a busy kubelet reports unrelated failures of a just started Pod.
    in_log = [
        [(f.error, f.src.where) for f in said.of(Failure) if log in f.src.where]
        for said in (lately, then_too)
    ]
    assert [said.refused for said in (lately, then_too)] == [[], []]
    assert in_log == [[], [("EPERM", f"{HERE} {log}:1")]]


def test_a_name_with_somebody_elses_uid_is_refused(lab: Lab, pods: dict[str, str]) -> None:
    said = ask(lab, ("mine", pods["theirs"]))
    assert said.refused == [("survey", "denied")]
    assert all(isinstance(f, Refused) or f.about.kind == "Node" for f in said.facts)


def test_a_pod_that_never_had_a_sandbox_is_vouched_for_by_the_kubelet(lab: Lab, pods: dict[str, str]) -> None:
    volume = {"name": "v", "configMap": {"name": "is-not-there"}}
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    lab.apply(objects.make_pod(NS, "waits", container=mounts, volumes=[volume], nodeName=HERE))
    uid = lab.wait(lambda: lab.get_pod(NS, "waits"), 20, "Pod")["metadata"]["uid"]

    def answered() -> Report | None:
        said = ask(lab, ("waits", uid))
        return None if said.refused else said

    assert lab.wait(answered, 30, "an answer").of(PodDirectory)[0].exists


def test_with_containerd_stopped_the_node_still_tells(lab: Lab, node: Node, pods: dict[str, str]) -> None:
    pid = node.containerd_pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        said = ask(lab, ("mine", pods["mine"]))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert said.refused == []
    (containerd,) = [d for d in said.of(DaemonState) if d.daemon == "containerd"]
    assert containerd.running
    assert containerd.stopped
    assert said.of(PodProcesses)[0].items


def test_with_the_kubelet_stopped_the_node_still_tells(lab: Lab, node: Node, pods: dict[str, str]) -> None:
    node.stop_kubelet()
    try:
        said = ask(lab, ("mine", pods["mine"]))
    finally:
        node.start_kubelet()
    assert said.refused == []
    (kubelet,) = [d for d in said.of(DaemonState) if d.daemon == "kubelet"]
    assert not kubelet.running
    assert said.of(PodProcesses)[0].items
    lab.wait(lambda: lab.is_node_ready(HERE), 60, f"{HERE} Ready")


def test_who_takes_the_port_of_a_kubelet_that_is_down_gets_no_token(lab: Lab, node: Node) -> None:
    """With a certificate of its own, as everybody can make one; what it hears is in its log."""
    key, name = "/run/unstuck-impostor.pem", "impostor"
    node.check(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            key,
            "-out",
            key,
            "-days",
            "1",
            "-subj",
            "/CN=x",
        ]
    )
    server = ["openssl", "s_server", "-accept", "10250", "-cert", key, "-key", key, "-quiet"]
    node.stop_kubelet()
    try:
        node.spawn(server, log=name)
        lab.wait(
            lambda: ":280A " in node.check(["cat", "/proc/net/tcp", "/proc/net/tcp6"]) or None,
            10,
            "somebody on port 10250",
        )
        said = ask(lab)
        heard = node.run(["cat", f"/var/log/{name}.log"]).stdout
    finally:
        node.kill(server)
        node.start_kubelet()
        node.run(["rm", "-f", key])
    refused = {f.detail for f in said.of(Refused) if f.want == "KubeletHealth"}
    assert any(
        "its certificate is not the one that the kubelet has on the node" in detail for detail in refused
    ), refused
    assert "Bearer" not in heard and "GET" not in heard
    # The Node may have stayed Ready, which proves nothing about the port.
    lab.wait(lambda: ask(lab).of(KubeletHealth) or None, 60, "an answer of the kubelet itself")


def test_a_collector_that_is_killed_while_it_looks_is_told_and_comes_back(lab: Lab, node: Node) -> None:
    found = agents(node)
    (collector,) = found["collector"][-1:]
    # The agent is stopped first, so that the question is certainly pending when it dies.
    node.check(["kill", "-STOP", str(collector)])
    said: list[Report] = []
    asking = threading.Thread(target=lambda: said.append(ask(lab, deadline=20)))
    asking.start()
    time.sleep(1)
    node.check(["kill", "-KILL", str(collector)])
    asking.join(60)
    assert said
    assert said[0].refused == [("survey", "timeout")]
    assert said[0].seconds < 20
    lab.wait(lambda: set(agents(node)["collector"]) - {collector}, 60, "collector again")
    assert lab.wait(lambda: ask(lab).refused == [], 60, "answers again")


def test_a_volume_goes_away_beside_the_agent(lab: Lab, node: Node, pods: dict[str, str]) -> None:
    uid = pods["goes"]
    assert ask(lab, ("goes", uid)).of(PodDirectory)[0].exists
    for pid in agents(node)["collector"]:
        assert uid not in node.check(["cat", f"/proc/{pid}/mountinfo"])
    steps.delete_pod(lab, NS, "goes")
    lab.wait(lambda: lab.get_pod(NS, "goes") is None, 60, "Pod gone")
    lab.wait(lambda: not node.locate_pod_dir(uid).exists(), 60, "its directory gone")


def test_each_container_has_what_it_needs_and_no_more(node: Node) -> None:
    found = agents(node)
    for name, capabilities in (("collector", 1 << 2 | 1 << 19 | 1 << 34), ("reporter", 0)):
        pid = found[name][-1]
        status = dict(
            line.split(":\t", 1)
            for line in node.check(["cat", f"/proc/{pid}/status"]).splitlines()
            if ":\t" in line
        )
        assert {int(status[k], 16) for k in ("CapPrm", "CapEff", "CapBnd")} == {capabilities}
        assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
        mounts = node.check(["cat", f"/proc/{pid}/mountinfo"])
        assert ("serviceaccount" in mounts) == (name == "reporter")
        assert (" /host/proc " in mounts) == (name == "collector")
        listening = node.check(
            ["nsenter", "-t", str(pid), "-n", "cat", "/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp"]
        )
        assert not [line for line in listening.splitlines() if " 0A " in line]
    uid = node.check(["stat", "-c", "%u", f"/proc/{found['reporter'][-1]}"]).strip()
    assert uid != "0"


def test_at_rest_both_containers_take_less_than_60_mb_and_there_is_no_child(lab: Lab, node: Node) -> None:
    ask(lab)
    lab.wait(lambda: not agents(node)["child"], 10, "children gone")
    found = agents(node)
    size = 0
    for pid in (found["collector"][-1], found["reporter"][-1]):
        with contextlib.suppress(StopIteration):
            size += next(
                int(line.split()[1])
                for line in node.check(["cat", f"/proc/{pid}/status"]).splitlines()
                if line.startswith("VmRSS:")
            )
    assert 0 < size < 60_000


def test_a_pod_that_ends_does_so_at_once(lab: Lab, node: Node) -> None:
    """SIGTERM ends both containers; nothing waits for the end of the grace period."""
    found = agents(node)
    pids = [found["collector"][-1], found["reporter"][-1]]
    begun = time.monotonic()
    node.check(["kill", "-TERM", *map(str, pids)])
    lab.wait(lambda: not set(pids) & {p for part in agents(node).values() for p in part}, 10, "both gone")
    assert time.monotonic() - begun < 10
    from unstuck_lab import agent

    lab.wait(lambda: agent.is_ready(lab), 60, "the agent Ready again")
    assert Ref("Node", None, HERE) in {f.about for f in ask(lab, deadline=20).facts}
