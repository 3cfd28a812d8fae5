"""Checks by the node's disk whether a Pod's namespace, name and uid belong together.

RBAC lets a user read a Pod by its name; no admission rule can tie a uid to that name, so the node must.
Sources: pkg/kubelet/kuberuntime/helpers.go (BuildPodLogsDirectory: `NAMESPACE_NAME_UID`), containerd
internal/cri/annotations (`io.kubernetes.cri.sandbox-*` in a task's config.json), pkg/kubelet/types/labels.go
(`io.kubernetes.pod.*`, in CRI-O's and docker's), k8s.io/klog v2 (values after the message, quoted).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from unstuck.collect.node.cgroup import normalize_uid, parse_groups
from unstuck.collect.node.logs import find_entries
from unstuck.collect.node.view import NodeView
from unstuck.facts.core import Ref

_CONFIGS = (
    "/run/containerd/io.containerd.runtime.v2.task/k8s.io/{id}/config.json",
    "/run/containers/storage/overlay-containers/{id}/userdata/config.json",
    "/var/lib/docker/containers/{id}/config.v2.json",
)
_KEYS = (
    (
        "io.kubernetes.cri.sandbox-namespace",
        "io.kubernetes.cri.sandbox-name",
        "io.kubernetes.cri.sandbox-uid",
    ),
    ("io.kubernetes.pod.namespace", "io.kubernetes.pod.name", "io.kubernetes.pod.uid"),
)
_MAX_CONTAINERS = 50


def is_known_here(view: NodeView, pod: Ref) -> bool:
    """Tell whether a log directory, a sandbox or the kubelet's log here names the three together. pod: with
    namespace, name and uid.

    The directory and the sandbox vanish with the containers; a Pod that only its volumes still hold is named
    in the log alone.
    """
    uid = normalize_uid(pod.uid or "")
    if uid is None or uid != pod.uid:
        return False
    if view.pod(Ref("Pod", uid=uid)) == pod:
        return True
    wanted = (pod.within, pod.name, uid)
    return any(
        wanted == said for one in _list_containers(view, uid) for said in _read_identities(view, one)
    ) or _is_logged(view, pod)


def _is_logged(view: NodeView, pod: Ref) -> bool:
    """Tell whether the kubelet logged `"…" pod="NS/NAME" podUID="UID"` directly after its own message, the
    place of no other text.
    """
    pair = f'pod="{pod.within}/{pod.name}" podUID="{pod.uid}"'
    form = re.compile(rf'"[^"\\]*" {re.escape(pair)}(?: |$)')
    kubelet = (log for log in view.log_tails if log.component == "kubelet")
    return any(
        found.record.at and form.match(found.record.message)
        for log in kubelet
        for found in find_entries(log, [pair.encode()], view.now)
    )


def _list_containers(view: NodeView, uid: str) -> list[str]:
    groups = view.pod_groups(uid)
    found = (parse_groups(f"1:x:{path}").container for path in groups.inside)
    return sorted({one for one in found if one})[:_MAX_CONTAINERS]


def _read_identities(view: NodeView, container: str) -> Iterator[tuple[str, str, str]]:
    for form in _CONFIGS:
        path = form.format(id=container)
        text = view.kubelet.files.text(path, 4 << 20) if view.may_touch(path) else None
        if text:
            for words in _read_labels(text):
                for keys in _KEYS:
                    yield str(words.get(keys[0])), str(words.get(keys[1])), str(words.get(keys[2]))


def _read_labels(text: str) -> Iterator[dict[str, Any]]:
    """Yield annotations of an OCI config, or labels of docker's."""
    try:
        doc = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(doc, dict):
        return
    config = doc.get("Config")
    for words in (doc.get("annotations"), config.get("Labels") if isinstance(config, dict) else None):
        if isinstance(words, dict):
            yield words
