"""Which objects of a list are plainly healthy and need no look; in doubt an object is looked at."""

from __future__ import annotations

from unstuck.collect.objects import doc


def healthy(item: doc.Doc) -> bool:
    """Whether nothing about this object can be stuck, by its own status."""
    if doc.at(item, "metadata", "deletionTimestamp") is not None:
        return False
    match doc.text(item, "kind"):
        case "Pod":
            return _pod(item)
        case "Node":
            return _condition(item, "Ready") == "True"
        case "PersistentVolumeClaim":
            return doc.text(item, "status", "phase") == "Bound"
        case "PersistentVolume":
            return doc.text(item, "status", "phase") in ("Bound", "Available")
        case "Deployment" | "StatefulSet" | "ReplicaSet" | "ReplicationController":
            return _replicas(item, "replicas", "readyReplicas", "updatedReplicas")
        case "DaemonSet":
            return _daemons(item)
        case "Job":
            return _condition(item, "Failed") != "True" and not doc.whole_number(item, "status", "failed")
    return True


def _pod(item: doc.Doc) -> bool:
    phase = doc.text(item, "status", "phase")
    if phase == "Succeeded":
        return True
    return phase == "Running" and _condition(item, "Ready") == "True"


def _replicas(item: doc.Doc, wanted: str, ready: str, updated: str) -> bool:
    asked = doc.whole_number(item, "spec", wanted)
    asked = 1 if asked is None else asked
    if (doc.whole_number(item, "status", ready) or 0) < asked:
        return False
    # A ReplicaSet has no count of updated ones; a roll-out that does not go on leaves old Pods ready and new ones not made.
    return doc.text(item, "kind") not in ("Deployment", "StatefulSet") or (doc.whole_number(item, "status", updated) or 0) >= asked


def _daemons(item: doc.Doc) -> bool:
    wanted = doc.whole_number(item, "status", "desiredNumberScheduled") or 0
    return (doc.whole_number(item, "status", "numberReady") or 0) >= wanted


def _condition(item: doc.Doc, type_: str) -> str:
    return next((doc.text(c, "status") for c in doc.rows(item, "status", "conditions") if doc.text(c, "type") == type_), "")
