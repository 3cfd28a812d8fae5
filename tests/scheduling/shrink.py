"""Shrinks a failing case by removing parts irrelevant to the failure."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Path = tuple[str | int, ...]

# Required fields: a case without them would fail for another reason.
_KEPT = frozenset(
    (
        "pod",
        "metadata",
        "name",
        "namespace",
        "uid",
        "spec",
        "status",
        "containers",
        "key",
        "operator",
        "values",
        "topologyKey",
        "maxSkew",
        "whenUnsatisfiable",
        "containerPort",
        "schedulerName",
        "claimName",
        "driver",
        "volumeHandle",
        "provisioner",
        "accessModes",
        "capacity",
        "attacher",
        "nodeName",
        "source",
        "weight",
        "podAffinityTerm",
        "preference",
        "resourceClaimName",
        "storageClassName",
        "restartPolicy",
        "volumeBindingMode",
        "requests",
        "id",
        "labelSelector",
        "nodeSelectorTerms",
        "effect",
        "protocol",
        "phase",
        "image",
        "storage",
    )
)


def shrink(case: Mapping[str, Any], fails: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the smallest case found that still fails. `fails` tells whether a case fails in the same way."""
    best = copy.deepcopy(dict(case))
    while True:
        smaller = next((tried for tried in _list_smaller(best) if fails(tried)), None)
        if smaller is None:
            return best
        best = smaller


def _list_smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield smaller cases with one part removed each, big parts first."""
    paths = sorted(_list_paths(case, ()), key=lambda p: (len(p), str(p)))
    for path in paths:
        yield _remove(case, path)


def _list_paths(value: Any, at: Path) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in _KEPT:
                yield (*at, key)
            yield from _list_paths(inner, (*at, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            # The last container of a Pod stays; so does the last value of a selector.
            if len(value) > 1 or at[-1] not in (
                "containers",
                "values",
                "accessModes",
                "topologySpreadConstraints",
            ):
                yield (*at, i)
            yield from _list_paths(inner, (*at, i))


def _remove(case: dict[str, Any], path: Path) -> dict[str, Any]:
    made = copy.deepcopy(case)
    inner: Any = made
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return made
