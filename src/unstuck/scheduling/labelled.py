"""The shapes of Pods that a label selector selects, without trying each: most selectors ask for one value of one label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unstuck.scheduling.cluster import Cluster, Shape
from unstuck.scheduling.memo import per_cluster
from unstuck.scheduling.selectors import Selector


def selected(selector: Selector, cluster: Cluster) -> list[Shape]:
    """Return those of all shapes of the cluster, each once."""
    if selector.nothing:
        return []
    anchor = next((r for r in selector.requirements if r.operator == "In"), None)
    rows: Iterable[Shape] = cluster.shapes
    if anchor is not None:
        by = _by_label(cluster)
        rows = (s for value in dict.fromkeys(anchor.values) for s in by.get((anchor.key, value), ()))
    return [s for s in rows if selector.matches(s.labels)]


@per_cluster
def _by_label(cluster: Cluster) -> Mapping[tuple[str, str], list[Shape]]:
    out: dict[tuple[str, str], list[Shape]] = {}
    for shape in cluster.shapes:
        for pair in shape.labels.items():
            out.setdefault(pair, []).append(shape)
    return out
