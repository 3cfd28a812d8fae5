"""Builds objects from descriptions of StorageClasses, quotas, bindings, endpoints and autoscalers
(describe.go, 1.5–1.34).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unstuck.collect.text.cutting.piece import TextContext
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.kubectl.tree import Branch
from unstuck.facts.regex import regex

_DEFAULT = "storageclass.kubernetes.io/is-default-class"
# `requests.cpu  2  4`, below the titles Resource, Used and Hard.
_AMOUNT = regex(r"^\s*(?P<resource>[a-z][\w./-]{0,252})\s+(?P<used>\d\S{0,30})\s+(?P<hard>\d\S{0,30})\s*$")
_TITLES = regex(r"^Resource\s+Used\s+Hard\s*$")
_RULE = regex(r"^\s*-+\s+-+\s+-+\s*$")
_SUBJECT = regex(
    r"^\s*(?P<kind>ServiceAccount|User|Group)\s+(?P<name>\S{1,253})(?:\s+(?P<namespace>[a-z0-9-]{1,63}))?\s*$"
)
_ADDRESSES = (("addresses", "Addresses"), ("notReadyAddresses", "NotReadyAddresses"))


def build_storage_class(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a StorageClass: its provisioner, its binding mode, and whether it is the default."""
    default = "true" if root.text("IsDefaultClass") == "Yes" else "false"
    return {
        "kind": "StorageClass",
        "apiVersion": "storage.k8s.io/v1",
        # Only a server's own object is described.
        "metadata": {"annotations": {_DEFAULT: default}, "resourceVersion": "0"},
        "provisioner": root.text("Provisioner"),
        "volumeBindingMode": root.text("VolumeBindingMode"),
    }


def find_end_of_amounts(lines: Sequence[str], n: int) -> int | None:
    """Return the end of a quota's table that begins at a line; None at another line."""
    if not _TITLES.match(lines[n]):
        return None
    return find_end_of_run(lines, n + 1, lambda line: _AMOUNT.match(line) or _RULE.match(line))


def build_quota(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a ResourceQuota: how much of each limit is used."""
    rows = [found for _, line in root.raw if (found := _AMOUNT.match(line))]
    return {
        "kind": "ResourceQuota",
        "apiVersion": "v1",
        "status": {
            "hard": {m["resource"]: m["hard"] for m in rows},
            "used": {m["resource"]: m["used"] for m in rows},
        },
    }


def build_endpoints(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return Endpoints: the addresses that are ready, and those that are not."""
    below = root.get("Subsets")
    subset = {
        key: [{"ip": ip} for ip in _split(below, shown)] for key, shown in _ADDRESSES if _split(below, shown)
    }
    return {
        "kind": "Endpoints",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "0"},
        "subsets": [subset] if subset else [],
    }


def _split(subsets: Branch | None, key: str) -> list[str]:
    return [ip for ip in subsets.text(key).split(",") if ip] if subsets else []


def build_binding(kind: str, root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a RoleBinding or ClusterRoleBinding, which a description does not tell apart. kind: which."""
    role = root.get("Role")
    return {
        "kind": kind,
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "roleRef": {"kind": role.text("Kind"), "name": role.text("Name")} if role else {},
        "subjects": list(_list_subjects(root.get("Subjects"))),
    }


def _list_subjects(table: Branch | None) -> Iterator[dict[str, str]]:
    for _, line in table.raw if table else ():
        if found := _SUBJECT.match(line):
            yield {key: value for key, value in found.groupdict().items() if value}


def build_autoscaler(_root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a HorizontalPodAutoscaler of which only the name is known: its conditions have their own
    reader.
    """
    return {"kind": "HorizontalPodAutoscaler", "apiVersion": "autoscaling/v2"}
