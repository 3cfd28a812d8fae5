"""A cluster and the Pod to place, as one JSON document, which is also the input of the lab's oracle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unstuck.collect.objects.placing import read_placing
from unstuck.collect.objects.placing.pods import Pods
from unstuck.facts.core import Source
from unstuck.scheduling.cluster import ClusterView, Pod


def read_case(case: Mapping[str, Any]) -> tuple[ClusterView, Pod]:
    """Return the cluster without the Pod, and the Pod."""
    cluster = ClusterView.of(read_placing(case, Source("case")))
    one = Pods()
    one.add_pending(case["pod"])
    found = one.pending[0]
    return cluster, Pod.of(found, one.shapes[0])
