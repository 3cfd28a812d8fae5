"""The manifest of the one-shot Pod, with its rights in one place, so that they can be shown before it is
created.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from unstuck.facts.core import Ref

# For processes' wait channels and open files; for other users' files and directories of mode 0700; for the
# kernel's log.
CAPABILITIES = ("SYS_PTRACE", "DAC_READ_SEARCH", "SYSLOG")
MOUNTS = ("/proc",)
# The chart's policy `unstuck-look` knows these Pods by the prefix of their names; the next look, by their
# label.
PREFIX = "unstuck-look-"
LABEL = "unstuck.dev/one-shot"
CONTAINER = "look"
GRACE = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """The Pod that would be created. node: where it runs. guarded: whether the chart's policy keeps
    commands out of it.
    """

    node: str
    namespace: str
    image: str
    capabilities: tuple[str, ...] = CAPABILITIES
    mounts: tuple[str, ...] = MOUNTS
    guarded: bool = False


def manifest(
    plan: Plan, name: str, pod: Ref | None, seconds: int, apparmor: bool, since: datetime | None = None
) -> dict[str, Any]:
    """Return the Pod that looks once at its node and ends. pod: the subject.

    seconds: after which the kubelet ends it in any case. apparmor: whether the server knows
    `appArmorProfile` (1.30). since: when a deletion was requested. It is bound to the node by name: no
    scheduler is involved, and taints that evict are tolerated. Like the agent's collector it has no token, no
    host network, no host PID namespace, and of the node's directories only /proc, read-only.
    """
    about = {"namespace": pod.within, "name": pod.name, "uid": pod.uid} if pod is not None else None
    begin = since.isoformat() if since else None
    question = json.dumps({"node": plan.node, "pod": about, "since": begin, "seconds": max(1, seconds // 3)})
    security: dict[str, Any] = {
        "runAsUser": 0,
        "runAsGroup": 0,
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"], "add": list(plan.capabilities)},
    }
    if apparmor:
        # The runtimes' own profile refuses to look at any process outside it.
        security["appArmorProfile"] = {"type": "Unconfined"}
    container = {
        "name": CONTAINER,
        "image": plan.image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["python3", "-S", "-m", "unstuck.agent.once", question],
        "securityContext": security,
        "resources": {"requests": {"cpu": "10m", "memory": "40Mi"}, "limits": {"memory": "256Mi"}},
        "volumeMounts": [
            {
                "name": f"host{i}",
                "mountPath": f"/host{path}",
                "readOnly": True,
                "mountPropagation": "HostToContainer",
            }
            for i, path in enumerate(plan.mounts)
        ],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": plan.namespace,
            "labels": {LABEL: "true", "app.kubernetes.io/name": "unstuck-look"},
        },
        "spec": {
            "nodeName": plan.node,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": seconds,
            "terminationGracePeriodSeconds": GRACE,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "dnsPolicy": "Default",
            "tolerations": [{"operator": "Exists"}],
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [container],
            "volumes": [
                {"name": f"host{i}", "hostPath": {"path": path, "type": "Directory"}}
                for i, path in enumerate(plan.mounts)
            ],
        },
    }
