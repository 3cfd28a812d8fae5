"""Deletes one-shot Pods that a killed client has left behind, found by their label, once no client can be
waiting for them.

The server's clock decides, by its creation time of this look's Pod: the client's clock may be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from unstuck.collect.kube.nodes.probe_pod import CONTAINER, GRACE, LABEL, PREFIX
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.objects import doc
from unstuck.collect.objects.segments import escape_segment

# A client reads the log of its Pod and deletes it within this time after the Pod's deadline.
_READING = timedelta(seconds=30)
_AT_ONCE = 10
_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class LeftoverProbe:
    """A Pod that was left behind. why: why it still exists, "" if the server has deleted it."""

    namespace: str
    name: str
    why: str = ""


def remove_left(client: Client, namespace: str, now: datetime) -> list[LeftoverProbe]:
    """Delete the one-shot Pods of a Namespace whose deadline passed long ago. Never a Pod that another client
    may still use.

    now: by the server's clock. If listing Pods there is not permitted, nothing is found. Errors: AccessError.
    """
    path = f"/api/v1/namespaces/{escape_segment(namespace)}/pods"
    found = client.get(path, {"labelSelector": f"{LABEL}=true", "limit": 500}, retries=0, seconds=_SECONDS)
    pods = [p for p in doc.rows(found.doc, "items") if _is_expired(p, now)] if found.ok else []
    return [_remove(client, path, namespace, pod) for pod in pods[:_AT_ONCE]]


def _is_expired(pod: doc.Doc, now: datetime) -> bool:
    """Tell whether this is a one-shot Pod as `manifest` makes them, and past its deadline."""
    created = doc.time(pod, "metadata", "creationTimestamp")
    seconds = doc.whole_number(pod, "spec", "activeDeadlineSeconds")
    containers = [doc.text(c, "name") for c in doc.rows(pod, "spec", "containers")]
    ours = doc.text(pod, "metadata", "name").startswith(PREFIX) and containers == [CONTAINER]
    return (
        ours
        and created is not None
        and seconds is not None
        and created + timedelta(seconds=seconds) + _READING < now
    )


def _remove(client: Client, path: str, namespace: str, pod: doc.Doc) -> LeftoverProbe:
    name, uid = doc.text(pod, "metadata", "name"), doc.text(pod, "metadata", "uid")
    # A probe that should have ended and has not is on a node that cannot report its end.
    grace = GRACE if doc.time(pod, "metadata", "deletionTimestamp") is None else 0
    how = {"gracePeriodSeconds": grace, "propagationPolicy": "Background", "preconditions": {"uid": uid}}
    reply = client.write("DELETE", f"{path}/{escape_segment(name)}", how, seconds=_SECONDS)
    gone = reply.ok or reply.status == 404
    return LeftoverProbe(
        namespace, name, "" if gone else reply.message or reply.detail or f"HTTP {reply.status}"
    )
