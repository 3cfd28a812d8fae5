"""The rows of workloads in `kubectl get`: how many Pods are wanted, there, up to date and ready.

Source: pkg/printers/internalversion/printers.go (printDeployment, printStatefulSet, printReplicaSet,
printDaemonSet), 1.5–1.34.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex

KINDS = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "DaemonSet"})
_OF = regex(r"(?P<ready>\d{1,6})/(?P<wanted>\d{1,6})")


def read_workload_row(kind: str, ref: Ref, cells: Mapping[str, str], src: Source) -> Iterator[Fact]:
    """Yield the counts of one row; none if a column with them is missing. cells: title → cell."""
    both = _OF.fullmatch(cells.get("READY", ""))
    wanted = int(both["wanted"]) if both else _count(cells, "DESIRED")
    # Up to 1.14 a Deployment's row showed the available replicas, and a StatefulSet's only the existing ones.
    ready = (
        int(both["ready"])
        if both
        else _count(cells, "READY")
        if "READY" in cells
        else _count(cells, "AVAILABLE")
    )
    if wanted is None or ready is None:
        return
    created = _count(cells, "CURRENT")
    yield Workload(
        about=ref,
        src=src,
        wanted=wanted,
        ready=ready,
        created=max(ready, created if created is not None else min(wanted, _count(cells, "UP-TO-DATE") or 0)),
        updated=_count(cells, "UP-TO-DATE") or 0,
        unavailable=max(0, wanted - (_count(cells, "AVAILABLE") or ready)) if kind != "StatefulSet" else 0,
        whole=False,
    )


def _count(cells: Mapping[str, str], title: str) -> int | None:
    cell = cells.get(title, "")
    return int(cell) if cell.isdecimal() and len(cell) < 7 else None
