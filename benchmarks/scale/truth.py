"""Compares a scan's incidents with the generated ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.scale.world import Truth

# A workload that is down because of its Pods belongs to their incident, and was not generated as a separate
# one.
_WORKLOADS = frozenset(("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"))


def find_differences(truth: Sequence[Truth], document: dict[str, Any]) -> list[str]:
    """Return the missing, superfluous or different incidents; empty if all are equal. document: of `unstuck
    scan -A --members -o json`.
    """
    left = list(document["incidents"])
    said = []
    for one in truth:
        found = next((i for i in left if _list_members(i, one) == one.members), None)
        if found is None:
            near = max(left, key=lambda i: len(_list_members(i, one) & one.members), default=None)
            shared = len(_list_members(near, one) & one.members) if near else 0
            said.append(
                f"{one.causes} {one.culprit}: {len(one.members)} members, the nearest incident has {shared} "
                f"of them: {_list_named(near)}"
            )
            continue
        left.remove(found)
        if not _is_right(one, found):
            said.append(f"{one.causes} {one.culprit}: told as {_list_named(found)}")
    return said + [f"not put in: {_list_named(i)}" for i in left]


def _list_members(incident: dict[str, Any], one: Truth) -> frozenset[tuple[str, str, str]]:
    wanted = {kind for kind, _, _ in one.members}
    found = ((m["kind"], m.get("namespace", ""), m["name"]) for m in incident["member_refs"])
    return frozenset(m for m in found if m[0] not in _WORKLOADS or m[0] in wanted)


def _is_right(one: Truth, incident: dict[str, Any]) -> bool:
    """Tell whether the cause is among the right ones, and the culprit is the generated one: for an owner's
    template, a part of one of its Pods.
    """
    if (incident["cause"] or "") not in (one.causes or ("",)):
        return False
    kind, namespace, name = one.culprit
    culprit = incident["culprit"]
    if (culprit["kind"], culprit.get("name")) == (kind, name) and culprit.get("namespace") == namespace:
        return True
    where = culprit.get("within") or f"{culprit.get('namespace')}/{culprit.get('name')}"
    return kind == "Deployment" and where.removeprefix("None/").startswith(f"{namespace}/{name}-")


def _list_named(incident: dict[str, Any] | None) -> str:
    return (
        f"{incident['cause']} {incident['culprit']} with {incident['members']} members"
        if incident
        else "none"
    )
