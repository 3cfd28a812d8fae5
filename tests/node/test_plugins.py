"""Sockets of plugins below the kubelet's root, read from a tree."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from unstuck.collect.node.collector import NodeCollector
from unstuck.facts.aspects.storage import PluginSockets
from unstuck.facts.core import Ref, Want

pytestmark = pytest.mark.usefixtures("read_here")


def test_registered_plugins_and_drivers_with_a_socket(tmp_path: Path) -> None:
    kubelet = tmp_path / "var/lib/kubelet"
    for name in (
        "plugins_registry/a.example-reg.sock",
        "plugins_registry/note.txt",
        "plugins/a.example/csi.sock",
        "plugins/b.example/x",
    ):
        (kubelet / name).parent.mkdir(parents=True, exist_ok=True)
        (kubelet / name).touch()
    node = Ref("Node", None, "n-1")
    collector = NodeCollector(
        tmp_path, "n-1", lambda: datetime(2026, 11, 21, tzinfo=UTC), kubelet_root="/var/lib/kubelet"
    )
    found = [f for f in collector.collect([Want(PluginSockets, node)]) if isinstance(f, PluginSockets)]
    assert [(f.registered, f.drivers) for f in found] == [(("a.example-reg.sock",), ("a.example",))]
