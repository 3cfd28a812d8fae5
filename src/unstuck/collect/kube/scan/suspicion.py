"""Draws conclusions from rows of Pods about their Namespaces, Nodes and workloads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator

from unstuck.collect.kube.scan import triage
from unstuck.collect.kube.scan.representatives import SuspectObject
from unstuck.facts.core import Ref

# Waits for its sandbox; two of them on one Node that is Ready make it suspect.
_BEFORE_SANDBOX = ("ContainerCreating", "PodInitializing")
# In these states a Pod has certainly not ended.
NOT_ENDED = frozenset(
    (
        *(
            "Running",
            "Pending",
            "Terminating",
            "ContainerCreating",
            "PodInitializing",
            "SchedulingGated",
            "NotReady",
        ),
        *(
            "CrashLoopBackOff",
            "ImagePullBackOff",
            "ErrImagePull",
            "CreateContainerConfigError",
            "CreateContainerError",
            "InvalidImageName",
        ),
    )
)


def find_failed_namespaces(tables_: Iterable[triage.TriageResult]) -> set[str]:
    """Find the Namespaces in which more than one Pod has failed: no row shows which of these Pods are being
    deleted.
    """
    counts: dict[str, int] = defaultdict(int)
    for table in tables_:
        for row in table.suspicious:
            if row.status not in NOT_ENDED and not row.status.startswith("Init:"):
                counts[row.namespace] += 1
    return {space for space, count in counts.items() if count > 1}


def count_waiting(rows: Iterable[triage.TableRow]) -> dict[str, int]:
    """Count by Node the Pods that wait for their sandbox."""
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        if row.node and (row.status in _BEFORE_SANDBOX or row.status.startswith("Init:0/")):
            counts[row.node] += 1
    return counts


def has_ill_pods(workload: Ref, own: set[tuple[str | None, str]]) -> bool:
    """Tell whether one of the workload's Pods is ill, by the Pods' names: a Deployment's Pods carry its name
    and its ReplicaSet's hash.
    """
    return any(key in own for key in _list_owners(workload, own))


def _list_owners(workload: Ref, own: set[tuple[str | None, str]]) -> Iterator[tuple[str | None, str]]:
    yield workload.within, workload.name or ""
    for within, name in own:
        if within == workload.within and name.rpartition("-")[0] == workload.name:
            yield within, name


def make_suspect(row: triage.TableRow, leaving: bool, down_nodes: Container[str] | None) -> SuspectObject:
    """Return the Pod of a row, with the words by which others are like it. leaving: it is being deleted."""
    ref = Ref("Pod", row.namespace, row.name)
    if down_nodes and row.node in down_nodes:
        return SuspectObject(
            ref,
            ("on a Node that is down", row.node, row.status if row.status == "Terminating" else ""),
            row.node,
        )
    return SuspectObject(ref, (*row.alike, "leaving" if leaving else ""), row.node)
