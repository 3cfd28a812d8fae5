"""A CentOS 7 node of 2019 with docker, as a recorded tree with the lines of the field notes, through the same collector and engine."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import HOST_MOUNTS, HOST_NS, NTP_NS, Tree
from unstuck.collect.node import NodeCollector
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import discover, investigate
from unstuck.facts.aspects.host import Host, UnitFile
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2019, 1, 30, 7, 0, tzinfo=UTC)
NODE = Ref("Node", None, "node-a05")
LAYER = "/var/lib/docker/overlay/00c2e38dba227b1f2bb9e05243b578b45057f52c33d7455d12f2067d26cf1b07/merged"
CONTAINER = "bd717a97acacb1537300a600489d42f4742b1e7e9e401d3031cd0cdaf5dbe679"
SAID = (
    f'Jan 30 14:57:47 node-a05 dockerd[1510]: time="2019-01-30T14:57:47.704641914+08:00" level=error msg="Error removing mounted layer {CONTAINER}: '
    f'remove {LAYER}: device or resource busy"\n'
    f'Jan 30 14:57:47 node-a05 dockerd[1510]: time="2019-01-30T14:57:47.704772288+08:00" level=error msg="Handler for DELETE /v1.31/containers/{CONTAINER} '
    f'returned error: driver \\"overlay\\" failed to remove root filesystem for {CONTAINER}: remove {LAYER}: device or resource busy"\n'
)
NTPD = "[Unit]\nDescription=Network Time Service\nAfter=syslog.target ntpdate.service sntp.service\n\n[Service]\nType=forking\nEnvironmentFile=-/etc/sysconfig/ntpd\nExecStart=/usr/sbin/ntpd -u ntp:ntp $OPTIONS\nPrivateTmp=true\n\n[Install]\nWantedBy=multi-user.target\n"

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("/proc/stat", f"btime {int(datetime(2019, 1, 7, tzinfo=UTC).timestamp())}\n")
    made.write("/proc/sys/kernel/hostname", "node-a05\n")
    made.write("/proc/sys/kernel/osrelease", "3.10.0-327.el7.x86_64\n")
    made.write("/etc/os-release", 'PRETTY_NAME="CentOS Linux 7 (Core)"\nVERSION_ID="7"\n')
    made.write("/etc/redhat-release", "CentOS Linux release 7.2.1511 (Core)\n")
    made.write("/etc/localtime", Path("/usr/share/zoneinfo/Asia/Shanghai").read_bytes())
    made.process(1, "systemd", cgroup="1:name=systemd:/\n", namespace=HOST_NS)
    made.process(
        1510, "dockerd", cgroup="1:name=systemd:/system.slice/docker.service\n", argv="/usr/bin/dockerd"
    )
    made.process(
        1600,
        "kubelet",
        cgroup="1:name=systemd:/system.slice/kubelet.service\n",
        argv="/usr/bin/kubelet --v=2 --hostname-override=node-a05",
    )
    held = f"296 183 0:183 / {LAYER} rw,relatime shared:88 - overlay overlay rw,lowerdir=/var/lib/docker/overlay/5e2a/root\n"
    made.process(
        2725,
        "ntpd",
        cgroup="1:name=systemd:/system.slice/ntpd.service\n",
        mounts=HOST_MOUNTS + held,
        namespace=NTP_NS,
    )
    made.write("/var/log/messages", SAID)
    made.write("/usr/lib/systemd/system/ntpd.service", NTPD)
    made.write(
        "/usr/lib/systemd/system/docker.service",
        "[Service]\nType=notify\nLimitNOFILE=1048576\nKillMode=process\nDelegate=yes\n",
    )
    return made


def answer(tree: Tree) -> tuple[Snapshot, Diagnosis]:
    reader = NodeCollector(tree.root, now=lambda: NOW, deadline=20)
    return investigate(NODE, reader.snapshot(None), discover(), reader.collect, None)


def test_ntpd_with_its_private_tmp_is_the_root_and_its_process_the_consequence(tree: Tree) -> None:
    snap, diagnosis = answer(tree)
    assert [(t.id, t.confidence, t.consequence_of) for t in diagnosis.causes] == [
        ("mount.leaked-to-private-tmp", "proven", None),
        ("mount.held-by-process", "proven", 0),
    ]
    root = diagnosis.causes[0].finding
    assert (
        root.culprit == Ref("Unit", "node-a05", "ntpd.service")
        and LAYER in root.says.en
        and LAYER in root.says.zh
    )
    assert ("systemctl", "restart", "ntpd.service") in [s.command.argv for s in root.help]
    assert "docker.service does not set MountFlags" in [n.en for n in root.notes]
    (machine,) = snap.of(Host, NODE)
    assert (machine.kernel, machine.version) == ("3.10.0-327.el7.x86_64", "7.2.1511")


def test_docker_with_mount_flags_in_a_drop_in_is_told_so(tree: Tree) -> None:
    tree.write("/etc/systemd/system/docker.service.d/slave.conf", "[Service]\nMountFlags=slave\n")
    snap, diagnosis = answer(tree)
    (unit,) = snap.of(UnitFile, Ref("Unit", "node-a05", "docker.service"))
    assert (
        unit.drop_ins == ("/etc/systemd/system/docker.service.d/slave.conf",)
        and dict(unit.settings)["MountFlags"] == "slave"
    )
    assert "docker.service sets MountFlags=slave" in [n.en for n in diagnosis.causes[0].finding.notes]


def test_a_holder_without_private_tmp_is_only_a_holder(tree: Tree) -> None:
    tree.write("/etc/systemd/system/ntpd.service.d/shared.conf", "[Service]\nPrivateTmp=false\n")
    _, diagnosis = answer(tree)
    assert [(t.id, t.confidence) for t in diagnosis.causes] == [("mount.held-by-process", "proven")]


@pytest.mark.parametrize(("kernel", "sysctl"), [("3.10.0-862.9.1.el7.x86_64", "1"), ("5.4.0", None)])
def test_a_kernel_that_removes_such_mounts_rules_both_out(
    tree: Tree, kernel: str, sysctl: str | None
) -> None:
    tree.write("/proc/sys/kernel/osrelease", kernel + "\n")
    if sysctl:
        tree.write("/proc/sys/fs/may_detach_mounts", sysctl + "\n")
    _, diagnosis = answer(tree)
    assert [t.id for t in diagnosis.causes if t.id.startswith("mount.")] == []
