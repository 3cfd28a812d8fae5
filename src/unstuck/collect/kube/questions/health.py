"""Decides which objects of a list are plainly healthy and need no look; in doubt an object is looked at."""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.collect.objects import doc

# Loops that ran for less than this before their restart (facts/derive/pods.py: loops), and waited for at most
# five minutes.
_SHORT = timedelta(minutes=10)
_RECENT = timedelta(minutes=20)


def is_healthy(item: doc.Doc, at: datetime | None = None) -> bool:
    """Tell whether this object is certainly not stuck, by its own status. at: the time of reading, for a
    state between two restarts.
    """
    if doc.at(item, "metadata", "deletionTimestamp") is not None:
        return False
    match doc.text(item, "kind"):
        case "Pod":
            return _pod(item) and not (at is not None and _is_restarting(item, at))
        case "Node":
            return _condition(item, "Ready") == "True" and not _reports_more(item)
        case "PersistentVolumeClaim":
            return doc.text(item, "status", "phase") == "Bound"
        case "PersistentVolume":
            return doc.text(item, "status", "phase") in ("Bound", "Available")
        case "Deployment" | "StatefulSet" | "ReplicaSet" | "ReplicationController":
            return _replicas(item, "replicas", "readyReplicas", "updatedReplicas")
        case "DaemonSet":
            return _daemons(item)
        case "Job":
            return _job(item)
    return True


def _pod(item: doc.Doc) -> bool:
    phase = doc.text(item, "status", "phase")
    if phase == "Succeeded":
        return True
    return phase == "Running" and _condition(item, "Ready") == "True"


def _is_restarting(item: doc.Doc, at: datetime) -> bool:
    """Return ready at this moment, and restarted again and again until just now."""
    if doc.text(item, "status", "phase") != "Running":
        return False
    for kind in ("containerStatuses", "initContainerStatuses"):
        for row in doc.rows(item, "status", kind):
            began = doc.time(row, "lastState", "terminated", "startedAt")
            ended = doc.time(row, "lastState", "terminated", "finishedAt")
            again = (doc.whole_number(row, "restartCount") or 0) > 1
            if again and began and ended and ended - began < _SHORT and at - ended < _RECENT:
                return True
    return False


def _replicas(item: doc.Doc, wanted: str, ready: str, updated: str) -> bool:
    asked = doc.whole_number(item, "spec", wanted)
    asked = 1 if asked is None else asked
    if (doc.whole_number(item, "status", ready) or 0) < asked:
        return False
    # A ReplicaSet has no count of updated ones; a roll-out that does not go on leaves old Pods ready and new
    # ones not made.
    if doc.text(item, "kind") not in ("Deployment", "StatefulSet"):
        return True
    made = doc.whole_number(item, "status", "replicas") or 0
    return (doc.whole_number(item, "status", updated) or 0) >= max(asked, made)


def _daemons(item: doc.Doc) -> bool:
    wanted = doc.whole_number(item, "status", "desiredNumberScheduled") or 0
    # A DaemonSet with a node selector that wants no Pod may select by a misspelt label.
    if not wanted and _chooses(doc.section(item, "spec", "template", "spec")):
        return False
    return (doc.whole_number(item, "status", "numberReady") or 0) >= wanted


def _chooses(pod: doc.Doc) -> bool:
    return bool(doc.section(pod, "nodeSelector") or doc.section(pod, "affinity", "nodeAffinity"))


def _job(item: doc.Doc) -> bool:
    if _condition(item, "Failed") == "True" or doc.whole_number(item, "status", "failed"):
        return False
    active = doc.whole_number(item, "status", "active") or 0
    # An unfinished Job without Pods may be unable to create any.
    done = _condition(item, "Complete") == "True" or doc.flag(item, "spec", "suspend")
    return done or 0 < active <= (doc.whole_number(item, "status", "ready") or 0)


def _reports_more(node: doc.Doc) -> bool:
    """Tell whether a Node reports more than Ready: pressure, or a problem detector's findings."""
    return any(
        doc.text(c, "status") != "False"
        for c in doc.rows(node, "status", "conditions")
        if doc.text(c, "type") != "Ready"
    )


def _condition(item: doc.Doc, type_: str) -> str:
    return next(
        (
            doc.text(c, "status")
            for c in doc.rows(item, "status", "conditions")
            if doc.text(c, "type") == type_
        ),
        "",
    )
