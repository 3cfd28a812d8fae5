"""NodePorts: the requested host ports are free on the Node (plugins/nodeports/node_ports.go)."""

from __future__ import annotations

from dataclasses import dataclass

from unstuck.scheduling.cluster import ANY_ADDRESS, ClusterView, NodeState, Pod, Port, port_key
from unstuck.scheduling.filter import (
    Filter,
    PreparedFilter,
    Reason,
    bind_state,
    reject,
    skip,
    unlisted_reasons,
    unread,
)

_NAME = "NodePorts"
_REFUSED = (Reason(_NAME, "node(s) didn't have free ports for the requested pod ports", "unschedulable"),)
_FIELDS = ("spec.containers", "spec.initContainers")


@dataclass(frozen=True, slots=True)
class _WantedPorts:
    ports: tuple[Port, ...]
    open: tuple[Reason, ...]


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[_WantedPorts]:
    open_ = tuple(
        r for r in unread(_NAME, pod.shape.spec.unreadable, *_FIELDS) if "resources" not in r.message
    )
    if open_:
        return reject(open_[0])
    ports = tuple(map(port_key, pod.shape.spec.ports))
    return bind_state(_WantedPorts(ports, unlisted_reasons(_NAME, cluster, "Pod"))) if ports else skip()


def _check(wanted: _WantedPorts, node: NodeState) -> tuple[Reason, ...]:
    if any(_is_taken(port, node.ports) for port in wanted.ports):
        return _REFUSED
    return wanted.open


def _is_taken(wanted: Port, used: frozenset[Port]) -> bool:
    address, protocol, number = wanted
    if address == ANY_ADDRESS:
        return any(p == protocol and n == number for _, p, n in used)
    return wanted in used or (ANY_ADDRESS, protocol, number) in used


FILTER = Filter(_NAME, _prepare, _check)
