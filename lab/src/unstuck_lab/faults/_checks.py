"""Checks for the effects of faults. No fault by itself."""

from datetime import UTC, datetime

from unstuck_lab.cluster import Lab
from unstuck_lab.faults._objects import Object


def read_claim_phase(lab: Lab, ns: str, name: str) -> str:
    """Return a claim's phase; "" without one."""
    found = lab.get(f"/api/v1/namespaces/{ns}/persistentvolumeclaims/{name}") or {}
    return str(found.get("status", {}).get("phase", ""))


def find_condition(found: Object | None, kind: str, status: str = "True") -> str | None:
    """Return the message of an object's condition with this status; None if it has no such condition, or no
    longer exists.
    """
    for one in found.get("status", {}).get("conditions", []) if found else []:
        if one["type"] == kind and one["status"] == status:
            return str(one.get("message", ""))
    return None


def find_waiting_reason(lab: Lab, ns: str, name: str) -> tuple[str, str] | None:
    """Return the reason and message of the first waiting container, from the Pod's status."""
    found = lab.get_pod(ns, name)
    for status in found["status"].get("containerStatuses", []) if found else []:
        waiting = status.get("state", {}).get("waiting")
        if waiting:
            return waiting.get("reason", ""), waiting.get("message", "")
    return None


def find_waiting_message(lab: Lab, ns: str, name: str, reason: str, part: str = "") -> str | None:
    """Return the message of the first waiting container if it waits for this reason and the message contains
    `part`; else None.
    """
    found, message = find_waiting_reason(lab, ns, name) or ("", "")
    return message if found == reason and part in message else None


def find_namespace_condition(lab: Lab, ns: str, kind: str, part: str = "") -> str | None:
    """Return the message of a Namespace's condition if it is True and contains `part`; else None."""
    message = find_condition(lab.get(f"/api/v1/namespaces/{ns}"), kind)
    return message if message and part in message else None


def find_log_line(text: str, *parts: str) -> str | None:
    """Return the last line of a log that contains all the parts, or None."""
    for line in reversed(text.splitlines()):
        if all(part in line for part in parts):
            return line
    return None


def find_event(lab: Lab, ns: str, name: str, reason: str, part: str = "") -> str | None:
    """Return the message of an event about the object with this reason that contains `part`, or None."""
    for found in lab.request("GET", f"/api/v1/namespaces/{ns}/events")["items"]:
        message = str(found.get("message", ""))
        if found["involvedObject"].get("name") == name and found["reason"] == reason and part in message:
            return message
    return None


def find_termination(lab: Lab, ns: str, name: str) -> Object | None:
    """Return the current or last termination of the Pod's first container; None if it never terminated."""
    found = lab.get_pod(ns, name)
    for status in found["status"].get("containerStatuses", []) if found else []:
        for when in ("state", "lastState"):
            ended: Object | None = status.get(when, {}).get("terminated")
            if ended:
                return ended
    return None


def find_termination_message(lab: Lab, ns: str, name: str, *parts: str) -> str | None:
    """Return the termination message of the Pod's first container if it contains all the parts; else None."""
    message = str((find_termination(lab, ns, name) or {}).get("message", ""))
    return message if all(part in message for part in parts) else None


def find_crash(lab: Lab, ns: str, name: str) -> Object | None:
    """Return the last termination of the Pod's first container during CrashLoopBackOff; else None."""
    return (
        find_termination(lab, ns, name)
        if find_waiting_message(lab, ns, name, "CrashLoopBackOff") is not None
        else None
    )


def find_creation_failure(lab: Lab, ns: str, name: str) -> str | None:
    """Return the reason for a container or sandbox not created, if the Pod has never run; else None."""
    found = lab.get_pod(ns, name)
    statuses = found["status"].get("containerStatuses", []) if found else []
    if not statuses or "running" in statuses[0]["state"] or "running" in statuses[0].get("lastState", {}):
        return None
    # The first failing runtime call differs between attempts.
    return find_event(lab, ns, name, "FailedCreatePodSandBox") or find_event(lab, ns, name, "Failed")


def find_failure_message(lab: Lab, ns: str, name: str, reason: str) -> str | None:
    """Return the message of the Pod's status if it has this reason; else None."""
    status = (lab.get_pod(ns, name) or {}).get("status", {})
    return str(status.get("message", "")) if status.get("reason") == reason else None


def find_unbound_claim(lab: Lab, ns: str, pod: str, claim: str, reason: str, part: str) -> str | None:
    """Return the message of the claim's event with this reason that contains `part`, while the Pod waits for
    the claim; else None.
    """
    waits = find_event(lab, ns, pod, "FailedScheduling", "unbound immediate PersistentVolumeClaims")
    return waits and find_event(lab, ns, claim, reason, part)


def count_restarts(lab: Lab, ns: str, name: str) -> int:
    """Return the number of restarts of the Pod's first container."""
    found = lab.get_pod(ns, name)
    statuses = found["status"].get("containerStatuses", []) if found else []
    return int(statuses[0].get("restartCount", 0)) if statuses else 0


def measure_age(stamp: str) -> float:
    """Return the seconds since a timestamp of the API server."""
    return (datetime.now(UTC) - datetime.fromisoformat(stamp)).total_seconds()


def find_deleting_pod(lab: Lab, ns: str, name: str) -> Object | None:
    """Return the Pod if it is being deleted, or None."""
    found = lab.get_pod(ns, name)
    return found if found and "deletionTimestamp" in found["metadata"] else None


def find_kubelet_line(lab: Lab, pod: Object, *parts: str) -> str | None:
    """Return the last line of the Pod's kubelet log that contains all the parts, or None."""
    return find_log_line(
        lab.get_node(pod["spec"]["nodeName"]).kubelet_log.read_text(errors="replace"), *parts
    )


def find_deletion_line(lab: Lab, ns: str, name: str, *parts: str) -> str | None:
    """Return the kubelet's last line that contains the Pod's uid and all the parts, while the Pod is being
    deleted.
    """
    found = find_deleting_pod(lab, ns, name)
    return find_kubelet_line(lab, found, found["metadata"]["uid"], *parts) if found else None


def find_hook_line(lab: Lab, ns: str, name: str, command: str) -> str | None:
    """Return the kubelet's line about a running preStop hook, while the Pod is being deleted and its node has
    a process with that command line.
    """
    found = find_deleting_pod(lab, ns, name)
    running = found and lab.get_node(found["spec"]["nodeName"]).run(["pgrep", "-fx", command]).returncode == 0
    return (
        find_kubelet_line(lab, found, "Running preStop hook", f"{ns}/{name}") if found and running else None
    )
