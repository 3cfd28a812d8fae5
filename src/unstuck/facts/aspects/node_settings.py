"""The settings of a node that are compared with those of another one."""

from __future__ import annotations

from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record

# filter: rules of the packet filter; policy: rules of policy routing; queue: queueing disciplines that delay;
# limit: of the kubelet's and the runtime's processes; daemon: the runtime's and the journal's own settings.
SettingArea = Literal[
    "sysctl",
    "filter",
    "route",
    "policy",
    "neighbour",
    "queue",
    "address",
    "hosts",
    "resolver",
    "kubelet",
    "daemon",
    "limit",
]


@record()
class NodeSetting(Record):
    """One setting. key: its name, `net.ipv4.ip_forward`; or "" for an item of a list, such as a rule, a host
    name, or a setting whose name holds foreign names. value: "" for an item without one. at: the file or
    command that shows it.
    """

    area: SettingArea
    key: str = ""
    value: str = ""
    at: str = ""
    item: str = ""

    @property
    def name(self) -> str:
        """The key, or the item."""
        return self.key or self.item


@record(kw_only=True)
class NodeSettings(NodeFact):
    """The settings that make nodes of one kind differ in what their Pods can do. about: the Node.

    areas: the areas that were read to their end; only in these a missing setting means that the node has
    none. Rules of kube-proxy and network add-ons, and the routes that the kernel makes, are left out.
    Sources: sysctl(8), iptables-save(8), ip-route(8), ip-rule(8), tc(8), hosts(5), resolv.conf(5),
    kubelet.config.k8s.io/v1beta1, journald.conf(5).
    """

    items: tuple[NodeSetting, ...]
    areas: tuple[SettingArea, ...]
    ask: ClassVar[str] = "unstuck node --here"
