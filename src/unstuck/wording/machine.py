"""Faults that keep a machine from being a Node: a kubelet that does not run, kernel modules, certificate dates,
missing Pod addresses.

Source: pkg/kubelet/cm/container_manager_linux.go, pkg/controller/nodeipam, kmod tools/modprobe.c, Go crypto/x509 verify.go, runc libcontainer.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

CALLS: tuple[Call, ...] = (
    Call(
        # Each is followed by the kubelet's end.
        words(
            r"failed to run Kubelet|Failed to start (?:ContainerManager|cAdvisor)|Failed to initialize internal modules"
            r"|Kubelet failed to get node info|\"Failed to listen and serve\""
        ),
        "kubelet-start",
        (
            *(
                "failed to run kubelet",
                "failed to start containermanager",
                "failed to start cadvisor",
                "initialize internal modules",
            ),
            *("kubelet failed to get node info", "failed to listen and serve"),
        ),
        (
            Seen(
                "kubelet",
                "1.6–1.34",
                "cmd/kubelet/app/server.go, pkg/kubelet/kubelet.go, pkg/kubelet/server/server.go",
            ),
        ),
        (
            Example(
                '"Failed to start cAdvisor" err="inotify_init: function not implemented"',
                "kubelet-start other",
            ),
            Example(
                '"command failed" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat /etc/kubernetes/bootstrap-kubelet.conf: no such file or directory"',
                "kubelet-start ENOENT path=/etc/kubernetes/bootstrap-kubelet.conf",
            ),
            Example(
                '"Failed to start ContainerManager" err="failed to initialize top level QOS containers: root container [kubepods] doesn\'t exist"',
                "kubelet-start other",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"could not restore state from checkpoint: [^\n]{1,600}?, please drain this node and delete (?:the )?[\w ]{1,60}? checkpoint file "
            r"\\{0,3}\"(?P<path>/[^\"\\\s]{1,400})\\{0,3}\" before restarting Kubelet"
        ),
        "checkpoint-refused",
        ("could not restore state from checkpoint",),
        (
            Seen(
                "kubelet",
                "1.18–1.34",
                "pkg/kubelet/cm/cpumanager/state/state_checkpoint.go, pkg/kubelet/cm/memorymanager/state/state_checkpoint.go",
            ),
            Seen("kubelet", "1.33–1.34", "pkg/kubelet/allocation/state/state_checkpoint.go"),
        ),
        (
            Example(
                '"Failed to start ContainerManager" err="start cpu manager error: could not restore state from checkpoint: configured policy '
                '\\"static\\" differs from state checkpoint policy \\"none\\", please drain this node and delete the CPU manager checkpoint file '
                '\\"/var/lib/kubelet/cpu_manager_state\\" before restarting Kubelet"',
                "kubelet-start checkpoint-refused path=/var/lib/kubelet/cpu_manager_state",
            ),
            Example(
                '"Failed to start ContainerManager" err="start memory manager error: could not restore state from checkpoint: checkpoint is corrupted, '
                'please drain this node and delete the memory manager checkpoint file \\"/data/kubelet/memory_manager_state\\" before restarting Kubelet"',
                "kubelet-start checkpoint-refused path=/data/kubelet/memory_manager_state",
            ),
        ),
        Rank.NAMED,
        "kubelet-start",
        takes_over=True,
    ),
    Error(
        words(r"listen (?:tcp|unix)\d?:? (?P<host>[^\s\"]{1,300}?): bind: address already in use"),
        "address-in-use",
        ("address already in use",),
        (Seen("Go net", "all"),),
        (
            Example(
                '"Failed to listen and serve" err="listen tcp 0.0.0.0:10250: bind: address already in use"',
                "kubelet-start address-in-use host=0.0.0.0:10250",
            ),
            # From a program in a container it says nothing about the node.
            Example("listen tcp :8080: bind: address already in use", ""),
        ),
        Rank.NAMED,
        within=("kubelet-start", "runtime-start"),
    ),
    Error(
        # Only domains of container runtimes and of volume attachment; in permissive mode nothing was denied.
        words(
            r"avc:\s{1,4}denied\s{1,4}\{ (?P<key>[\w ]{1,200}?) \} for\s{1,4}pid=\d{1,10} comm=\"[^\"\n]{1,64}\"(?=[^\n]{0,400}?\bscontext="
            r"[\w:,.-]{1,100}:(?:container\w{0,20}|spc|svirt_lxc_net|docker|kubelet|crio|iscsid|lvm|fsadm|mount)_t:)(?![^\n]{0,600}\bpermissive=1)"
        ),
        "selinux-denied",
        ("avc:",),
        (Seen("Linux", "3.10–6.12", "security/selinux/avc.c (avc_dump_query)"),),
        (
            Example(
                'type=AVC msg=audit(1686166397.967:2849): avc:  denied  { dac_override } for  pid=53577 comm="iscsiadm" capability=1 '
                "scontext=unconfined_u:system_r:iscsid_t:s0 tcontext=unconfined_u:system_r:iscsid_t:s0 tclass=capability permissive=0",
                "access selinux-denied key=dac_override",
            ),
            Example(
                'audit: type=1400 audit(1670698321.515:7214): avc:  denied  { read write } for  pid=231 comm="java" name="data" dev="sda1" ino=5 '
                "scontext=system_u:system_r:container_t:s0:c1,c2 tcontext=system_u:object_r:default_t:s0 tclass=dir permissive=0",
                "access selinux-denied key=read write",
            ),
            # Near misses: a permissive-mode record, and a domain unrelated to containers.
            Example(
                'avc:  denied  { read } for  pid=231 comm="java" name="data" scontext=system_u:system_r:container_t:s0 tclass=dir permissive=1',
                "",
            ),
            Example(
                'avc:  denied  { read } for  pid=231 comm="httpd" name="x" scontext=system_u:system_r:httpd_t:s0 tclass=file permissive=0',
                "",
            ),
        ),
        Rank.NAMED,
        "access",
        takes_over=True,
    ),
    Error(
        words(
            r"running with swap on is not supported(?:[^\n]{0,200}?Priority\s{0,8}(?P<path>/[^\s\]]{1,200}))?"
        ),
        "swap-on",
        ("running with swap on",),
        (Seen("kubelet", "1.8–1.34", "pkg/kubelet/cm/container_manager_linux.go"),),
        (
            Example(
                '"command failed" err="failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"',
                "kubelet-start swap-on",
            ),
            Example(
                "error: failed to run Kubelet: Running with swap on is not supported, please disable swap! or set --fail-swap-on flag to false. "
                "/proc/swaps contained: [Filename\\t\\t\\t\\tType\\t\\tSize\\tUsed\\tPriority /dev/sda3 partition\\t2097148\\t0\\t-1]",
                "kubelet-start swap-on path=/dev/sda3",
            ),
        ),
        Rank.NAMED,
        "kubelet-start",
        takes_over=True,
    ),
    Error(
        words(
            r"(?:kubelet )?cgroup driver: \\{0,3}[\"'](?P<key>[^\"\\\n]{1,40}?)\\{0,3}[\"'] is different from docker cgroup driver: \\{0,3}[\"'](?P<volume>[^\"\\\n]{1,40}?)\\{0,3}[\"']"
        ),
        "cgroup-driver-differs",
        ("is different from docker cgroup driver",),
        (Seen("kubelet", "1.6–1.23", "cmd/kubelet/app/server.go, pkg/kubelet/dockershim/docker_service.go"),),
        (
            Example(
                'failed to run Kubelet: misconfiguration: kubelet cgroup driver: "systemd" is different from docker cgroup driver: "cgroupfs"',
                "kubelet-start cgroup-driver-differs key=systemd volume=cgroupfs",
            ),
            Example(
                'error: failed to run Kubelet: failed to create kubelet: misconfiguration: kubelet cgroup driver: \\"cgroupfs\\" is different from docker cgroup driver: \\"systemd\\"',
                "kubelet-start cgroup-driver-differs key=cgroupfs volume=systemd",
            ),
        ),
        Rank.NAMED,
        "kubelet-start",
        takes_over=True,
    ),
    Error(
        words(
            r"expected cgroupsPath to be of format \\{0,3}\"slice:prefix:name\\{0,3}\" for systemd cgroups, got \\{0,3}\"(?P<path>/[^\"\\\s]{1,400})"
        ),
        "cgroup-driver-differs",
        ("slice:prefix:name",),
        (Seen("runc", "0.1–1.3", "libcontainer/specconv/spec_linux.go"),),
        (
            Example(
                "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd task: failed to create shim task: OCI runtime create failed: "
                'runc create failed: expected cgroupsPath to be of format "slice:prefix:name" for systemd cgroups, got "/kubepods/besteffort/pod1/2" instead: unknown',
                "sandbox-create cgroup-driver-differs path=/kubepods/besteffort/pod1/2",
            ),
            Example(
                'expected cgroupsPath to be of format \\"slice:prefix:name\\" for systemd cgroups, got \\"/kubepods/burstable/poda/b\\" instead',
                "sandbox-create cgroup-driver-differs path=/kubepods/burstable/poda/b",
            ),
        ),
        Rank.NAMED,
        "sandbox-create",
    ),
    Error(
        words(
            r"could not insert(?: module)? '?(?P<key>[\w./-]{1,200}?)'?: (?:Key was rejected by service|Required key not available|Invalid module format|"
            r"Exec format error|Unknown symbol in module[^\n]{0,80}|Bad message|Invalid argument)"
            r"|(?P<key_2>[\w-]{1,60}): version magic '[^'\n]{1,120}' should be '[^'\n]{1,120}'"
        ),
        "module-refused",
        ("could not insert", "version magic"),
        (
            Seen("kmod", "9–34", "tools/modprobe.c, tools/insmod.c"),
            Seen("Linux", "2.6–6", "kernel/module/version.c"),
        ),
        (
            Example(
                "[ 12.7] rbd: version magic '6.1.9-1 SMP mod_unload ' should be '6.1.4-1 SMP mod_unload '",
                "module-load module-refused key=rbd",
            ),
            Example(
                "modprobe: ERROR: could not insert 'overlay': Key was rejected by service",
                "module-load module-refused key=overlay",
            ),
            Example(
                "insmod: ERROR: could not insert module ./ip_vs.ko: Invalid module format",
                "module-load module-refused key=./ip_vs.ko",
            ),
        ),
        Rank.NAMED,
        "module-load",
        takes_over=True,
    ),
    Error(
        words(
            r"modprobe: FATAL: Module (?P<key>[\w.-]{1,100}) not found(?: in directory (?P<path>/[^\s\"\\]{1,300}))?"
        ),
        "module-missing",
        ("fatal: module",),
        (Seen("kmod", "9–34", "tools/modprobe.c"),),
        (
            Example(
                "modprobe: FATAL: Module nf_conntrack not found in directory /lib/modules/6.1.0-9-amd64",
                "module-load module-missing key=nf_conntrack path=/lib/modules/6.1.0-9-amd64",
            ),
            Example("modprobe: FATAL: Module ip_vs_sh not found.", "module-load module-missing key=ip_vs_sh"),
        ),
        Rank.NAMED,
        "module-load",
        takes_over=True,
    ),
    Error(
        words(
            r"x509: certificate has expired or is not yet valid: current time (?P<key>\S{10,40}) is before \S{10,40}"
        ),
        "not-yet-valid",
        ("is not yet valid",),
        (Seen("Go crypto/x509", "1.15–1.26", "crypto/x509/verify.go"),),
        (
            Example(
                "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2024-01-02T03:04:05Z is before 2024-01-02T04:00:00Z",
                "certificate-check not-yet-valid key=2024-01-02T03:04:05Z",
            ),
            Example(
                "x509: certificate has expired or is not yet valid: current time 2020-05-01T00:00:00+02:00 is before 2020-06-01T00:00:00Z",
                "certificate-check not-yet-valid key=2020-05-01T00:00:00+02:00",
            ),
        ),
        Rank.NAMED,
        "certificate-check",
        within=("certificate-check",),
    ),
    Error(
        words(r"currently active client certificate has expired"),
        "certificate-expired",
        ("active client certificate has expired",),
        (Seen("kubelet", "1.8–1.34", "pkg/kubelet/certificate/transport.go (updateTransport)"),),
        (
            Example(
                "The currently active client certificate has expired, but the server is not responsive. A restart may be necessary to retrieve new "
                "initial credentials.",
                "certificate-check certificate-expired",
            ),
            Example(
                "The currently active client certificate has expired and the server is responsive, exiting.",
                "certificate-check certificate-expired",
            ),
        ),
        Rank.NAMED,
        "certificate-check",
        within=("certificate-check",),
    ),
    Error(
        words(r"x509: certificate has expired or is not yet valid(?!: current time)"),
        "outside-its-time",
        ("is not yet valid",),
        (Seen("Go crypto/x509", "1.0–1.14", "crypto/x509/verify.go"),),
        (
            Example(
                "remote error: tls: x509: certificate has expired or is not yet valid",
                "certificate-check outside-its-time",
            ),
            Example(
                'failed to verify client\'s certificate: x509: certificate has expired or is not yet valid", ServerName ""',
                "certificate-check outside-its-time",
            ),
        ),
        Rank.NAMED,
        "certificate-check",
        within=("certificate-check",),
    ),
    Error(
        words(
            r"(?:failed to acquire lease: )?node \\{0,3}\"(?P<name>[a-z0-9.-]{1,253})\\{0,3}\" pod cidr not assigned|Kubenet does not have netConfig\. This is most likely due to lack of PodCIDR|"
            r"CIDR allocation failed; there are no remaining CIDRs left to allocate in the (?:accepted|given) range|status is now: CIDRNotAvailable"
        ),
        "pod-cidr-missing",
        ("pod cidr not assigned", "lack of podcidr", "no remaining cidrs", "cidrnotavailable"),
        (
            Seen("flannel", "0.5–0.27", "pkg/subnet/kube/kube.go"),
            Seen("kubelet (kubenet)", "1.2–1.23", "pkg/kubelet/dockershim/network/kubenet/kubenet_linux.go"),
            Seen(
                "kube-controller-manager",
                "1.4–1.34",
                "pkg/controller/nodeipam/ipam/cidrset/cidr_set.go, pkg/controller/nodeipam/ipam/range_allocator.go",
            ),
        ),
        (
            Example(
                'Error registering network: failed to acquire lease: node "n-1" pod cidr not assigned',
                "pod-address-range pod-cidr-missing object=Node/n-1",
            ),
            Example(
                "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range",
                "pod-address-range pod-cidr-missing",
            ),
            Example("Node n-1 status is now: CIDRNotAvailable", "pod-address-range pod-cidr-missing"),
        ),
        Rank.NAMED,
        "pod-address-range",
        takes_over=True,
        kind="Node",
    ),
    Error(
        words(
            r"invalid capacity 0 on image filesystem|failed to get (?:imageFs|rootFs) info: (?:non-existent label|unable to find data in memory cache)"
        ),
        "capacity-unread",
        ("invalid capacity 0", "non-existent label", "in memory cache"),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/images/image_gc_manager.go"),),
        (
            Example("invalid capacity 0 on image filesystem", "disk-measure capacity-unread"),
            Example(
                'failed to get imageFs info: non-existent label "docker-images"',
                "disk-measure capacity-unread",
            ),
        ),
        Rank.NAMED,
        "disk-measure",
        takes_over=True,
    ),
)
