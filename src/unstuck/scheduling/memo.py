"""Facts about a cluster that many Pods need and that do not depend on its Nodes, computed once for as long
as the cluster is held.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from unstuck.scheduling.cluster import ClusterView

T = TypeVar("T")


def cache_per_cluster(make: Callable[[ClusterView], T]) -> Callable[[ClusterView], T]:
    """Call `make` once for all clusters that differ in their Nodes alone, which it must not look at."""

    @wraps(make)
    def get(cluster: ClusterView) -> T:
        if make not in cluster.once:
            cluster.once[make] = make(cluster)
        return cast(T, cluster.once[make])

    return get
