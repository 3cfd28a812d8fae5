"""Facts about a cluster that are shared by many Pods and independent of its Nodes, computed once per
cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from unstuck.scheduling.cluster import ClusterView

T = TypeVar("T")


def cache_per_cluster(make: Callable[[ClusterView], T]) -> Callable[[ClusterView], T]:
    """Call `make` once for all clusters that differ only in their Nodes; `make` must not read the Nodes."""

    @wraps(make)
    def get(cluster: ClusterView) -> T:
        if make not in cluster.once:
            cluster.once[make] = make(cluster)
        return cast(T, cluster.once[make])

    return get
