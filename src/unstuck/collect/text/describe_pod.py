"""A described Pod as the object that it shows: staging/src/k8s.io/kubectl/pkg/describe/describe.go, `describePod` (1.5–1.34)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from unstuck.collect.text.ages import ago
from unstuck.collect.text.piece import Context
from unstuck.collect.text.tree import Branch
from unstuck.facts.codec import format_time

_LASTS = re.compile(r"Terminating(?: \((?:lasts |expires )(?P<age>[^)]{1,60})\))?")
_KEY_OF = re.compile(
    r"<set to the key '(?P<key>[^']{1,253})' (?:in|of) (?P<kind>secret|config ?map) '(?P<name>[^']{1,253})'>"
    r"(?:\s+Optional: (?P<optional>\w+))?"
)
_ALL_OF = re.compile(r"^(?P<name>\S{1,253})\s+(?P<kind>ConfigMap|Secret)(?:\s+with prefix '[^']{0,253}')?\s+Optional: (?P<optional>\w+)")
_PROBE = re.compile(
    r"(?P<how>exec|http-get|tcp-socket|grpc) (?P<what>.*?)\s*delay=(?P<delay>\d+)s timeout=(?P<timeout>\d+)s period=(?P<period>\d+)s "
    r"#success=\d+ #failure=(?P<failure>\d+)"
)
_TYPES = {
    "ConfigMap": "configMap",
    "Secret": "secret",
    "EmptyDir": "emptyDir",
    "HostPath": "hostPath",
    "NFS": "nfs",
    "PersistentVolumeClaim": "persistentVolumeClaim",
    "Projected": "projected",
    "CSI": "csi",
    "Glusterfs": "glusterfs",
    "CephFS": "cephfs",
    "DownwardAPI": "downwardAPI",
    "FlexVolume": "flexVolume",
}


def pod(root: Branch, context: Context) -> dict[str, Any]:
    """The Pod as the API would show that much of it."""
    told = root.text("Status")
    meta: dict[str, Any] = {"labels": pairs(root.get("Labels"))}
    status: dict[str, Any] = {"reason": root.text("Reason"), "message": root.text("Message")}
    ending = _LASTS.match(told)
    if ending:
        due = _due(ending["age"], context.now)
        meta["deletionTimestamp"] = format_time(due) if due else "unknown"
        grace = re.match(r"(\d{1,9})s", root.text("Termination Grace Period"))
        meta["deletionGracePeriodSeconds"] = int(grace[1]) if grace else None
    elif told:
        status["phase"] = told.split()[0]
    if started := moment(root.text("Start Time")):
        status["startTime"] = started
    status["conditions"] = list(_conditions(root.get("Conditions")))
    spec: dict[str, Any] = {
        "containers": [_container(b) for b in _below(root.get("Containers"))],
        "initContainers": [_container(b) for b in _below(root.get("Init Containers"))],
        "volumes": [v for b in _below(root.get("Volumes")) if (v := _volume(b))],
        "nodeSelector": pairs(root.get("Node-Selectors")),
    }
    node = root.text("Node").partition("/")[0]
    if node:
        spec["nodeName"] = node
    status["containerStatuses"] = [s for b in _below(root.get("Containers")) if (s := _status(b))]
    status["initContainerStatuses"] = [s for b in _below(root.get("Init Containers")) if (s := _status(b))]
    return {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": status}


def _due(told: str | None, now: datetime) -> datetime | None:
    """`lasts 12m` counts from the deletionTimestamp; older clients printed the time itself (`expires Mon, 02 Jan …`)."""
    if not told:
        return None
    return ago(told, now) or _parse(told)


def moment(text: str) -> str | None:
    """RFC 1123 with a numeric zone → RFC 3339; None for what is no time."""
    at = _parse(text)
    return format_time(at) if at else None


def _parse(text: str) -> datetime | None:
    if not re.match(r"[A-Z][a-z]{2}, \d{2} ", text):
        return None
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def pairs(branch: Branch | None) -> dict[str, str]:
    """Labels and selectors: `k=v` on the key's line and below it."""
    out: dict[str, str] = {}
    for line in branch.lines() if branch else ():
        for part in line.split(","):
            key, equals, value = part.strip().partition("=")
            if equals and len(out) < 256:
                out[key] = value
    return out


def _below(branch: Branch | None) -> list[Branch]:
    return branch.below if branch else []


def _conditions(branch: Branch | None) -> Iterator[dict[str, str]]:
    for _, line in branch.raw if branch else ():
        words = line.split()
        if len(words) >= 2 and words[1] in ("True", "False", "Unknown"):
            yield {"type": words[0], "status": words[1]}


def _container(branch: Branch) -> dict[str, Any]:
    out: dict[str, Any] = {"name": branch.key, "image": branch.text("Image")}
    command = branch.get("Command")
    if command is not None and (words := list(command.lines())):
        out["command"] = words[:1]
    out["resources"] = {
        kind.lower(): {b.key: b.value for b in found.below if b.value} for kind in ("Limits", "Requests") if (found := branch.get(kind))
    }
    for key, field in (("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")):
        if probe := _probe(branch.text(key)):
            out[field] = probe
    out["env"] = [e for b in _below(branch.get("Environment")) if (e := _env(b))]
    wholes = branch.get("Environment Variables from")
    out["envFrom"] = [e for line in (wholes.lines() if wholes else ()) if (e := _env_from(line))]
    return out


def _env(branch: Branch) -> dict[str, Any] | None:
    """Only references; a value is never kept."""
    found = _KEY_OF.search(branch.value)
    if not found:
        return None
    field = "secretKeyRef" if found["kind"] == "secret" else "configMapKeyRef"
    return {"name": branch.key, "valueFrom": {field: {"name": found["name"], "key": found["key"], "optional": found["optional"] == "true"}}}


def _env_from(line: str) -> dict[str, Any] | None:
    found = _ALL_OF.match(line)
    if not found:
        return None
    field = "secretRef" if found["kind"] == "Secret" else "configMapRef"
    return {field: {"name": found["name"], "optional": found["optional"] == "true"}}


def _probe(text: str) -> dict[str, Any] | None:
    found = _PROBE.match(" ".join(text.split()))
    if not found:
        return None
    what = found["what"].strip()
    out: dict[str, Any] = {
        "initialDelaySeconds": int(found["delay"][:6]),
        "timeoutSeconds": int(found["timeout"][:6]),
        "periodSeconds": int(found["period"][:6]),
        "failureThreshold": int(found["failure"][:6]),
    }
    if found["how"] == "exec":
        out["exec"] = {"command": what.strip("[]").split()[:1]}
    elif found["how"] == "http-get":
        url = re.match(r"https?://[^/]{0,253}?:(?P<port>\w{1,15})(?P<path>/\S*)?", what)
        out["httpGet"] = {"path": url["path"] or "/", "port": url["port"]} if url else {}
    else:
        out["tcpSocket"] = {"port": what.rpartition(":")[2]}
    return out


def _status(branch: Branch) -> dict[str, Any] | None:
    state, last = branch.get("State"), branch.get("Last State")
    if state is None and last is None:
        return None
    restarts = branch.text("Restart Count")
    out: dict[str, Any] = {
        "name": branch.key,
        "image": branch.text("Image"),
        "containerID": branch.text("Container ID"),
        "ready": branch.text("Ready") == "True",
        "restartCount": int(restarts[:9]) if restarts.isdecimal() else 0,
        "state": _state(state) if state else {},
    }
    if last is not None:
        out["lastState"] = _state(last)
    return out


def _state(branch: Branch) -> dict[str, Any]:
    kind = branch.value.lower()
    if kind not in ("waiting", "running", "terminated"):
        return {}
    code = branch.text("Exit Code")
    signal = branch.text("Signal")
    return {
        kind: {
            "reason": branch.text("Reason"),
            "message": "\n".join(m.lines()) if (m := branch.get("Message")) else "",
            "startedAt": moment(branch.text("Started")),
            "finishedAt": moment(branch.text("Finished")),
            "exitCode": int(code[:9]) if code.lstrip("-").isdecimal() else None,
            "signal": int(signal[:4]) if signal.isdecimal() else None,
        }
    }


def _volume(branch: Branch) -> dict[str, Any] | None:
    type_ = branch.text("Type").partition(" (")[0]
    field = _TYPES.get(type_)
    if field is None:
        return {"name": branch.key, type_[:1].lower() + type_[1:]: {}} if type_ else None
    optional = branch.text("Optional") == "true"
    sources: dict[str, dict[str, Any]] = {
        "configMap": {"name": branch.text("Name"), "optional": optional},
        "secret": {"secretName": branch.text("SecretName"), "optional": optional},
        "emptyDir": {"medium": branch.text("Medium")},
        "hostPath": {"path": branch.text("Path")},
        "nfs": {"server": branch.text("Server"), "path": branch.text("Path")},
        "persistentVolumeClaim": {"claimName": branch.text("ClaimName")},
        "csi": {"driver": branch.text("Driver")},
        "glusterfs": {"endpoints": branch.text("EndpointsName"), "path": branch.text("Path")},
        "projected": {"sources": list(_projected(branch))},
    }
    return {"name": branch.key, field: sources.get(field, {})}


def _projected(branch: Branch) -> Iterator[dict[str, Any]]:
    """`ConfigMapName: a` or `SecretName: b`, each followed by its own `Optional:` (once `ConfigMapOptional:`, `SecretOptionalName:`)."""
    rows = branch.below
    for i, row in enumerate(rows):
        following = rows[i + 1] if i + 1 < len(rows) else None
        optional = bool(following and "Optional" in following.key and following.value == "true")
        if row.key == "ConfigMapName":
            yield {"configMap": {"name": row.value, "optional": optional}}
        elif row.key == "SecretName":
            yield {"secret": {"name": row.value, "optional": optional}}
