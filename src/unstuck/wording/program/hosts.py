"""Words about a machine that lacks something: a program that another one runs, a daemon, a part of the kernel, an instruction
of the processor, a driver of the right version.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_TOOL = r"[A-Za-z][\w.+-]{0,60}"
# Interfaces as `ip link add … type` names them, and file systems that a runtime mounts.
_LINKS = r"vxlan|geneve|wireguard|ipip|ip6tnl|sit|gre|gretap|dummy|bridge|veth|macvlan|ipvlan|vlan|bond|ifb|tuntap|tun|tap"
_DEVICE = r"/dev/(?:fuse|net/tun|kvm|vhost-net|vhost-vsock|loop-control|nbd0|nvme-fabrics|zfs|vfio/vfio|kfd|mapper/control)"
_ABSENT = r"(?:[Nn]o such (?:file or directory|device(?: or address)?)|[Nn]ot found|[Ii]s a directory|[Dd]oes not exist)"
# Of a container's own first process, whose image is at fault.
_OF_A_CONTAINER = (
    "container process",
    "OCI runtime",
    "runc create",
    "exec failed",
    "containerd task",
    "StartContainer",
    "RunContainerError",
    "retrieve OCI",
    "containerd-shim",
    "failed to exec in container",
    "probe failed",
    "probe errored",
    "executing hook",
)

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "tool-missing",
        words(
            rf"exec: \"(?P<name>{_TOOL})(?P<verb>[\\\\\"' ]{{1,4}})?\": executable file not found in (?:\$PATH|%PATH%)"
            rf"|exec: executable (?P<name_2>{_TOOL}) not found\b|do port forwarding: (?P<name_3>{_TOOL}) not found\b"
            rf"|Sorry, Kubernetes \S{{1,12}} requires (?P<name_4>{_TOOL}) to be installed|Neither (?P<name_5>iscsiadm) nor iscsid found"
            rf"|make sure you have (?P<name_6>iscsiadm)/open-iscsi installed on the host"
            r"|can(?: not|'t|not) connect to (?P<name_7>iSCSI daemon)|could not connect to (?P<name_8>iscsid)\b|(?P<name_9>Initiatorname) required\b"
            rf"|(?P<name_10>rpc\.statd|multipathd|rpcbind|iscsid|lvmetad|dnsmasq|chronyd|firewalld) is not running\b"
        ),
        (
            *("executable file not found", "exec: executable ", "port forwarding: ", " to be installed"),
            *("nor iscsid found", "installed on the host", "iSCSI daemon", "could not connect to iscsid"),
            *("Initiatorname required", " is not running"),
        ),
        (
            Seen("Go", "1.0–1.25", "src/os/exec/lp_unix.go, lp_windows.go"),
            Seen("client-go", "1.22–1.34", "plugin/pkg/client/auth/exec/exec.go"),
            Seen("kubelet", "1.0–1.23", "pkg/kubelet/dockershim/docker_streaming_others.go"),
            Seen("minikube", "1.9–1.37", "pkg/minikube/reason/reason.go"),
            Seen("open-iscsi", "2", "usr/iscsid_req.c, usr/iscsi_err.c, usr/discovery.c"),
            Seen("Longhorn", "0.8–1.10", "longhorn-manager app/daemon.go, go-iscsi-helper/iscsi"),
            Seen("nfs-utils", "1–2", "utils/mount/stropts.c"),
        ),
        (
            Example(
                'conntrack returned error: error looking for path of conntrack: exec: "conntrack": executable file not found in $PATH',
                "tool-missing name=conntrack",
            ),
            Example(
                "Unable to connect to the server: getting credentials: exec: executable tsh not found",
                "tool-missing name=tsh",
            ),
            Example(
                "error forwarding port 80 to pod 4c1, uid : unable to do port forwarding: socat not found",
                "tool-missing name=socat",
            ),
            Example(
                "iscsiadm: can not connect to iSCSI daemon (111)!",
                "tool-missing name=iSCSI daemon",
            ),
        ),
        unless=_OF_A_CONTAINER,
        own=True,
    ),
    LastWord(
        "kernel-part-missing",
        words(
            rf"Unable to detect the (?P<name_9>\w{{2,40}}) module as Loaded|fusermount3?: (?P<name_8>fuse) device not found"
            r"|(?P<verb>flannel exited|Error while creating daemon|RTNETLINK answers|Unable to access interface)(?::|\"? error=\"?) ?"
            r"(?P<reason>(?:[Oo]peration|[Pp]rotocol|[Aa]ddress family) not supported)(?=[\"'.]?(?: subsys=\S+)?\s*$)"
            rf"|[Kk]ernel module (?:for )?(?P<name>[\w-]{{2,40}}) (?:is|was) not (?:available|found|loaded)|(?P<name_2>fuse): device not found, try 'modprobe fuse'"
            rf"|(?P<name_3>{_DEVICE})(?:[:\"'` ]{{1,3}})(?:(?:failed|open|stat)[: ]{{1,2}})?(?:it )?{_ABSENT}"
            rf"|unknown filesystem type '(?P<name_4>[\w.-]{{2,20}})'|[`'\"](?P<name_5>overlay)['\"] (?:is )?not found as a supported filesystem on this host"
            r"|failed to mount (?P<name_6>overlay): no such device"
            rf"|\b(?:[Cc]reat|[Aa]dd|[Ss]et|[Mm]ak)\w{{0,6}} (?:up )?(?:an? |the )?(?P<name_7>{_LINKS})\b[\w \"'-]{{0,40}}\b(?:device|interface|link|tunnel)s?\b[^\n]{{0,80}}?: "
            r"(?:[Oo]peration not supported|[Nn]o such device|[Nn]ot supported)(?! by)"
            r"|Can't find library for match [`'‘](?P<path>[\w-]{1,40})"
        ),
        (
            *(
                "ernel module ",
                "module as Loaded",
                "fuse device not found",
                "try 'modprobe",
                "/dev/",
                "unknown filesystem type",
                "supported filesystem on this host",
            ),
            *(
                "failed to mount overlay",
                "not supported",
                "o such device",
                "library for match",
            ),
        ),
        (
            Seen("Cilium", "1.13–1.18", "pkg/datapath/linux, pkg/mtu"),
            Seen("libfuse", "2–3", "lib/mount.c, util/fusermount.c"),
            Seen("util-linux", "2.20–2.41", "sys-utils/mount.c, libmount/src/context.c"),
            Seen("moby", "1.8–28", "daemon/graphdriver/overlay2/overlay.go"),
            Seen("containerd", "1.1–2.1", "plugins/snapshots/overlay/overlayutils/check.go"),
            Seen("Linux", "2.6–6", "net/core/rtnetlink.c"),
            Seen("iptables", "1.8", "iptables/nft-shared.c, libxtables/xtables.c"),
        ),
        (
            Example(
                "creating device cni_vxlan: operation not supported, maybe kernel module for vxlan is not available?",
                "kernel-part-missing name=vxlan",
            ),
            Example("fuse: device not found, try 'modprobe fuse' first", "kernel-part-missing name=fuse"),
            Example(
                "could not open /dev/kvm: No such file or directory", "kernel-part-missing name=/dev/kvm"
            ),
            Example("mount: /srv: unknown filesystem type 'nfs4'.", "kernel-part-missing name=nfs4"),
            Example(
                "failed to create wireguard device: operation not supported",
                "kernel-part-missing name=wireguard",
            ),
            Example(
                "WARNING: Unable to detect the xt_set module as Loaded/Builtin module or lsmod",
                "kernel-part-missing name=xt_set",
            ),
            Example(
                'level=fatal msg="flannel exited: operation not supported"',
                "kernel-part-missing reason=operation not supported verb=flannel exited",
            ),
            Example("Can't find library for match `geoip'", "kernel-part-missing path=geoip"),
        ),
        own=True,
    ),
    LastWord(
        "instruction-unknown",
        words(
            r"(?:[\w./-]{1,120}: )?(?:line \d{1,6}: )?\b\d{1,8} Illegal instruction\b(?: +\(core dumped\))?(?: +(?P<name>[\w./-]{1,120}))?"
            r"|\btraps: (?P<name_2>[\w./:-]{1,40})\[\d{1,8}\] trap invalid opcode"
            r"|\bProcess \d{1,8} \((?P<name_3>[\w./:-]{1,40})\) of user \d{1,8} (?:terminated abnormally with signal 4/ILL|dumped core)(?=.*\bILL\b)"
            r"|(?:^|: )Illegal instruction(?: +\(core dumped\))?\s*$|\bSIGILL: illegal instruction\b|\bSIGILL \(0x4\)|\bsignal(?: 4)?: (?:SIGILL|illegal instruction)\b"
        ),
        ("llegal instruction", "trap invalid opcode", "SIGILL", "4/ILL", "illegal instruction"),
        (
            Seen("bash", "3–5", "jobs.c, siglist.c"),
            Seen("Linux", "2.6–6", "arch/x86/kernel/traps.c"),
            Seen("systemd", "229–257", "src/coredump/coredump.c"),
            Seen("Go", "1.0–1.25", "src/syscall/syscall_unix.go, src/runtime/sigtab_linux_generic.go"),
            Seen("OpenJDK", "8–25", "src/hotspot/share/utilities/vmError.cpp"),
        ),
        (
            Example(
                "/opt/start.sh: line 40: 17 Illegal instruction     (core dumped) till-db",
                "instruction-unknown name=till-db",
            ),
            Example(
                "[33.1] traps: tilld[91] trap invalid opcode ip:7f3 sp:7ff error:0 in libt.so",
                "instruction-unknown name=tilld",
            ),
            Example("Illegal instruction (core dumped)", "instruction-unknown"),
            Example("SIGILL: illegal instruction", "instruction-unknown"),
        ),
        own=True,
    ),
    LastWord(
        "driver-unfit",
        words(
            r"(?P<verb>[Dd]river/library version mismatch)|unsatisfied condition: (?P<name>cuda *[<>=]{1,2} *[\d.]{1,8}\d)"
            r"|CUDA (?P<verb_2>driver version is insufficient) for CUDA runtime version"
            r"|(?P<verb_3>no kernel image is available) for execution on the device"
            r"|[Tt]he NVIDIA driver on your system is (?P<verb_4>too old) \(found version (?P<name_2>\d{3,6})\)"
        ),
        (
            "ersion mismatch",
            "unsatisfied condition: cuda",
            "is insufficient",
            "kernel image is available",
            "is too old",
        ),
        (
            Seen("NVIDIA driver", "all", "nvmlErrorString, cudaGetErrorString (CUDA Toolkit documentation)"),
            Seen("libnvidia-container", "1", "src/nvc_info.c, src/cli/common.c"),
            Seen("PyTorch", "1–2", "torch/cuda/__init__.py"),
        ),
        (
            Example(
                "Failed to initialize NVML: Driver/library version mismatch",
                "driver-unfit verb=Driver/library version mismatch",
            ),
            Example(
                "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.6, please update your driver to a newer version",
                "driver-unfit name=cuda>=12.6",
            ),
            Example(
                "RuntimeError: CUDA error: no kernel image is available for execution on the device",
                "driver-unfit verb=no kernel image is available",
            ),
        ),
        own=True,
    ),
)
