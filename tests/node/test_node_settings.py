"""The settings of a node that another one is compared by: files, rules, routes and kernel settings."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from unstuck.collect.node.node_settings import _SYSCTLS, node_settings
from unstuck.collect.node.root import Root
from unstuck.collect.node.setting_files import flatten
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import script_text
from unstuck.facts.aspects.node_settings import NodeSettings

NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false  # as it should be
clusterDNS:
- 10.96.0.10
- 10.96.0.11
evictionHard: {}
podPidsLimit: 12
"""
RULES = """\
*nat
:POSTROUTING ACCEPT [0:0]
:KUBE-POSTROUTING - [0:0]
-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A POSTROUTING -s 10.9.0.0/16 -j MASQUERADE
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
COMMIT
*filter
:INPUT DROP [0:0]
:FORWARD ACCEPT [0:0]
COMMIT
"""
ROUTES = """\
default via 10.1.0.1 dev ens3
10.9.4.0/24 dev cni0 proto kernel scope link src 10.9.4.1
blackhole 10.50.0.0/16
local 10.1.0.4 dev ens3 table local proto kernel scope host src 10.1.0.4
"""
FILES = {
    "proc/sys/net/ipv4/ip_default_ttl": "64\n",
    "proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
    ".unstuck/iptables": RULES,
    ".unstuck/ip-route": ROUTES,
    ".unstuck/ip-rule": "0:\tfrom all lookup local\n900:\tfrom 10.9.4.0/24 lookup 77\n",
    "etc/hosts": "127.0.0.1 localhost\n10.1.0.9 vault.corp vault # by hand\n",
    "etc/resolv.conf": "search corp\nnameserver 10.1.0.2\noptions ndots:5\n",
}


@pytest.fixture
def settings(tmp_path: Path) -> NodeSettings:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = node_settings(NodeView(Root(str(tmp_path)), NOW, node_name="east"))
    assert found is not None
    return found


def values(settings: NodeSettings, area: str) -> dict[str, str]:
    return {i.name: i.value for i in settings.items if i.area == area}


def test_what_somebody_has_set_is_told_and_not_what_kubernetes_and_the_kernel_make(
    settings: NodeSettings,
) -> None:
    assert values(settings, "filter") == {
        "-t nat -A POSTROUTING -s 10.9.0.0/16 -j MASQUERADE": "",
        "-t filter -P INPUT": "DROP",
    }
    assert list(values(settings, "route")) == ["default via 10.1.0.1 dev ens3", "blackhole 10.50.0.0/16"]
    assert list(values(settings, "policy")) == ["900: from 10.9.4.0/24 lookup 77"]
    assert values(settings, "address") == {"10.1.0.4": "ens3"}
    assert values(settings, "hosts") == {"vault.corp": "10.1.0.9", "vault": "10.1.0.9"}
    assert values(settings, "resolver")["nameserver"] == "10.1.0.2"
    assert values(settings, "sysctl")["net.ipv4.ip_local_port_range"] == "32768 60999"


def test_what_was_not_read_is_no_area(settings: NodeSettings) -> None:
    assert "queue" not in settings.areas and "kubelet" not in settings.areas
    assert "filter" in settings.areas


def test_values_of_a_kubelets_configuration_have_their_paths() -> None:
    told = dict(flatten(CONFIG))
    assert told["authentication.anonymous.enabled"] == "false"
    assert told["clusterDNS"] == "10.96.0.10, 10.96.0.11"
    assert told["podPidsLimit"] == "12"
    assert dict(flatten('{"a": {"b": true, "c": [1, 2]}}')) == {"a.b": "true", "a.c": "1, 2"}


def test_the_script_asks_for_the_same_settings_of_the_kernel() -> None:
    script = script_text()
    names = [f"{top.replace('.', '/')}/{name}" for top, all_ in _SYSCTLS.items() for name in all_.split()]
    # Those of each interface are asked for by one pattern.
    lacking = [n for n in names if n.rpartition("/")[2] not in script and not n.endswith("/forwarding")]
    assert lacking == []
