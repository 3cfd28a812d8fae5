"""Described Nodes, Namespaces and PersistentVolumeClaims as the objects that they show (describe.go,
1.5–1.34).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unstuck.collect.text.cutting.piece import TextContext
from unstuck.collect.text.kubectl.describe_pod import convert_to_rfc3339, parse_pairs, read_deletion_time
from unstuck.collect.text.kubectl.tree import Branch
from unstuck.facts.regex import regex

_DATE = r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}"
_ROW = regex(
    rf"^\s*(?P<type>[A-Z]\w{{1,100}})\s+(?P<status>True|False|Unknown)\s+(?:(?P<beat>{_DATE})\s+)?"
    rf"(?P<since>{_DATE})\s+"
    r"(?P<reason>\w{1,253})\s+(?P<message>.*)$"
)
_TAINT = regex(
    r"^(?P<key>[\w./-]{1,317})(?:=(?P<value>[\w.-]{0,63}))?:(?P<effect>NoSchedule|NoExecute"
    r"|PreferNoSchedule)$"
)


def is_row(line: str) -> bool:
    """Tell whether a line is a row of a Node's conditions: only a Node's conditions have a heartbeat."""
    found = _ROW.match(line) if "True" in line or "False" in line or "Unknown" in line else None
    return bool(found and found["beat"])


def build_node(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a Node; its Pods table is not read."""
    info, renewed = root.get("System Info"), _find_renew_time(root)
    taints = [m.groupdict() for line in _list_lines(root, "Taints") if (m := _TAINT.match(line))]
    taints += [
        m.groupdict() for b in _list_below(root, "Taints") if (m := _TAINT.match(f"{b.key}:{b.value}"))
    ]
    rows = [
        _with_heartbeat(row, renewed) if row["type"] == "Ready" else row for row in parse_conditions(root)
    ]
    allocatable = {b.key: b.value for b in _list_below(root, "Allocatable")}
    system = (
        {
            "kubeletVersion": info.text("Kubelet Version"),
            "containerRuntimeVersion": info.text("Container Runtime Version"),
            "kernelVersion": info.text("Kernel Version"),
            "osImage": info.text("OS Image"),
        }
        if info
        else {}
    )
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {
            "labels": parse_pairs(root.get("Labels")),
            "creationTimestamp": convert_to_rfc3339(root.text("CreationTimestamp")),
        },
        "spec": {
            "taints": taints,
            "unschedulable": root.text("Unschedulable") == "true",
            "providerID": root.text("ProviderID"),
        },
        "status": {"conditions": rows, "allocatable": allocatable, "nodeInfo": system},
    }


def build_namespace(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a Namespace. Its deletion shows as its phase."""
    meta: dict[str, Any] = {"labels": parse_pairs(root.get("Labels"))}
    if root.text("Status") == "Terminating":
        meta["deletionTimestamp"] = "unknown"
    return {
        "kind": "Namespace",
        "apiVersion": "v1",
        "metadata": meta,
        "status": {"phase": root.text("Status"), "conditions": list(parse_conditions(root))},
    }


def build_claim(root: Branch, context: TextContext) -> dict[str, Any]:
    """Return a PersistentVolumeClaim."""
    told = root.text("Status")
    modes = [m.strip() for m in root.text("Access Modes").split(",") if m.strip()]
    meta: dict[str, Any] = {"labels": parse_pairs(root.get("Labels"))}
    if deleted := read_deletion_time(told, context.now):
        meta["deletionTimestamp"] = deleted
    finalizers = root.text("Finalizers").strip("[]").split()
    return {
        "kind": "PersistentVolumeClaim",
        "apiVersion": "v1",
        "metadata": {**meta, "finalizers": finalizers},
        "spec": {
            "storageClassName": root.text("StorageClass") or None,
            "volumeName": root.text("Volume"),
            "accessModes": modes,
        },
        "status": {"phase": told.split()[0] if told and not told.startswith("Terminating") else ""},
    }


def parse_conditions(root: Branch) -> Iterator[dict[str, Any]]:
    """Yield the rows of the Conditions table; a message that holds a colon is a key in the tree, so both
    are looked at.
    """
    table = root.get("Conditions")
    # If the table's title was cut out, its rows are below the part before it.
    tables = [table] if table else [root, *root.below]
    rows = [
        line
        for t in tables
        for line in (*(raw for _, raw in t.raw), *(f"{b.key}: {b.value}" for b in t.below))
    ]
    for line in rows:
        found = _ROW.match(line)
        if found:
            yield {
                "type": found["type"],
                "status": found["status"],
                "reason": found["reason"],
                "message": found["message"].strip(),
                "lastTransitionTime": convert_to_rfc3339(found["since"]),
                "lastHeartbeatTime": convert_to_rfc3339(found["beat"] or ""),
            }


def _find_renew_time(root: Branch) -> str | None:
    """Return when the kubelet last renewed the Node's Lease, which is described with it since 1.14."""
    lease = root.get("Lease")
    return convert_to_rfc3339(lease.text("RenewTime")) if lease else None


def _with_heartbeat(row: dict[str, Any], renewed: str | None) -> dict[str, Any]:
    """Return the row with the last heartbeat of either kind: a report of the state, or the Lease renewed
    (KEP-0009).
    """
    return {**row, "lastHeartbeatTime": max(filter(None, (row["lastHeartbeatTime"], renewed)), default=None)}


def _list_below(root: Branch, key: str) -> list[Branch]:
    found = root.get(key)
    return found.below if found else []


def _list_lines(root: Branch, key: str) -> list[str]:
    found = root.get(key)
    return list(found.lines()) if found else []
