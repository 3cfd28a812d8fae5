"""What many Pods need to know of one cluster, worked out once for as long as the cluster is held."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from unstuck.scheduling.cluster import Cluster

T = TypeVar("T")


def per_cluster(make: Callable[[Cluster], T]) -> Callable[[Cluster], T]:
    """`make`, called once for each cluster. What it makes must not hold the cluster."""
    known: WeakKeyDictionary[Cluster, T] = WeakKeyDictionary()

    @wraps(make)
    def get(cluster: Cluster) -> T:
        if cluster not in known:
            known[cluster] = make(cluster)
        return known[cluster]

    return get
