"""etcd, written to behind the API server's back. No fault by itself."""

import json

from unstuck_lab import control
from unstuck_lab.box import Box
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError

REGISTRY = "/registry"
# The form of a Secret written with a key that the API server does not have.
ENCRYPTED = "k8s:enc:aescbc:v1:lost:0123456789abcdef0123456789abcdef"


def _run_etcdctl(lab: Lab, *args: str) -> str:
    return Box(control.BOX, lab.paths).check(["etcdctl", f"--endpoints={control.ETCD}", *args])


def put(lab: Lab, key: str, value: str) -> None:
    """Store a value under `/registry/KEY`, whatever the API server makes of it."""
    _run_etcdctl(lab, "put", f"{REGISTRY}/{key}", value)


def remove(lab: Lab, key: str) -> None:
    """Delete `/registry/KEY`. Idempotent."""
    _run_etcdctl(lab, "del", f"{REGISTRY}/{key}")


def raise_alarm(lab: Lab) -> None:
    """Raise the alarm NOSPACE, as etcd raises it when its quota is used up; etcdctl can only take it back."""
    status = json.loads(_run_etcdctl(lab, "endpoint", "status", "-w", "json"))
    # JSON carries a number of 64 bits as text.
    body = {
        "action": "ACTIVATE",
        "memberID": str(status[0]["Status"]["header"]["member_id"]),
        "alarm": "NOSPACE",
    }
    url = f"{control.ETCD}/v3/maintenance/alarm"
    Box(control.BOX, lab.paths).check(["curl", "--silent", "--fail", "--data", json.dumps(body), url])


def disarm(lab: Lab) -> None:
    """Take all alarms back. Idempotent."""
    _run_etcdctl(lab, "alarm", "disarm")


def find_read_error(lab: Lab, path: str) -> str:
    """Return the server's error if it fails to read this object; "" if it reads it."""
    try:
        lab.request("GET", path)
    except ApiError as error:
        return str(error) if error.code in (429, 500) else ""
    return ""
