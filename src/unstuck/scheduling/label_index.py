"""An index of Pod shapes by label, to avoid matching each one: most selectors ask for one value of one
label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unstuck.scheduling.cluster import ClusterView, ShapeOfPods
from unstuck.scheduling.memo import cache_per_cluster
from unstuck.scheduling.selectors import PreparedSelector


def shapes_selected(selector: PreparedSelector, cluster: ClusterView) -> list[ShapeOfPods]:
    """Return the shapes in the cluster that the selector selects, each once."""
    if selector.nothing:
        return []
    anchor = next((r for r in selector.requirements if r.operator == "In"), None)
    rows: Iterable[ShapeOfPods] = cluster.shapes
    if anchor is not None:
        by = _shapes_by_label(cluster)
        rows = (s for value in dict.fromkeys(anchor.values) for s in by.get((anchor.key, value), ()))
    return [s for s in rows if selector.matches(s.labels)]


@cache_per_cluster
def _shapes_by_label(cluster: ClusterView) -> Mapping[tuple[str, str], list[ShapeOfPods]]:
    out: dict[tuple[str, str], list[ShapeOfPods]] = {}
    for shape in cluster.shapes:
        for pair in shape.labels.items():
            out.setdefault(pair, []).append(shape)
    return out
