"""The agent of a node: a DaemonSet's Pod of two containers that answers a NodeProbe with a NodeReport, and
does nothing else.

`python3 -S -m unstuck.agent collector` sees the host and has no way out of the node:
    user 0; capabilities: drop ALL, add SYS_PTRACE, DAC_READ_SEARCH, SYSLOG; no API token, read-only root file
    system, no privilege escalation, seccomp RuntimeDefault; AppArmor Unconfined and SELinux type spc_t if the
    node enforces them (without, it is blind to other processes' namespaces and roots, and says so); hostPath
    /proc at /host/proc, read-only, HostToContainer (never hostPID, never a hostPath of /); emptyDir (medium
    Memory) at /run/unstuck, shared with the reporter. It listens on the UNIX socket /run/unstuck/collector,
    on no port. Each question is answered in a child that a seccomp filter has locked before it looks
    (`collect/node/seccomp.py`); if it cannot be locked, it does not look.

`python3 -S -m unstuck.agent reporter` may talk to the API server and has no way into the host:
    any user but root, no capabilities; a projected token of ServiceAccount `agent`, bound to this Pod (only
    then does it carry the node's name), with `ca.crt` and `namespace` at
    /var/run/secrets/kubernetes.io/serviceaccount; env NODE_NAME (spec.nodeName), HOST_IP (status.hostIP),
    POD_NAMESPACE (metadata.namespace); the same emptyDir. Permissions in its own Namespace: list, watch,
    delete nodeprobes; create, delete nodereports; and for the kubelet's own API get on nodes/pods,
    nodes/metrics, nodes/log, nodes/configz, nodes/healthz (never nodes/proxy).

DaemonSet: updateStrategy maxSurge 1, maxUnavailable 0 (a new Pod on a sick node would not start, and the old
one is needed just then); tolerations for every taint; priorityClassName system-node-critical. No liveness
probes: a restart would repair nothing. Sources: KEP-4193 (node claim in bound tokens), KEP-2862 (kubelet
permissions), KEP-4358 (selectable fields); docs/why/agent.md.
"""
