"""Explains by the agent's Pod on a node why no agent answers, as far as the user may see that Pod."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from unstuck.collect.kube.transport.client import Client
from unstuck.collect.objects import doc
from unstuck.collect.objects.segments import escape_segment, field_requirement
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Ref, Source, WhyOpen

DAEMON_SET = "unstuck-agent"


def agent_pod(
    client: Client, namespace: str, node: str, blind: float, seconds: float = 1.0
) -> tuple[Unreached, bool]:
    """Return the obstacle, and whether waiting is hopeless: there is no Pod, or it has been ending for longer
    than `blind` seconds.

    seconds: how long the look may last.
    """
    found = client.get(
        f"/api/v1/namespaces/{escape_segment(namespace)}/pods",
        {"fieldSelector": field_requirement("spec.nodeName", node)},
        retries=0,
        seconds=max(0.1, seconds),
    )
    if not found.ok:
        return _make_unreached(node, "pod-unknown"), False
    pods = [p for p in doc.rows(found.doc, "items") if _is_ours(p)]
    if not pods:
        return _make_unreached(node, "pod-absent"), True
    # During a replacement there may be two Pods: choose the one that stays.
    pods.sort(key=lambda p: doc.time(p, "metadata", "deletionTimestamp") is not None)
    return _explain(pods[0], node, blind)


def _is_ours(pod: doc.Doc) -> bool:
    owners = doc.rows(doc.section(pod, "metadata"), "ownerReferences")
    return any((doc.text(o, "kind"), doc.text(o, "name")) == ("DaemonSet", DAEMON_SET) for o in owners)


def _explain(pod: doc.Doc, node: str, blind: float) -> tuple[Unreached, bool]:
    name = doc.text(pod, "metadata", "name")
    deleted = doc.time(pod, "metadata", "deletionTimestamp")
    if deleted is not None:
        gone = time.time() - deleted.timestamp()
        return _make_unreached(node, "pod-terminating", deleted, name), gone > blind
    ready = next(
        (c for c in doc.rows(doc.section(pod, "status"), "conditions") if doc.text(c, "type") == "Ready"),
        None,
    )
    if ready is not None and doc.text(ready, "status") == "True":
        return _make_unreached(node, "silent", None, name), False
    since = doc.time(ready, "lastTransitionTime") if ready is not None else None
    return _make_unreached(
        node, "pod-not-ready", since or datetime.now(UTC).replace(microsecond=0), name
    ), False


def _make_unreached(node: str, reason: str, since: datetime | None = None, name: str = "") -> Unreached:
    why: WhyOpen = "not-offered" if reason == "pod-absent" else "timeout"
    return Unreached(
        about=Ref("Node", None, node),
        src=Source(f"node:{node}"),
        way="agent",
        why=why,
        reason=reason,
        since=since,
        name=name,
    )
