"""The number of free devices within a Node's reach.

Source (1.34): dynamic-resource-allocation/structured (`GatherPools`, `Allocate`). CEL selectors for devices
are not evaluated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from unstuck.facts.aspects.placing import SliceInput
from unstuck.scheduling.cluster import NodeState
from unstuck.scheduling.selectors import NodeSelector, node_selector

Device = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class FreeDevices:
    """sure: devices certainly free. more: devices possibly free besides. broken: the reason not to trust the
    count.
    """

    sure: int
    more: int
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Pools:
    """by_node: slices local to a Node. shared: slices reachable from several Nodes, with these Nodes; None
    for all.

    fault: a slice with unrecognisable Nodes, which stops the scheduler at every Node.
    """

    by_node: Mapping[str, tuple[SliceInput, ...]]
    shared: tuple[tuple[SliceInput, NodeSelector | None], ...]
    held: Collection[Device]
    fault: str = ""

    @staticmethod
    def of(slices: Iterable[SliceInput], held: Collection[Device]) -> Pools:
        """Count the free devices of the slices. held: the devices allocated to claims."""
        by_node: dict[str, list[SliceInput]] = {}
        shared = []
        for s in slices:
            if s.node:
                by_node.setdefault(s.node, []).append(s)
            elif s.everywhere or s.nodes is not None:
                shared.append((s, None if s.everywhere else node_selector(s.nodes or ())))
        fault = next(
            (f"{s.name}: {nodes.fault}" for s, nodes in shared if nodes is not None and nodes.fault), ""
        )
        return Pools({node: tuple(rows) for node, rows in by_node.items()}, tuple(shared), held, fault)

    def free(self, node: NodeState) -> FreeDevices:
        """Return the free devices within this Node's reach; of each pool, only the newest generation
        counts.
        """
        pools: dict[tuple[str, str], list[SliceInput]] = {}
        for s in self._reached(node):
            if s.nodes is not None and len(s.nodes) != 1:
                return FreeDevices(
                    0, 0, f"ResourceSlice {s.name} has a node selector of {len(s.nodes)} terms"
                )
            if s.unreadable:
                return FreeDevices(
                    0, 0, f"ResourceSlice {s.name}: {s.unreadable[0].field} {s.unreadable[0].why}"
                )
            rows = pools.setdefault((s.driver, s.pool), [])
            if not rows or s.generation >= rows[0].generation:
                if rows and s.generation > rows[0].generation:
                    rows.clear()
                rows.append(s)
        sure = more = 0
        for (driver, pool), rows in pools.items():
            names = [name for s in rows for name in s.devices]
            if len(set(names)) < len(names):
                return FreeDevices(0, 0, f"pool {pool} of {driver} names a device twice")
            uncertain = {name for s in rows for name in s.uncertain}
            unheld = [name for name in names if (driver, pool, name) not in self.held]
            more += sum(name in uncertain for name in unheld)
            sure += sum(name not in uncertain for name in unheld)
        return FreeDevices(sure, more)

    def _reached(self, node: NodeState) -> list[SliceInput]:
        near = [s for s, nodes in self.shared if nodes is None or nodes.matches(node.labels, node.name)]
        return [*self.by_node.get(node.name, ()), *near]
