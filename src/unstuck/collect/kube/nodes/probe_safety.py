"""Checks whether a new Pod would get stuck on a node like its present Pods: then none is created there.

A Pod on a node whose runtime or kubelet hangs stays Pending, and after its deletion Terminating: one more
stuck Pod to explain. A process in D does not have this effect: other Pods start and end beside it.
"""

from __future__ import annotations

import time

from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.reply import Reply
from unstuck.collect.objects import doc
from unstuck.collect.objects.segments import escape_segment, field_requirement

# A sandbox takes seconds; a container that is to be killed, at most its grace period and a moment.
_SANDBOX = 60.0
_GOING = 20.0
# A runtime that does not answer the kubelet's relist for 3 minutes makes the node NotReady
# (pkg/kubelet/pleg/generic.go: relistThreshold).
_PLEG = 240.0
_LEASE = 40.0
_LOG_SECONDS = 3.0
_LOGS = 3

_UNANSWERED = b"unable to retrieve container logs"

Doubt = tuple[str, str]


def find_suspicion(client: Client, node: str) -> Doubt | None:
    """Return the reason (`node-suspect`, `runtime-suspect`, `unknown`) and its evidence; None if there is no
    reason against a Pod.
    """
    paths: list[tuple[str, dict[str, str | int] | None]] = [
        (f"/api/v1/nodes/{escape_segment(node)}", None),
        (f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{escape_segment(node)}", None),
        ("/api/v1/pods", {"fieldSelector": field_requirement("spec.nodeName", node), "limit": 500}),
    ]
    seen, lease, pods = run_each(lambda a: client.get(a[0], a[1], retries=0, seconds=5.0), paths)
    if not seen.ok:
        return "unknown", seen.message or seen.detail or f"node {node}: HTTP {seen.status}"
    doubt = _doubt_node(seen, lease)
    if doubt is not None:
        return doubt
    return (
        _doubt_pods(client, doc.rows(pods.doc, "items"))
        if pods.ok
        else ("unknown", pods.message or pods.detail)
    )


def _doubt_node(seen: Reply, lease: Reply) -> Doubt | None:
    rows = doc.rows(seen.doc, "status", "conditions")
    ready = next((doc.text(c, "status") for c in rows if doc.text(c, "type") == "Ready"), "")
    if ready != "True":
        return "node-suspect", f"Ready={ready or 'not said'}"
    renewed = doc.time(lease.doc, "spec", "renewTime") if lease.ok else None
    if renewed is not None and time.time() - renewed.timestamp() > _LEASE:
        return "node-suspect", f"its lease was last renewed {int(time.time() - renewed.timestamp())} s ago"
    return None


def _doubt_pods(client: Client, pods: list[doc.Doc]) -> Doubt | None:
    now = time.time()
    waiting = [p for p in pods if _waits_for_sandbox(p, now)]
    stuck = next((p for p in waiting[:_LOGS] if not _waits_for_a_volume(client, p)), None)
    if stuck is not None:
        return "runtime-suspect", f"{_name(stuck)} waits for its sandbox"
    answers = _runtime_answers(client, pods)
    if answers is False:
        return "runtime-suspect", "the kubelet cannot get a log from it in time"
    alive = next((p for p in pods if _should_be_dead(p, now)), None)
    if answers is None and alive is not None:
        return "runtime-suspect", f"containers of {_name(alive)} still run after its grace period"
    return None


def _runtime_answers(client: Client, pods: list[doc.Doc]) -> bool | None:
    """Tell whether the kubelet gets an answer from the runtime: the kubelet asks it for the container's
    status before it returns a log.

    One byte of a log is requested and dropped; the kubelet reports its own failure in the log's place. None
    if no log may be read. Source: GetContainerLogs and ReadLogs in pkg/kubelet/kuberuntime.
    """
    logs = [path for p in pods for path in _log_of(p)][:_LOGS]
    params: dict[str, str | int] = {"tailLines": 1, "limitBytes": 1}

    def ask(path: tuple[str, str]) -> bool | None:
        reply = client.get(path[0], params | {"container": path[1]}, retries=0, seconds=_LOG_SECONDS)
        if reply.ok:
            return not reply.body.startswith(_UNANSWERED)
        return False if reply.status == 0 or reply.status >= 500 else None

    found = run_each(ask, logs) if logs else []
    return True if True in found else False if False in found else None


def _log_of(pod: doc.Doc) -> list[tuple[str, str]]:
    """Return the log's path of one container that runs by its status."""
    names = [
        doc.text(s, "name")
        for s in doc.rows(pod, "status", "containerStatuses")
        if doc.section(s, "state", "running")
    ]
    space, name = (
        escape_segment(doc.text(pod, "metadata", "namespace")),
        escape_segment(doc.text(pod, "metadata", "name")),
    )
    place = f"/api/v1/namespaces/{space}/pods/{name}/log"
    return [(place, name) for name in names[:1]]


def _waits_for_sandbox(pod: doc.Doc, now: float) -> bool:
    """Tell whether a Pod has been bound for a minute and still has no sandbox (PodReadyToStartContainers,
    since 1.29; not on older servers).
    """
    conditions = {doc.text(c, "type"): c for c in doc.rows(pod, "status", "conditions")}
    scheduled = doc.time(conditions.get("PodScheduled", doc.EMPTY), "lastTransitionTime")
    without = doc.text(conditions.get("PodReadyToStartContainers", doc.EMPTY), "status") == "False"
    pending = (
        doc.text(pod, "status", "phase") == "Pending"
        and doc.time(pod, "metadata", "deletionTimestamp") is None
    )
    return pending and without and scheduled is not None and now - scheduled.timestamp() > _SANDBOX


def _waits_for_a_volume(client: Client, pod: doc.Doc) -> bool:
    """Tell whether a Pod's Events name a missing volume: volumes precede the sandbox, and do not involve the
    runtime.
    """
    name, space = doc.text(pod, "metadata", "name"), doc.text(pod, "metadata", "namespace")
    selector: dict[str, str | int] = {
        "fieldSelector": f"involvedObject.kind=Pod,{field_requirement('involvedObject.name', name)}",
        "limit": 100,
    }
    found = client.get(f"/api/v1/namespaces/{escape_segment(space)}/events", selector, retries=0, seconds=3.0)
    return any(
        doc.text(e, "reason") in ("FailedMount", "FailedAttachVolume") for e in doc.rows(found.doc, "items")
    )


def _should_be_dead(pod: doc.Doc, now: float) -> bool:
    """Tell whether a Pod is being deleted and its grace period is over (deletionTimestamp holds its end), but
    not for so long that the node would have become NotReady.
    """
    deleted = doc.time(pod, "metadata", "deletionTimestamp")
    running = any(doc.section(s, "state", "running") for s in doc.rows(pod, "status", "containerStatuses"))
    return running and deleted is not None and _GOING < now - deleted.timestamp() < _PLEG


def _name(pod: doc.Doc) -> str:
    return f"Pod {doc.text(pod, 'metadata', 'namespace')}/{doc.text(pod, 'metadata', 'name')}"
