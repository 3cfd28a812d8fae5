"""Descriptions of kinds without their own form in `kubectl describe` (custom resources, VolumeAttachments):
every field.

Source: k8s.io/kubectl pkg/describe/describe.go (genericDescriber, smartLabelFor): `deletionTimestamp` is
shown as `Deletion Timestamp`. Only managedFields are left out; in lists of objects only their keys show where
one ends and the next begins.
"""

from __future__ import annotations

from typing import Any

from unstuck.collect.text.kubectl.describe_pod import parse_pairs
from unstuck.collect.text.kubectl.tree import Branch

_LISTS = frozenset({"ownerReferences", "conditions"})
_NUMBERS = frozenset({"generation", "observedGeneration", "deletionGracePeriodSeconds"})
_FLAGS = {"true": True, "false": False}


def rebuild_object(root: Branch) -> dict[str, Any] | None:
    """Return the object as the API would show it, without its name; None if it has another form."""
    if not (root.text("API Version") and root.text("Kind") and root.get("Metadata")):
        return None
    obj = _read_fields(root.below)
    meta = obj.get("metadata")
    obj["metadata"] = {**(meta if isinstance(meta, dict) else {}), "labels": parse_pairs(root.get("Labels"))}
    return {
        key: value
        for key, value in obj.items()
        if key in ("apiVersion", "kind", "metadata", "spec", "status")
    }


def rebuild_part(root: Branch, kind: str) -> dict[str, Any]:
    """Return the fields of a description that was cut at both ends. kind: as the command above names it."""
    fields = _read_fields(root.below)
    return {"kind": kind, **{key: fields[key] for key in ("spec", "status") if key in fields}}


def is_complete(root: Branch) -> bool:
    """Tell whether the description reaches from the name to the events."""
    return root.get("Metadata") is not None and root.get("Events") is not None


def _read_fields(below: list[Branch]) -> dict[str, Any]:
    return {name: _read_value(name, branch) for branch in below if (name := _field_name(branch.key))}


def _read_value(name: str, branch: Branch) -> Any:
    if branch.value:
        return (
            int(branch.value[:9])
            if name in _NUMBERS and branch.value.isdecimal()
            else _FLAGS.get(branch.value, branch.value)
        )
    if name in _LISTS:
        return _split_objects(branch.below)
    if branch.below:
        return _read_fields(branch.below)
    return [line.strip() for _, line in branch.raw]


def _split_objects(below: list[Branch]) -> list[dict[str, Any]]:
    """Split fields by object: they are ordered by name, so a repeated key, or a key that sorts before the
    last one, begins the next object.
    """
    found: list[list[Branch]] = []
    for branch in below:
        if not found or _field_name(branch.key) <= _field_name(found[-1][-1].key):
            found.append([])
        found[-1].append(branch)
    return [_read_fields(one) for one in found]


def _field_name(label: str) -> str:
    """Convert a label to a field's name: `Deletion Timestamp` → `deletionTimestamp`, `API Version` →
    `apiVersion`, `UID` → `uid`.
    """
    first, *rest = label.split(" ")
    return (first.lower() if first.isupper() else first[:1].lower() + first[1:]) + "".join(rest)
