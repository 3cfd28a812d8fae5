"""A node's evidence besides its Pods: the log of a running kubelet, files in its settings, mounts, packet
rules.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import HOST_MOUNTS, V2, Tree
from unstuck.collect.node import NodeCollector, settings
from unstuck.collect.node.node_facts import _NODE_LINES
from unstuck.collect.node.packet_filter import parse
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import script_text
from unstuck.facts.aspects import cni, host, kubelet
from unstuck.facts.aspects.node_mounts import NodeMounts, PlannedMount
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import F, Fact, Ref, Want

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
NODE = Ref("Node", None, "node-1")

pytestmark = pytest.mark.usefixtures("read_here")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    return made


class _Live(Root):
    """A tree read as the machine's own."""

    @property
    def live(self) -> bool:
        return True


def asked(tree: Tree, kind: type[F]) -> list[Fact]:
    return NodeCollector(tree.root, "node-1", now=lambda: NOW, deadline=20).collect([Want(kind, NODE)])


def one(tree: Tree, kind: type[F]) -> F:
    (found,) = (f for f in asked(tree, kind) if isinstance(f, kind))
    return found


def test_who_asks_for_the_log_is_told_what_a_running_kubelet_says_of_its_node(tree: Tree) -> None:
    why = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
    words = (
        '"Unable to register node with API server" err="Post \\"https://10.0.0.1:6443/api/v1/nodes\\": '
        f'{why}" node="node-1"'
    )
    line = f"E1121 03:09:30.000000     700 kubelet_node_status.go:107] {words}\n"
    tree.write("/var/log/kubelet.log", line)
    told = [f for f in asked(tree, host.LogSeen) if isinstance(f, Failure)]
    assert [(f.operation, f.error, f.host) for f in told] == [
        ("node-report", "certificate-untrusted", "10.0.0.1:6443")
    ]
    assert "unknown authority" in told[0].message


def test_the_shell_script_keeps_the_lines_that_speak_of_the_node() -> None:
    listed = script_text().split("of_node='", 1)[1].split("'", 1)[0].splitlines()
    # For a call about one container the script keeps the parts that name the Pod.
    lost = [
        w
        for w in _NODE_LINES
        if not any(kept.encode() in w for kept in listed) and b"ontainerStatus" not in w
    ]
    assert not lost


def test_a_file_that_the_kubelets_settings_name_and_that_is_not_there_is_told(tree: Tree) -> None:
    tree.write(
        "/var/lib/kubelet/config.yaml",
        (
            "kind: KubeletConfiguration\nresolvConf: /run/gone/resolv.conf\nstaticPodPath: "
            "/etc/kubernetes/manifests\n"
        ),
    )
    tree.directory("/etc/kubernetes/manifests")
    found = settings.config(NodeView(_Live(str(tree.root)), NOW, "node-1"))
    assert found is not None
    assert {("resolvConf", "/run/gone/resolv.conf"), ("staticPodPath", "/etc/kubernetes/manifests")} <= set(
        found.paths
    )
    assert found.file == "/var/lib/kubelet/config.yaml"
    assert found.absent == ("/run/gone/resolv.conf",)
    assert one(tree, kubelet.KubeletConfig).absent is None, "a copy of a node does not tell what is not there"


def test_of_network_configurations_the_ones_whose_programs_are_there_are_usable(tree: Tree) -> None:
    tree.write("/etc/cni/net.d/05-old.conflist", '{"plugins": [{"type": "old-cni"}]}')
    tree.write(
        "/etc/cni/net.d/10-new.conflist", '{"plugins": [{"type": "bridge", "ipam": {"type": "host-local"}}]}'
    )
    for name in ("bridge", "host-local", "loopback"):
        tree.write(f"/opt/cni/bin/{name}", "")
    found = one(tree, cni.NetworkPlugins)
    assert (found.missing, found.usable) == (("old-cni",), ("/etc/cni/net.d/10-new.conflist",))


def test_mounts_of_the_node_are_told_with_what_fstab_lacks_and_no_password(tree: Tree) -> None:
    tools = "130 27 0:60 / /run/tools rw,noexec shared:9 - tmpfs tools rw\n"
    tree.write("/proc/700/mountinfo", HOST_MOUNTS + tools)
    fstab = (
        "# a comment\nLABEL=data /data ext4 defaults,nofail 0 2\n//u:secret@nas/x /nas cifs password=secret "
        "0 0\n"
    )
    tree.write("/etc/fstab", fstab)
    found = one(tree, NodeMounts)
    over = found.over("/run/tools/bin/agent")
    assert over is not None and "noexec" in over.options.split(",")
    assert not any("/pods/" in e.mountpoint for e in found.items)
    assert found.lacks("/data/pg") == PlannedMount("LABEL=data", "/data", "ext4", ("nofail",))
    assert found.lacks("/srv/pg") is None
    assert "secret" not in repr(found)


SAVED = """\
*nat
:PREROUTING ACCEPT [0:0]
-A PREROUTING -j DROP
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [4:240]
:KUBE-FORWARD - [0:0]
:OTHER - [0:0]
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A OTHER -j ACCEPT
COMMIT
"""


def test_of_the_packet_filter_what_forwarding_meets_is_told() -> None:
    chains, ended = parse(SAVED.splitlines(), "FORWARD", 500)
    assert [(c.name, c.policy, len(c.rules)) for c in chains] == [
        ("FORWARD", "DROP", 1),
        ("KUBE-FORWARD", "", 1),
    ] and ended


@pytest.mark.parametrize("lines", [20, 9, 3, 0])
def test_a_filter_that_was_cut_off_is_not_read_to_its_end(lines: int) -> None:
    _, ended = parse(SAVED.splitlines()[:lines], "FORWARD", 500)
    assert ended == (lines == 20)
