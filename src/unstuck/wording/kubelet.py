"""The kubelet itself: ending Pods, their cgroups, its own writes to the API server, and the node's readiness.

Source: pkg/kubelet/{kubelet,pod_workers}.go, status/status_manager.go, cm/pod_container_manager_linux.go,
pkg/controller/nodelifecycle/node_lifecycle_controller.go (1.34); field notes for 1.8–1.26.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_WRITES: tuple[Operation, ...] = ("status-delete", "status-update", "status-read", "sync")

CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"failed to \"?KillContainer\"? for \"(?P<container>[^\"]{1,253})\"|StopContainer (?:\"[^\"]{1,253}\" )?from runtime service failed|termination failed with gracePeriod|"
            r"error killing pod|failed to kill container|an error occurs during waiting for container \S{1,100} to be killed"
        ),
        "container-stop",
        ("kill", "stopcontainer", "termination failed"),
        (
            Seen("kubelet", "1.5–1.34", "pkg/kubelet/container/sync_result.go"),
            Seen("containerd", "1.2–2.1", "internal/cri/server/container_stop.go"),
        ),
        (
            Example(
                'error killing pod: [failed to "KillContainer" for "c" with KillContainerError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded", '
                'failed to "KillPodSandbox" for "u" with KillPodSandboxError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"]',
                "container-stop deadline-exceeded container=c; sandbox-stop deadline-exceeded",
            ),
            Example(
                'StopContainer "61d62bbf5484" from runtime service failed: rpc error: code = Unknown desc = operation timeout: context deadline exceeded',
                "container-stop deadline-exceeded",
            ),
        ),
    ),
    Call(
        words(
            r"error determining status|failed to get (?:pod )?sandbox status|Failed to get status for pod|PodSandboxStatus of sandbox \S{1,100}"
        ),
        "status-read",
        ("status",),
        (Seen("kubelet", "1.6–1.34", "pkg/kubelet/kubelet.go"),),
        (
            Example(
                "error determining status: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
                "status-read deadline-exceeded",
            ),
            Example(
                "error determining status: rpc error: code = Unknown desc = Error: No such container: 0a1b",
                "status-read other",
            ),
        ),
    ),
    Call(
        words(
            r"failed to (?:delete|remove) cgroup(?: paths)?|Failed to kill all the processes attached to (?:the )?cgroup|Unable to destroy cgroup|Failed to remove cgroup"
        ),
        "cgroup-remove",
        ("cgroup",),
        (Seen("kubelet", "1.6–1.34", "pkg/kubelet/cm/pod_container_manager_linux.go"),),
        (
            Example(
                '"Failed to delete cgroup paths" cgroupName=["kubepods","burstable","pod41300886"] err="unable to destroy cgroup paths for cgroup [kubepods burstable pod41300886] : '
                'Timed out while waiting for systemd to remove kubepods-burstable-pod41300886.slice"',
                "cgroup-remove timeout",
            ),
            Example(
                '"Failed to delete cgroup paths" cgroupName=["kubepods","pod9"] err="unable to destroy cgroup paths for cgroup [kubepods pod9] : '
                'rmdir /sys/fs/cgroup/memory/kubepods/pod9/left: device or resource busy"',
                "cgroup-remove EBUSY path=/sys/fs/cgroup/memory/kubepods/pod9/left",
            ),
        ),
    ),
    Call(
        words(r"Failed to delete status for pod"),
        "status-delete",
        ("delete status for pod",),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/status/status_manager.go"),),
        (
            Example(
                '"Failed to delete status for pod" pod="f/p" err="admission webhook \\"guard.example.com\\" denied the request: no"',
                "status-delete admission-denied object=Webhook/guard.example.com",
            ),
            Example(
                '"Failed to delete status for pod" pod="f/p" err="Internal error occurred: failed calling webhook \\"guard.example.com\\": failed to call webhook: '
                'Post \\"https://guard.f.svc:443/?timeout=10s\\": service \\"guard\\" not found"',
                "status-delete webhook-unreachable object=Webhook/guard.example.com",
            ),
        ),
    ),
    Call(
        words(r"Failed to update status for pod"),
        "status-update",
        ("update status for pod",),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/status/status_manager.go"),),
        (
            Example(
                '"Failed to update status for pod" err="failed to patch status \\"{}\\" for pod \\"f\\"/\\"p\\": Internal error occurred: failed calling webhook \\"w.example.com\\": no"  pod="f/p"',
                "status-update webhook-unreachable object=Webhook/w.example.com",
            ),
            Example(
                '"Failed to update status for pod" err="failed to patch status: pods \\"p\\" is forbidden: ValidatingAdmissionPolicy \'no-writes\' with binding \'b\' denied request: no" pod="f/p"',
                "status-update admission-denied object=ValidatingAdmissionPolicy/no-writes",
            ),
        ),
    ),
    Call(
        words(
            r"Failed to ensure (?:node )?lease exists|Failed to update (?:node )?lease|Error updating node status, will retry"
            r"|Unable to register node(?: \"?[^\s\"]{1,253}\"?)? with API server"
        ),
        "node-report",
        ("lease", "error updating node status", "unable to register node"),
        (
            Seen(
                "kubelet",
                "1.5–1.34",
                "pkg/kubelet/kubelet_node_status.go, component-helpers/apimachinery/lease/controller.go",
            ),
        ),
        (
            Example(
                '"Failed to ensure lease exists, will retry" err="Get \\"https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n-1?timeout=10s\\": dial tcp 10.0.0.1:6443: connect: connection refused" interval="7s"',
                "node-report connection-refused host=10.0.0.1:6443",
            ),
            Example(
                'Unable to register node "n-1" with API server: nodes "n-1" is forbidden: node "n-2" is not allowed to modify node "n-1"',
                "node-report identity-mismatch object=Node/n-2",
            ),
        ),
    ),
    Call(
        words(
            r"(?<![\w/])Node is not ready|Kubelet stopped posting node status|node \S{1,253} (?:hasn't been updated|status is now: NodeNotReady)"
        ),
        "node-ready",
        ("node is not ready", "stopped posting", "hasn't been updated", "nodenotready"),
        (
            Seen(
                "node-lifecycle controller",
                "1.5–1.34",
                "pkg/controller/nodelifecycle/node_lifecycle_controller.go",
            ),
        ),
        (
            Example("Node is not ready", "node-ready not-ready"),
            Example("Kubelet stopped posting node status.", "node-ready not-ready"),
            Example("Node n-1 status is now: NodeNotReady", "node-ready not-ready"),
        ),
        bare="not-ready",
    ),
    Call(
        words(
            r"container runtime is down|container runtime status check may not have completed yet|PLEG is not healthy(?:: pleg was last seen active (?P<key>[\dhms.]{1,20}) ago)?"
        ),
        "runtime-ready",
        ("container runtime", "pleg"),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/runtime.go"),),
        (
            Example(
                "[container runtime is down, PLEG is not healthy: pleg was last seen active 3m2.1s ago; threshold is 3m0s.]",
                "runtime-ready not-ready key=3m2.1s",
            ),
            Example(
                "PLEG is not healthy: pleg was last seen active 4m1s ago; threshold is 3m0s",
                "runtime-ready not-ready key=4m1s",
            ),
        ),
        bare="not-ready",
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"\bUnauthorized\b|the server has asked for the client to provide credentials"),
        "unauthorized",
        ("unauthorized", "provide credentials"),
        (Seen("apimachinery", "1.6–1.34", "staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go"),),
        (
            Example(
                '"Unable to register node with API server" err="Unauthorized" node="n-1"',
                "node-report unauthorized",
            ),
            Example(
                '"Failed to ensure lease exists, will retry" err="Unauthorized" interval="7s"',
                "node-report unauthorized",
            ),
            Example(
                'Error updating node status, will retry: error getting node "n-1": the server has asked for the client to provide credentials',
                "node-report unauthorized",
            ),
        ),
        within=("node-report",),
    ),
    Error(
        words(r"context canceled|is already in removing state"),
        "",
        ("context canceled", "already in removing state"),
        (
            Seen("Go, in the workers of Pods (1.27–1.34)", "all", "src/context/context.go"),
            Seen("containerd", "1.4–2.1", "internal/cri/server/container_remove.go"),
        ),
        (
            Example(
                '"Error syncing pod, skipping" err="unmounted volumes=[v], unattached volumes=[], failed to process volumes=[]: context canceled" pod="f/p"',
                "",
            ),
            Example(
                '"RemoveContainer from runtime service failed" err="failed to set removing state for container \\"0a\\": container is already in removing state"',
                "",
            ),
        ),
        Rank.WAITER,
    ),
    Error(
        words(r"admission webhook \"(?P<name>[^\"]{1,253})\" denied the request"),
        "admission-denied",
        ("denied the request",),
        (
            Seen(
                "kube-apiserver",
                "1.9–1.34",
                "staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go",
            ),
        ),
        (
            Example(
                'Failed to delete status for pod "p_f(u)": admission webhook "a.example" denied the request: no',
                "status-delete admission-denied object=Webhook/a.example",
            ),
            Example(
                'Failed to update status for pod "p_f(u)": admission webhook "b.example" denied the request without explanation',
                "status-update admission-denied object=Webhook/b.example",
            ),
        ),
        Rank.NAMED,
        kind="Webhook",
    ),
    Error(
        words(
            r"ValidatingAdmissionPolicy '(?P<name>[^'\n]{1,253})' with binding '[^'\n]{1,253}' denied request"
        ),
        "admission-denied",
        ("validatingadmissionpolicy",),
        (
            Seen(
                "kube-apiserver",
                "1.26–1.34",
                "staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go",
            ),
        ),
        (
            Example(
                '"Failed to delete status for pod" pod="f/p" err="pods \\"p\\" is forbidden: ValidatingAdmissionPolicy \'keep\' with binding \'keep-b\' denied request: no"',
                "status-delete admission-denied object=ValidatingAdmissionPolicy/keep",
            ),
            Example(
                "Failed to update status for pod: ValidatingAdmissionPolicy 'no.writes' with binding 'b' denied request: no",
                "status-update admission-denied object=ValidatingAdmissionPolicy/no.writes",
            ),
        ),
        Rank.NAMED,
        kind="ValidatingAdmissionPolicy",
    ),
    Error(
        words(r"failed calling webhook \"(?P<name>[^\"]{1,253})\""),
        "webhook-unreachable",
        ("calling webhook",),
        (Seen("kube-apiserver", "1.9–1.34", "staging/src/k8s.io/apiserver/pkg/util/webhook/error.go"),),
        (
            Example(
                'Failed to delete status for pod: Internal error occurred: failed calling webhook "a.example": Post "https://a.svc": dial tcp 10.0.0.1:443: connect: connection refused',
                "status-delete webhook-unreachable object=Webhook/a.example",
            ),
            Example(
                'Failed to update status for pod: Internal error occurred: failed calling webhook "b.example": context deadline exceeded',
                "status-update webhook-unreachable object=Webhook/b.example",
            ),
            Example(
                'Error creating: Internal error occurred: failed calling webhook "c.example": Post https://c.ns.svc:443/x?timeout=30s: x509: certificate has expired or is not yet valid',
                "pod-create webhook-unreachable object=Webhook/c.example",
            ),
        ),
        Rank.NAMED,
        kind="Webhook",
    ),
    Error(
        words(
            r"node \"(?P<name>[^\"]{1,253})\" is not allowed to modify node|can only access node lease with the same name"
        ),
        "identity-mismatch",
        ("not allowed to modify node", "node lease with the same name"),
        (
            Seen(
                "kube-apiserver NodeRestriction",
                "1.8–1.34",
                "plugin/pkg/admission/noderestriction/admission.go",
            ),
        ),
        (
            Example(
                '"Unable to register node with API server" err="nodes \\"n-1\\" is forbidden: node \\"n-2\\" is not allowed to modify node \\"n-1\\"" node="n-1"',
                "node-report identity-mismatch object=Node/n-2",
            ),
            Example(
                '"Failed to update lease" err="leases.coordination.k8s.io \\"n-1\\" is forbidden: can only access node lease with the same name as the requesting node"',
                "node-report identity-mismatch",
            ),
            Example(
                'nodes "a" is forbidden: node "b" is not allowed to modify node "a"',
                "node-report identity-mismatch object=Node/b",
            ),
        ),
        Rank.NAMED,
        kind="Node",
        within=("node-report",),
        operation="node-report",
    ),
    Error(
        words(r"is forbidden: (?!ValidatingAdmissionPolicy)|\(403\)|reason=\"?Forbidden"),
        "forbidden",
        ("forbidden", "(403)"),
        (Seen("kube-apiserver", "all"),),
        (
            Example(
                '"Failed to update status for pod" err="pods \\"p\\" is forbidden: node \\"a\\" can only update pods with spec.nodeName set to itself" pod="f/p"',
                "status-update forbidden",
            ),
            Example(
                'Failed to delete status for pod "p_f(u)": pods "p" is forbidden: User "system:node:b" cannot delete',
                "status-delete forbidden",
            ),
        ),
        within=_WRITES,
    ),
    Error(
        words(r"timed out while waiting for systemd to remove"),
        "timeout",
        ("timed out while waiting",),
        (Seen("runc libcontainer/cgroups", "1.0–1.3"),),
        (
            Example(
                "Failed to delete cgroup paths for [a] : Timed out while waiting for systemd to remove a.slice",
                "cgroup-remove timeout",
            ),
            Example(
                "Failed to remove cgroup: Timed out while waiting for systemd to remove b.slice",
                "cgroup-remove timeout",
            ),
        ),
        within=("cgroup-remove",),
    ),
)
