"""A described Pod as the object that it shows: staging/src/k8s.io/kubectl/pkg/describe/describe.go,
`describePod` (1.5–1.34).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from unstuck.collect.text.cutting.ages import AGE, parse_rfc1123, subtract_age
from unstuck.collect.text.cutting.piece import TextContext
from unstuck.collect.text.kubectl.tree import Branch
from unstuck.facts.codec import format_time
from unstuck.facts.regex import regex

_LASTS = regex(r"Terminating(?: \((?:lasts |expires )(?P<age>[^)]{1,60})\))?")
_KILLING = regex(rf"^\s*Normal\s+Killing\s+(?P<age>{AGE})\s")
_KEY_OF = regex(
    r"<set to the key '(?P<key>[^']{1,253})' (?:in|of) (?P<kind>secret|config ?map) '(?P<name>[^']{1,253})'>"
    r"(?:\s+Optional: (?P<optional>\w+))?"
)
_ALL_OF = regex(
    r"^(?P<name>\S{1,253})\s+(?P<kind>ConfigMap|Secret)(?:\s+with prefix '[^']{0,253}')?\s+Optional: "
    r"(?P<optional>\w+)"
)
_PROBE = regex(
    r"(?P<how>exec|http-get|tcp-socket|grpc) (?P<what>.*?)\s*delay=(?P<delay>\d+)s timeout="
    r"(?P<timeout>\d+)s period=(?P<period>\d+)s "
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


def build_pod(root: Branch, context: TextContext) -> dict[str, Any]:
    """Return the Pod as the API would show that much of it."""
    told = root.text("Status")
    meta: dict[str, Any] = {
        "labels": parse_pairs(root.get("Labels")),
        "annotations": dict(_parse_annotations(root.get("Annotations"))),
    }
    status: dict[str, Any] = {"reason": root.text("Reason"), "message": root.text("Message")}
    ending = _LASTS.match(told)
    if ending:
        grace = re.match(r"(\d{1,9})s", root.text("Termination Grace Period"))
        due = _parse_due(ending["age"], context.now) or (
            _find_grace_end(root, int(grace[1]), context.now)
            if grace and ending["age"] == "<invalid>"
            else None
        )
        meta["deletionTimestamp"] = format_time(due) if due else "unknown"
        meta["deletionGracePeriodSeconds"] = int(grace[1]) if grace else None
    elif told:
        status["phase"] = told.split()[0]
    if started := convert_to_rfc3339(root.text("Start Time")):
        status["startTime"] = started
    gates = dict(_parse_gates(root.get("Readiness Gates")))
    # A gate that is not set is shown so in its own table; among the conditions it is not.
    unset = [{"type": gate, "status": ""} for gate, told in gates.items() if told == "<none>"]
    status["conditions"] = [*_parse_conditions(root.get("Conditions")), *unset]
    spec: dict[str, Any] = {
        "containers": [_build_container(b) for b in _list_below(root.get("Containers"))],
        "initContainers": [_build_container(b) for b in _list_below(root.get("Init Containers"))],
        "volumes": [v for b in _list_below(root.get("Volumes")) if (v := _build_volume(b))],
        "nodeSelector": parse_pairs(root.get("Node-Selectors")),
        "readinessGates": [{"conditionType": gate} for gate in gates],
    }
    node = root.text("Node").partition("/")[0]
    if node:
        spec["nodeName"] = node
    status["containerStatuses"] = [s for b in _list_below(root.get("Containers")) if (s := _build_status(b))]
    status["initContainerStatuses"] = [
        s for b in _list_below(root.get("Init Containers")) if (s := _build_status(b))
    ]
    return {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": status}


def read_deletion_time(status: str, now: datetime) -> str | None:
    """Return the deletionTimestamp behind a described `Status: Terminating (lasts 6d11h)`; `unknown` if it
    does not say, None for all else.
    """
    ending = _LASTS.fullmatch(status)
    if ending is None:
        return "unknown" if status.startswith("Terminating") else None
    due = _parse_due(ending["age"], now)
    return format_time(due) if due else "unknown"


def _parse_due(told: str | None, now: datetime) -> datetime | None:
    """Return the deletionTimestamp: `lasts 12m` counts from it; older clients printed the time itself
    (`expires Mon, 02 Jan …`).
    """
    if not told:
        return None
    return subtract_age(told, now) or parse_rfc1123(told)


def _find_grace_end(root: Branch, grace: int, now: datetime) -> datetime | None:
    """Return the end of a grace period that has not passed: kubectl shows a future time as `lasts <invalid>`.

    The period began with the kubelet's first message about it; without one, it is assumed to begin now.
    """
    events = root.get("Events")
    ages = [found["age"] for _, line in (events.raw if events else ()) if (found := _KILLING.match(line))]
    try:
        began = min((at for age in ages if (at := subtract_age(age, now))), default=now)
        return max(began + timedelta(seconds=grace), now + timedelta(seconds=1))
    except OverflowError:
        return None


def convert_to_rfc3339(text: str) -> str | None:
    """Turn RFC 1123 with a numeric zone into RFC 3339; None for any other text."""
    at = parse_rfc1123(text)
    return format_time(at) if at else None


def parse_pairs(branch: Branch | None) -> dict[str, str]:
    """Parse labels and selectors: `k=v` on the key's line and below it."""
    out: dict[str, str] = {}
    for line in branch.lines() if branch else ():
        for part in line.split(","):
            key, equals, value = part.strip().partition("=")
            if equals and len(out) < 256:
                out[key] = value
    return out


def _parse_annotations(branch: Branch | None) -> Iterator[tuple[str, str]]:
    """Yield each `key: value`, on the key's line and below it; the facts keep the known ones."""
    if branch is None:
        return
    key, colon, value = branch.value.partition(": ")
    if colon:
        yield key, value.strip()
    yield from ((b.key, b.value) for b in branch.below[:256])


def _list_below(branch: Branch | None) -> list[Branch]:
    return branch.below if branch else []


def _parse_conditions(branch: Branch | None) -> Iterator[dict[str, str]]:
    for _, line in branch.raw if branch else ():
        words = line.split()
        if len(words) >= 2 and words[1] in ("True", "False", "Unknown"):
            yield {"type": words[0], "status": words[1]}


def _parse_gates(branch: Branch | None) -> Iterator[tuple[str, str]]:
    """Yield the rows below `Type  Status`; a gate with an unwritten condition has the status `<none>`."""
    for _, line in branch.raw if branch else ():
        words = line.split()
        if len(words) == 2 and words[1] in ("True", "False", "Unknown", "<none>"):
            yield words[0], words[1]


def _build_container(branch: Branch) -> dict[str, Any]:
    out: dict[str, Any] = {"name": branch.key, "image": branch.text("Image")}
    command = branch.get("Command")
    if command is not None and (words := list(command.lines())):
        out["command"] = words[:1]
    out["ports"] = list(_parse_ports(branch.text("Port", "Ports")))
    out["resources"] = {
        kind.lower(): {b.key: b.value for b in found.below if b.value}
        for kind in ("Limits", "Requests")
        if (found := branch.get(kind))
    }
    for key, field in (
        ("Liveness", "livenessProbe"),
        ("Readiness", "readinessProbe"),
        ("Startup", "startupProbe"),
    ):
        if probe := _parse_probe(branch.text(key)):
            out[field] = probe
    out["env"] = [e for b in _list_below(branch.get("Environment")) if (e := _parse_env(b))]
    wholes = branch.get("Environment Variables from")
    out["envFrom"] = [e for line in (wholes.lines() if wholes else ()) if (e := _parse_env_from(line))]
    return out


def _parse_ports(text: str) -> Iterator[dict[str, Any]]:
    """Yield `8080/TCP`, several after commas; newer clients add the port's name: `8080/TCP (http)`."""
    for part in text.split(",")[:64]:
        found = re.match(r"\s*(\d{1,5})/([A-Z]{3,4})(?: \(([a-z0-9-]{1,15})\))?\s*$", part)
        if found:
            yield {
                "containerPort": int(found[1]),
                "protocol": found[2],
                **({"name": found[3]} if found[3] else {}),
            }


def _parse_env(branch: Branch) -> dict[str, Any] | None:
    """Return references only; a value is never kept."""
    found = _KEY_OF.search(branch.value)
    if not found:
        return None
    field = "secretKeyRef" if found["kind"] == "secret" else "configMapKeyRef"
    return {
        "name": branch.key,
        "valueFrom": {
            field: {"name": found["name"], "key": found["key"], "optional": found["optional"] == "true"}
        },
    }


def _parse_env_from(line: str) -> dict[str, Any] | None:
    found = _ALL_OF.match(line)
    if not found:
        return None
    field = "secretRef" if found["kind"] == "Secret" else "configMapRef"
    return {field: {"name": found["name"], "optional": found["optional"] == "true"}}


def _parse_probe(text: str) -> dict[str, Any] | None:
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
        url = re.match(r"(?P<scheme>https?)://[^/]{0,253}?:(?P<port>\w{1,15})(?P<path>/\S*)?", what)
        out["httpGet"] = (
            {"path": url["path"] or "/", "port": url["port"], "scheme": url["scheme"].upper()} if url else {}
        )
    else:
        out["tcpSocket"] = {"port": what.rpartition(":")[2]}
    return out


def _build_status(branch: Branch) -> dict[str, Any] | None:
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
        "state": _build_state(state) if state else {},
    }
    if last is not None:
        out["lastState"] = _build_state(last)
    return out


def _build_state(branch: Branch) -> dict[str, Any]:
    kind = branch.value.lower()
    if kind not in ("waiting", "running", "terminated"):
        return {}
    code = branch.text("Exit Code")
    signal = branch.text("Signal")
    return {
        kind: {
            "reason": branch.text("Reason"),
            "message": "\n".join(m.lines()) if (m := branch.get("Message")) else "",
            "startedAt": convert_to_rfc3339(branch.text("Started")),
            "finishedAt": convert_to_rfc3339(branch.text("Finished")),
            "exitCode": int(code[:9]) if code.lstrip("-").isdecimal() else None,
            "signal": int(signal[:4]) if signal.isdecimal() else None,
        }
    }


def _build_volume(branch: Branch) -> dict[str, Any] | None:
    type_ = branch.text("Type").partition(" (")[0]
    field = _TYPES.get(type_)
    if field is None:
        return {"name": branch.key, type_[:1].lower() + type_[1:]: {}} if type_ else None
    optional = branch.text("Optional") == "true"
    sources: dict[str, dict[str, Any]] = {
        "configMap": {"name": branch.text("Name"), "optional": optional},
        "secret": {"secretName": branch.text("SecretName"), "optional": optional},
        "emptyDir": {"medium": branch.text("Medium"), "sizeLimit": branch.text("SizeLimit")},
        "hostPath": {"path": branch.text("Path")},
        "nfs": {"server": branch.text("Server"), "path": branch.text("Path")},
        "persistentVolumeClaim": {"claimName": branch.text("ClaimName")},
        "csi": {"driver": branch.text("Driver")},
        "glusterfs": {"endpoints": branch.text("EndpointsName"), "path": branch.text("Path")},
        "projected": {"sources": list(_parse_projected(branch))},
    }
    return {"name": branch.key, field: sources.get(field, {})}


def _parse_projected(branch: Branch) -> Iterator[dict[str, Any]]:
    """Yield each `ConfigMapName: a` or `SecretName: b` with its own `Optional:` (once
    `ConfigMapOptional:`, `SecretOptionalName:`).
    """
    rows = branch.below
    for i, row in enumerate(rows):
        following = rows[i + 1] if i + 1 < len(rows) else None
        optional = bool(following and "Optional" in following.key and following.value == "true")
        if row.key == "ConfigMapName":
            yield {"configMap": {"name": row.value, "optional": optional}}
        elif row.key == "SecretName":
            yield {"secret": {"name": row.value, "optional": optional}}
