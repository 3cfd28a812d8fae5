"""Builds recorded trees: directories that look like a node's root, with contents from real ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unstuck.collect.node.root import Root

UID = "1a2f2fd6-e4a7-4733-a9b2-c2b8175011d7"
OTHER = "5f0c51d4-7e22-477d-82c5-73dbf451567e"
CONTAINER = "69d9093ac26f304c2cf7d353fe7ce6bd3eb55b3e090a14a94c413bc65271bbfb"
SANDBOX = "fcee1acc66eeae682f8743986e999c4b1ccc0d71c5a3f8f44ac1c8f8131f2a84"
HOST_NS, POD_NS, NTP_NS = "mnt:[4026531840]", "mnt:[4026532251]", "mnt:[4026532300]"

_VOLUME = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~projected/kube-api-access-69bbm"
HOST_MOUNTS = f"""\
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
22 27 0:21 / /proc rw,relatime - proc proc rw
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
122 68 0:52 / {_VOLUME} rw,relatime shared:53 - tmpfs tmpfs rw,size=24581692k
"""


@dataclass(frozen=True)
class Tree:
    """A node's root at `root`."""

    root: Path

    def write(self, path: str, text: str | bytes) -> None:
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def link(self, path: str, target: str) -> None:
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def directory(self, path: str) -> None:
        (self.root / path.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def process(
        self,
        pid: int,
        comm: str,
        *,
        state: str = "S",
        parent: int = 1,
        cgroup: str = "0::/\n",
        mounts: str = HOST_MOUNTS,
        namespace: str = HOST_NS,
        wchan: str = "0",
        argv: str = "",
        links: Mapping[str, str] | None = None,
        killed: bool = False,
    ) -> None:
        base = f"/proc/{pid}"
        numbers = (
            f"{parent} {pid} {pid} 0 -1 4194560 100 0 0 0 3 2 0 0 20 0 1 0 156020 2629632 198 "
            "18446744073709551615"
        )
        stat = f"{pid} ({comm}) {state} {numbers} 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n"
        pending = "0000000000000100" if killed else "0000000000000000"
        status = f"Name:\t{comm}\nState:\t{state}\nSigPnd:\t{pending}\nShdPnd:\t{pending}\nvoluntary_ctxt_switches:\t2\n"
        for at in (base, f"{base}/task/{pid}"):
            self.write(f"{at}/stat", stat)
            self.write(f"{at}/status", status)
            self.write(f"{at}/wchan", wchan)
        self.write(f"{base}/cgroup", cgroup)
        self.write(f"{base}/mountinfo", mounts)
        self.write(f"{base}/cmdline", argv.replace(" ", "\0"))
        self.write(f"{base}/maps", "")
        self.link(f"{base}/ns/mnt", namespace)
        self.directory(f"{base}/fd")
        for path, target in {"cwd": "/", "root": "/", **(links or {})}.items():
            self.link(f"{base}/{path}", target)

    def node(self, driver_cgroup: str) -> None:
        """Build a node with a kubelet, a runtime, and one Pod with a pause and a main process."""
        self.write("/proc/stat", "cpu 0 0 0\nbtime 1795226400\n")
        self.write("/proc/sys/kernel/hostname", "Node-1\n")
        self.write("/proc/sys/kernel/osrelease", "5.15.0-91-generic\n")
        self.write("/etc/os-release", 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 22.04.3 LTS"\n')
        self.process(1, "systemd", cgroup="0::/init.scope\n")
        kubelet = "/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --v=3 --hostname-override node-1"
        self.process(700, "kubelet", cgroup="0::/system.slice/kubelet.service\n", argv=kubelet)
        self.process(
            600, "containerd", cgroup="0::/system.slice/containerd.service\n", argv="/usr/bin/containerd"
        )
        self.write(
            "/var/lib/kubelet/config.yaml",
            "kind: KubeletConfiguration\ncgroupDriver: systemd\nhealthzPort: 10248 # default\n",
        )
        self.directory(f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~projected/kube-api-access-69bbm")
        self.directory(f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d")
        self.directory(f"/var/log/pods/shop_web-7c64f997dc-qzsbx_{UID}")
        self.process(900, "pause", parent=890, cgroup=driver_cgroup.format(id=SANDBOX), namespace=POD_NS)
        self.process(910, "web", parent=890, cgroup=driver_cgroup.format(id=CONTAINER), namespace=POD_NS)


V1 = (
    "".join(
        f"{n}:{c}:/kubepods/burstable/pod{UID}/{{id}}\n"
        for n, c in ((9, "name=systemd"), (6, "freezer"), (4, "memory"))
    )
    + "0::/\n"
)
V2 = (
    f"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice/"
    "cri-containerd-{id}.scope\n"
)


class LiveTree(Root):
    """A tree read as the machine's own."""

    @property
    def live(self) -> bool:
        return True
