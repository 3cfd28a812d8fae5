"""Writes to etcd that bypass the API server. No fault by itself."""

import json

from unstuck_lab import control
from unstuck_lab.box import Box
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError

REGISTRY = "/registry"
# A Secret as it is stored with an encryption key that the API server does not have.
ENCRYPTED = "k8s:enc:aescbc:v1:lost:0123456789abcdef0123456789abcdef"


def _run_etcdctl(lab: Lab, *args: str) -> str:
    return Box(control.BOX, lab.paths).check(["etcdctl", f"--endpoints={control.ETCD}", *args])


def put(lab: Lab, key: str, value: str) -> None:
    """Store a value under `/registry/KEY`, valid or not."""
    _run_etcdctl(lab, "put", f"{REGISTRY}/{key}", value)


def remove(lab: Lab, key: str) -> None:
    """Delete `/registry/KEY`. Idempotent."""
    _run_etcdctl(lab, "del", f"{REGISTRY}/{key}")


def raise_alarm(lab: Lab) -> None:
    """Raise the alarm NOSPACE, as etcd does when its quota is used up; etcdctl can only disarm it."""
    status = json.loads(_run_etcdctl(lab, "endpoint", "status", "-w", "json"))
    # In JSON, etcd expects 64-bit numbers as strings.
    body = {
        "action": "ACTIVATE",
        "memberID": str(status[0]["Status"]["header"]["member_id"]),
        "alarm": "NOSPACE",
    }
    url = f"{control.ETCD}/v3/maintenance/alarm"
    Box(control.BOX, lab.paths).check(["curl", "--silent", "--fail", "--data", json.dumps(body), url])


def disarm(lab: Lab) -> None:
    """Disarm all alarms. Idempotent."""
    _run_etcdctl(lab, "alarm", "disarm")


def find_read_error(lab: Lab, path: str) -> str:
    """Return the server's error if it cannot read this object; else ""."""
    try:
        lab.request("GET", path)
    except ApiError as error:
        return str(error) if error.code in (429, 500) else ""
    return ""
