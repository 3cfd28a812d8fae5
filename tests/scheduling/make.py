"""Objects for cases, reduced to a test's topic."""

from __future__ import annotations

from typing import Any

from tests.scheduling.case import read_case
from unstuck.scheduling.decide import Decision, decide

Obj = dict[str, Any]


def make_node(
    name: str,
    /,
    *,
    taints: tuple[str, ...] = (),
    cordoned: bool = False,
    labels: Obj | None = None,
    also: Obj | None = None,
    **offers: str,
) -> Obj:
    """Return a Node. taints: `key=value:Effect`. offers, also: allocatable, with cpu 4, memory 8Gi and pods
    110 by default.
    """
    rows = []
    for taint in taints:
        pair, _, effect = taint.rpartition(":")
        key, _, value = pair.partition("=")
        rows.append({"key": key, "value": value, "effect": effect})
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "110", **offers, **(also or {})}
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"unschedulable": cordoned, "taints": rows},
        "status": {"allocatable": allocatable},
    }


def make_container(name: str = "c", /, **requests: str) -> Obj:
    """Return a container with these requests."""
    return {"name": name, "resources": {"requests": requests}}


def make_pod(
    name: str = "p", /, *, on: str = "", status: Obj | None = None, labels: Obj | None = None, **spec: Any
) -> Obj:
    """Return a Pod, bound if `on` is given."""
    spec.setdefault("containers", [make_container()])
    bound = {"nodeName": on} if on else {}
    meta = {"name": name, "namespace": "default", "uid": f"uid-{name}", "labels": labels or {}}
    return {"metadata": meta, "spec": {**spec, **bound}, "status": status or {}}


def decide_on(wanted: Obj, *nodes: Obj, pods: tuple[Obj, ...] = (), **more: Any) -> Decision:
    """Return the scheduler's decision about this Pod on these Nodes."""
    cluster, found = read_case({"pod": wanted, "nodes": list(nodes), "pods": list(pods), **more})
    return decide(found, cluster)


def list_reasons(decision: Decision, name: str) -> list[str]:
    """Return the reasons against one Node."""
    told = {**decision.refused, **(decision.undecided or {})}
    return [r.message for r in told.get(name, ())]
