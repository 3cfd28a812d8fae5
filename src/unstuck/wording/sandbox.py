"""A Pod's sandbox and its network: made and ended.

Source: pkg/kubelet/kuberuntime (1.34), containerd internal/cri/server/sandbox_*.go, dockershim (≤ 1.23), cri-o server/sandbox_*.go.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_RUNTIME = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
_SYNC = "pkg/kubelet/container/sync_result.go"

CALLS: tuple[Call, ...] = (
    Call(
        # The daemon of AWS' plugin reports its own pool in these words; "failed to assign an IP address"
        # beside them follows from it.
        words(r"DataStore has (?=no available IP)"),
        "network-set-up",
        ("datastore has no available ip",),
        (Seen("aws-cni", "1.0–1.4", "ipamd/datastore/data_store.go"),),
        (
            Example(
                "2018-10-11T18:01:48Z [INFO] DataStore has no available IP addresses",
                "network-set-up addresses-exhausted",
            ),
            Example("DataStore has no available IP addresses", "network-set-up addresses-exhausted"),
        ),
    ),
    Call(
        words(
            r"Failed to create pod sandbox|failed to \"?CreatePodSandbox\"? for|CreatePodSandbox for pod \"[^\"]{1,400}\" failed|"
            r"failed to create sandbox for pod|failed to start sandbox container|RunPodSandbox from runtime service failed|failed to create a sandbox for pod|"
            r"failed to create containerd task for sandbox|unable to ensure pod container exists"
        ),
        "sandbox-create",
        ("sandbox", "ensure pod container exists"),
        (
            Seen("kubelet", "1.6–1.34", _RUNTIME),
            Seen("containerd", "1.2–2.1", "internal/cri/server/sandbox_run.go"),
        ),
        (
            Example(
                "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd task: failed to create shim task: OCI runtime create failed: "
                "runc create failed: unable to start container process: container init was OOM-killed (memory limit too low?): unknown",
                "sandbox-create init-killed",
            ),
            Example(
                'Failed create pod sandbox: rpc error: code = Unknown desc = failed to start sandbox container for pod "p": Error response from daemon: OCI runtime create failed: '
                'container_linux.go:346: starting container process caused "process_linux.go:449: container init caused \\"read init-p: connection reset by peer\\"": unknown',
                "sandbox-create init-killed",
            ),
            Example(
                "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
                "sandbox-create deadline-exceeded",
            ),
            # The Pod's "container" is its cgroup here (pkg/kubelet/cm/pod_container_manager_linux.go).
            Example(
                "unable to ensure pod container exists: failed to create container for [kubepods besteffort pod1] : mkdir /sys/fs/cgroup/memory/kubepods/besteffort/pod1: "
                "cannot allocate memory",
                "sandbox-create ENOMEM path=/sys/fs/cgroup/memory/kubepods/besteffort/pod1",
            ),
        ),
    ),
    Call(
        words(
            r"failed to set ?up (?:sandbox container .{1,100} )?network for (?:sandbox|pod)(?: \"[^\"]{1,253}\")?|networkPlugin cni failed to set up pod|"
            r"failed to create pod network sandbox|failed to \"?SetupNetwork\"? for"
        ),
        "network-set-up",
        ("network",),
        (
            Seen("containerd", "1.2–2.1", "internal/cri/server/sandbox_run.go"),
            Seen("kubelet (dockershim)", "1.5–1.23"),
            Seen("cri-o", "all"),
        ),
        (
            Example(
                'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a1b": plugin type="flannel" failed (add): '
                "loadFlannelSubnetEnv failed: open /run/flannel/subnet.env: no such file or directory",
                "network-set-up agent-down key=flannel",
            ),
            Example(
                'failed to set up sandbox container "0a1b" network for pod "p": networkPlugin cni failed to set up pod "p_f" network: no IP addresses available in range set: 10.1.0.1-10.1.0.254',
                "network-set-up addresses-exhausted key=10.1.0.1-10.1.0.254",
            ),
        ),
    ),
    Call(
        # The runtime cleans up after a failed set-up; the Pod is not being deleted.
        words(
            r"failed to clean up sandbox container \"[^\"]{1,253}\" network for pod \"[^\"]{1,253}\"(?:: networkPlugin \S{1,100} failed to teardown pod)?"
        ),
        "network-set-up",
        ("failed to clean up sandbox container",),
        (Seen("kubelet (dockershim)", "1.10–1.23", "pkg/kubelet/dockershim/docker_sandbox.go"),),
        (
            Example(
                'Failed create pod sandbox: rpc error: code = Unknown desc = [failed to set up sandbox container "0a1b" network for pod "p": NetworkPlugin cni failed to set up pod "p_f" '
                'network: out of mood, failed to clean up sandbox container "0a1b" network for pod "p": NetworkPlugin cni failed to teardown pod "p_f" network: out of mood]',
                "network-set-up other",
            ),
            Example(
                '[failed to set up sandbox container \\"0a1b\\" network for pod \\"p\\": networkPlugin cni failed to set up pod \\"p_f\\" network: failed to find plugin \\"macvlan\\" '
                'in path [/opt/cni/bin], failed to clean up sandbox container \\"0a1b\\" network for pod \\"p\\": networkPlugin cni failed to teardown pod \\"p_f\\" network: '
                'failed to find plugin \\"macvlan\\" in path [/opt/cni/bin]]',
                "network-set-up plugin-missing key=macvlan",
            ),
        ),
    ),
    Call(
        words(
            r"failed to \"?(?:KillPodSandbox|TeardownNetwork)\"? for|StopPodSandbox (?:\"[^\"]{1,253}\" )?from runtime service failed|failed to stop sandbox|failed to (?:forcibly )?stop sandbox"
        ),
        "sandbox-stop",
        ("sandbox", "teardownnetwork"),
        (
            Seen("kubelet", "1.5–1.34", _SYNC),
            Seen("containerd", "1.2–2.1", "internal/cri/server/sandbox_stop.go"),
        ),
        (
            Example(
                'error killing pod: failed to "KillPodSandbox" for "9e964fdf-0000-0000-0000-000000000000" with KillPodSandboxError: '
                '"rpc error: code = DeadlineExceeded desc = context deadline exceeded"',
                "sandbox-stop deadline-exceeded",
            ),
            Example(
                'StopPodSandbox "0a1b" from runtime service failed: rpc error: code = Unknown desc = context deadline exceeded',
                "sandbox-stop deadline-exceeded",
            ),
        ),
    ),
    Call(
        words(
            r"failed to destroy network for sandbox(?: \"[^\"]{1,253}\")?|networkPlugin cni failed to teardown pod"
        ),
        "network-tear-down",
        ("network",),
        (
            Seen("containerd", "1.2–2.1", "internal/cri/server/sandbox_stop.go"),
            Seen("kubelet (dockershim)", "1.5–1.23"),
        ),
        (
            Example(
                'error killing pod: failed to "KillPodSandbox" for "u" with KillPodSandboxError: "rpc error: code = Unknown desc = failed to destroy network for sandbox \\"0a1b\\": '
                'plugin type=\\"ptp\\" failed (delete): failed to find plugin \\"ptp\\" in path [/opt/cni/bin]"',
                "network-tear-down plugin-missing key=ptp",
            ),
            Example(
                'networkPlugin cni failed to teardown pod "p_f" network: cni config uninitialized',
                "network-tear-down cni-not-ready",
            ),
        ),
    ),
    Call(
        words(r"NetworkReady=false|network is not ready|network plugin (?:is not ready|returns error)"),
        "network-ready",
        ("networkready", "network is not ready", "network plugin"),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/kubelet.go"),),
        (
            Example(
                "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized",
                "network-ready cni-not-ready",
            ),
            Example(
                "network is not ready: runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized",
                "network-ready cni-not-ready",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"cni plugin not initialized|cni config uninitialized|No CNI configuration file in \S{1,255}"),
        "cni-not-ready",
        ("cni",),
        (Seen("containerd, kubelet, cri-o", "1.5–1.34"),),
        (
            Example(
                "Network plugin returns error: cni plugin not initialized", "network-ready cni-not-ready"
            ),
            Example(
                "runtime network not ready: NetworkReady=false message:No CNI configuration file in /etc/cni/net.d/. Has your network provider started?",
                "network-ready cni-not-ready",
            ),
        ),
        Rank.NAMED,
        "network-ready",
    ),
    Error(
        words(r"failed to find plugin \"(?P<key>[^\"]{1,100})\" in path"),
        "plugin-missing",
        ("failed to find plugin",),
        (Seen("CNI libcni", "0.6–1.3", "pkg/invoke/find.go"),),
        (
            Example(
                'failed to setup network for sandbox "a": plugin type="ptp" failed (add): failed to find plugin "ptp" in path [/usr/lib/cni]',
                "network-set-up plugin-missing key=ptp",
            ),
            Example(
                'failed to destroy network for sandbox "a": failed to find plugin "calico" in path [/opt/cni/bin]',
                "network-tear-down plugin-missing key=calico",
            ),
            Example(
                'failed to find plugin "bridge" in path [/opt/cni/bin]',
                "network-set-up plugin-missing key=bridge",
            ),
        ),
        Rank.NAMED,
        within=("network-set-up", "network-tear-down"),
        operation="network-set-up",
    ),
    Error(
        words(
            r"plugin (?P<key>[\w.-]{1,63}) does not support config version \\{0,3}\"[^\"\\]{0,20}|incompatible CNI versions; config is \\{0,3}\"[^\"\\]{0,20}"
        ),
        "cni-version-refused",
        ("does not support config version", "incompatible cni versions"),
        (Seen("CNI libcni", "0.7–1.3", "libcni/api.go (ValidateNetworkList), pkg/version/reconcile.go"),),
        (
            Example(
                'Error validating CNI config list {"cniVersion": "", "name": "cbr0"}: [plugin bridge does not support config version ""]',
                "network-ready cni-version-refused key=bridge",
            ),
            Example(
                'failed to setup network for sandbox "a": plugin type="bridge" failed (add): incompatible CNI versions; config is "1.0.0", plugin supports ["0.1.0" "0.4.0"]',
                "network-set-up cni-version-refused",
            ),
        ),
        Rank.NAMED,
        "network-ready",
    ),
    Error(
        words(
            r"no IP addresses available in (?:range set(?:: (?P<key>[0-9a-f.:]{3,45}-[0-9a-f.:]{3,45}))?|network)|no available (?:ip |IPv4 )?addresses"
        ),
        "addresses-exhausted",
        ("no ip address", "no available addresses", "no available ip addresses", "no available ipv4"),
        (Seen("CNI host-local, Calico", "all"), Seen("libnetwork", "0.5–25", "ipamapi/contract.go")),
        (
            Example(
                'failed to setup network for sandbox "a": failed to allocate for range 0: no IP addresses available in range set: 10.1.0.2-10.1.0.14',
                "network-set-up addresses-exhausted key=10.1.0.2-10.1.0.14",
            ),
            Example(
                'failed to setup network for sandbox "a": failed to create endpoint a on network bridge: no available IPv4 addresses on this network\'s address pools: bridge (0a1b)',
                "network-set-up addresses-exhausted",
            ),
            Example(
                "failed to allocate for range 0: no IP addresses available in range set: 10.1.2.1-10.1.2.254",
                "network-set-up addresses-exhausted key=10.1.2.1-10.1.2.254",
            ),
        ),
        Rank.NAMED,
        within=("network-set-up",),
        operation="network-set-up",
    ),
    Error(
        # A subnet or an interface that is full, and a role that may not ask for an address, look the same here.
        words(r"failed to assign an IP address"),
        "address-unassigned",
        ("assign an ip address",),
        (Seen("aws-cni", "all"),),
        (
            Example(
                'failed to setup network for sandbox "a": add cmd: failed to assign an IP address to container',
                "network-set-up address-unassigned",
            ),
            Example(
                'failed to setup network for sandbox "a": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
                "network-set-up address-unassigned",
            ),
            Example(
                "add cmd: failed to assign an IP address to container", "network-set-up address-unassigned"
            ),
        ),
        Rank.NAMED,
        within=("network-set-up",),
        operation="network-set-up",
    ),
    Error(
        words(r"(?:\"(?P<key>[\w.-]{1,15})\" )?already has an IP address different from"),
        "address-mismatch",
        ("ip address different",),
        (Seen("CNI bridge", "all", "plugins/main/bridge/bridge.go"),),
        (
            Example(
                'failed to setup network for sandbox "a": plugin type="bridge" failed (add): failed to set bridge addr: "cni0" already has an IP address different from 10.1.2.1/24',
                "network-set-up address-mismatch key=cni0",
            ),
            Example(
                'networkPlugin cni failed to set up pod "p" network: failed to set bridge addr: "cni0" already has an IP address different from 10.1.2.1/24',
                "network-set-up address-mismatch key=cni0",
            ),
            Example(
                'failed to set bridge addr: "cni0" already has an IP address different from 10.1.2.1/24',
                "network-set-up address-mismatch key=cni0",
            ),
        ),
        Rank.NAMED,
        within=("network-set-up",),
        operation="network-set-up",
    ),
    Error(
        words(r"container name \"/?(?:k8s_POD_)?[^\"]{1,400}\" is already in use"),
        "name-conflict",
        ("already in use",),
        (Seen("docker", "1.9–20.10"),),
        (
            Example(
                'Failed create pod sandbox: rpc error: code = Unknown desc = failed to create a sandbox for pod "p": Error response from daemon: Conflict. The container name "/k8s_POD_p_f_u_0" is already in use by container 0a1b.',
                "sandbox-create name-conflict",
            ),
            Example(
                'failed to create sandbox for pod "p": Conflict. The container name "/k8s_POD_p_f_u_1" is already in use',
                "sandbox-create name-conflict",
            ),
        ),
        Rank.NAMED,
        within=("sandbox-create", "container-create"),
    ),
    Error(
        # The shim lacks the log of a program that never ran: runc's own errors are in that log. It adds this behind its brackets.
        words(
            r"(?<=\): fork/)exec (?P<path>/[^\s:]{1,200}): no such file or directory(?:: unknown)?|(?<=\): )exec: \"(?P<key>[^\"]{1,100})\": executable file not found(?: in \$PATH)?(?:: unknown)?"
        ),
        "runtime-program-missing",
        ("unable to retrieve oci runtime error",),
        (Seen("containerd", "1.2–2.1", "cmd/containerd-shim-runc-v2/process/init.go, utils.go"),),
        (
            Example(
                "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd task: failed to create shim task: OCI runtime create failed: unable to retrieve OCI runtime error (open /run/containerd/io.containerd.runtime.v2.task/k8s.io/0a1b/log.json: no such file or directory): fork/exec /opt/youki/bin/youki: no such file or directory: unknown",
                "sandbox-create runtime-program-missing path=/opt/youki/bin/youki",
            ),
            Example(
                'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd task: failed to create shim task: OCI runtime create failed: unable to retrieve OCI runtime error (open /run/containerd/io.containerd.runtime.v2.task/k8s.io/0a1b/log.json: no such file or directory): exec: "crun": executable file not found in $PATH: unknown',
                "sandbox-create runtime-program-missing key=crun",
            ),
        ),
        Rank.NAMED,
        within=("sandbox-create",),
        operation="sandbox-create",
    ),
    Error(
        words(
            r"no runtime for \"(?P<key>[^\"]{1,100})\" is configured|RuntimeHandler \"(?P<key_2>[^\"]{1,100})\" not supported"
        ),
        "handler-missing",
        ("no runtime for", "runtimehandler"),
        (Seen("containerd", "1.2–2.1", "internal/cri/server/sandbox_run.go"),),
        (
            Example(
                'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "nvidia" is configured',
                "sandbox-create handler-missing key=nvidia",
            ),
            Example(
                'Failed to create pod sandbox: rpc error: code = Unknown desc = RuntimeHandler "kata" not supported',
                "sandbox-create handler-missing key=kata",
            ),
            Example('no runtime for "nvidia" is configured', "sandbox-create handler-missing key=nvidia"),
        ),
        Rank.NAMED,
        within=("sandbox-create",),
        operation="sandbox-create",
    ),
)
