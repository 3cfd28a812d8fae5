"""Nodes of old software, built as trees with the versions and lines of field notes, and asked through the same collector."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import HOST_MOUNTS, POD_NS, Tree
from unstuck.collect.node import NodeCollector
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import discover, investigate
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

pytestmark = pytest.mark.slow

NOW = datetime(2019, 4, 8, 6, 0, tzinfo=UTC)
UID = "7f41c2d8-5a13-11e9-8d27-0a58a9fe1c02"
CONTAINER = "b7e04d19a2c85f36710d9e4ba8c3f256e17d0b94c6a8253f9e10d7b64c82a5f3"
POD = Ref("Pod", "ads-prod", "index-task-74c9d6b8f5-m4t7q", UID)
CGROUP = "".join(
    f"{n}:{c}:/kubepods/besteffort/pod{UID}/{CONTAINER}\n"
    for n, c in ((9, "freezer"), (4, "memory"), (1, "name=systemd"))
)
GLUSTER = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~glusterfs/models"
MOUNT = f"510 27 0:91 / {GLUSTER} rw,relatime shared:91 - fuse.glusterfs 10.20.4.7:models rw,user_id=0,group_id=0,default_permissions,allow_other\n"
DOCKERD = (
    'Apr 08 13:31:09 node-a1 dockerd[10628]: time="2019-04-08T13:31:09.609938386+08:00" level=info '
    f'msg="Container {CONTAINER[:12]} failed to exit within 10 seconds of kill - trying direct SIGKILL"\n'
)
API = f"""\
apiVersion: v1
kind: Pod
metadata:
  name: {POD.name}
  namespace: {POD.within}
  uid: {UID}
  creationTimestamp: "2019-03-28T10:42:00Z"
  deletionTimestamp: "2019-04-08T05:00:30Z"
  deletionGracePeriodSeconds: 30
spec:
  nodeName: node-a1
  containers: [{{name: index-task, image: "registry.example/index-task:1"}}]
  volumes: [{{name: models, glusterfs: {{endpoints: models, path: models}}}}]
status:
  phase: Running
  startTime: "2019-03-28T10:42:00Z"
  containerStatuses:
  - {{name: index-task, image: i, containerID: "docker://{CONTAINER}", ready: true, restartCount: 0, state: {{running: {{startedAt: "2019-03-28T10:42:35Z"}}}}}}
---
apiVersion: v1
kind: Node
metadata: {{name: node-a1, uid: 00000000-0000-4000-8000-0000000000b1, creationTimestamp: "2018-11-01T00:00:00Z"}}
status:
  conditions: [{{type: Ready, status: "True", reason: KubeletReady, lastTransitionTime: "2019-04-08T05:55:40Z"}}]
  nodeInfo: {{kubeletVersion: v1.9.2, kernelVersion: 3.10.0-693.el7.x86_64, containerRuntimeVersion: "docker://1.13.1"}}
"""

EVENTS = f"""\
$ kubectl describe pod {POD.name} -n {POD.within}
Events:
  Type     Reason         Age               From              Message
  ----     ------         ----              ----              -------
  Normal   Killing        9s (x4 over 6m)   kubelet, node-a1  Killing container with id docker://index-task:Need to kill Pod
  Warning  FailedKillPod  9s (x4 over 6m)   kubelet, node-a1  error killing pod: failed to "KillContainer" for "index-task" with KillContainerError: "rpc error: code = Unknown desc = operation timeout: context deadline exceeded"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return old_node(tmp_path)


def old_node(path: Path) -> Tree:
    """Build a CentOS 7 node with docker 1.13 and kubelet 1.9."""
    made = Tree(path)
    made.write("/proc/stat", f"btime {int(datetime(2019, 3, 1, tzinfo=UTC).timestamp())}\n")
    made.write("/proc/sys/kernel/hostname", "node-a1\n")
    made.write("/proc/sys/kernel/osrelease", "3.10.0-693.el7.x86_64\n")
    made.write("/etc/os-release", 'PRETTY_NAME="CentOS Linux 7 (Core)"\nVERSION_ID="7"\n')
    made.process(1, "systemd", cgroup="1:name=systemd:/\n")
    made.process(
        10628,
        "dockerd-current",
        cgroup="1:name=systemd:/system.slice/docker.service\n",
        argv="/usr/bin/dockerd-current",
    )
    made.process(
        27666,
        "kubelet",
        cgroup="1:name=systemd:/system.slice/kubelet.service\n",
        argv="/usr/bin/kubelet --v=2",
        mounts=HOST_MOUNTS + MOUNT,
    )
    made.directory(GLUSTER)
    return made


def first_process_ended(tree: Tree) -> None:
    """Make `[java] <defunct>`, a process with an ended leader, one thread in D in FUSE, and released
    namespaces; its pause is gone.
    """
    tree.process(20399, "docker-containerd-shim", cgroup="1:name=systemd:/system.slice/docker.service\n")
    tree.process(
        20417, "java", state="Z", parent=20399, cgroup=CGROUP, namespace=POD_NS, mounts="", killed=True
    )
    (tree.root / "proc/20417/ns/mnt").unlink()
    stat = (tree.root / "proc/20417/stat").read_text().replace(" 20 0 1 0 ", " 20 0 2 0 ")
    tree.write("/proc/20417/stat", stat)
    tree.write("/proc/20417/task/20417/stat", stat)
    tree.write("/proc/20417/task/20431/stat", stat.replace("20417 (java) Z", "20431 (java) D"))
    tree.write(
        "/proc/20417/task/20431/status",
        "Name:\tjava\nState:\tD\nSigPnd:\t0000000000000100\nShdPnd:\t0000000000000100\n",
    )
    tree.write("/proc/20417/task/20431/wchan", "request_wait_answer")
    tree.process(20466, "sshd", parent=20417, cgroup=CGROUP, namespace=POD_NS, mounts=HOST_MOUNTS + MOUNT)
    tree.write("/sys/fs/fuse/connections/91/waiting", "2\n")


def answer(tree: Tree) -> Diagnosis:
    reader = NodeCollector(tree.root, "node-a1", now=lambda: NOW, deadline=20)
    facts = {
        *read_text(API, "pod.yaml", NOW).facts,
        *read_text(EVENTS, "events.txt", NOW).facts,
        *reader.survey(UID),
    }
    _, found = investigate(POD, Snapshot(facts, NOW), discover(), reader.collect, None)
    return found


def test_a_dead_glusterfs_is_the_root_of_a_first_process_that_is_defunct(tree: Tree) -> None:
    """The note's own conclusion: not the zombie, not docker, but the file system below."""
    first_process_ended(tree)
    tree.write("/var/log/messages", DOCKERD)
    found = answer(tree)
    told = [(t.id, t.confidence) for t in found.causes]
    assert told[0] == ("volume.network-filesystem-hung", "proven"), (
        told,
        [(e.id, e.verdict) for e in found.explained if "process" in e.id],
    )
    assert (
        "10.20.4.7:models" in found.causes[0].finding.says.en
        and "10.20.4.7:models" in found.causes[0].finding.says.zh
    )
    assert ("process.zombies", "proven") not in told and ("process.zombies", "likely") not in told
    assert any(t.id == "process.uninterruptible" and t.consequence_of == 0 for t in found.causes)


def test_docker_that_says_running_of_a_container_without_a_process(tree: Tree) -> None:
    """`docker ps` says Up, and no process of it is there. A record is one look, so that it stays likely."""
    tree.process(20380, "pause", parent=20370, cgroup=CGROUP.replace(CONTAINER, "c" * 64), namespace=POD_NS)
    labels = {
        "io.kubernetes.pod.uid": UID,
        "io.kubernetes.pod.name": POD.name,
        "io.kubernetes.pod.namespace": POD.within,
        "io.kubernetes.container.name": "index-task",
    }
    doc = {
        "ID": CONTAINER,
        "Config": {"Labels": labels},
        "State": {"Running": True, "Pid": 20417, "StartedAt": "2019-03-28T10:42:35.848580074Z"},
    }
    tree.write(f"/var/lib/docker/containers/{CONTAINER}/config.v2.json", json.dumps(doc))
    found = answer(tree)
    told = [(t.id, t.confidence) for t in found.causes]
    assert told[:1] == [("runtime.state-mismatch", "likely")], told
    assert "dockerd" in found.causes[0].finding.says.en
