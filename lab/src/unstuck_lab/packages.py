"""The Debian packages the lab stands on."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from unstuck_lab import shell
from unstuck_lab.errors import LabError

# A file that shows that the package is there, by package: asking dpkg would
# refuse machines on which the same program came another way.
WITNESS = {
    "containerd": "/usr/bin/containerd",
    "runc": "/usr/sbin/runc",
    "etcd-server": "/usr/bin/etcd",
    "etcd-client": "/usr/bin/etcdctl",
    "containernetworking-plugins": "/usr/lib/cni/ptp",
    "iproute2": "/usr/sbin/ip",
    "iptables": "/usr/sbin/iptables",
    "conntrack": "/usr/sbin/conntrack",
    "socat": "/usr/bin/socat",
    "busybox-static": "/bin/busybox",
    "e2fsprogs": "/usr/bin/chattr",
    "fuse3": "/usr/bin/fusermount3",
    "openssh-client": "/usr/bin/ssh",
    "openssh-server": "/usr/sbin/sshd",
    "openssl": "/usr/bin/openssl",
    "procps": "/usr/bin/ps",
    "util-linux": "/usr/bin/nsenter",
}


def missing() -> list[str]:
    """Names of the packages that are not installed."""
    absent = []
    for package, witness in WITNESS.items():
        if not Path(witness).exists() and shutil.which(Path(witness).name) is None:
            absent.append(package)
    return absent


def install(names: list[str], say: Callable[[str], None]) -> None:
    """Install packages with apt-get, without what they merely recommend.

    Raises `LabError` where there is no apt-get or no root.
    """
    if not names:
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise LabError("missing: " + ", ".join(names), "packages", "install them, or run as root on Debian")
    say("installing " + " ".join(names))
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    wait = "DPkg::Lock::Timeout=180"  # someone else may be installing
    command = ["apt-get", "install", "-y", "-qq", "-o", wait, "--no-install-recommends", *names]
    if shell.attempt(command, timeout=600, env=env).returncode != 0:
        # Most often the lists are old or absent.
        shell.run(["apt-get", "update", "-qq"], timeout=300, env=env)
        shell.run(command, timeout=600, env=env)


def ensure(say: Callable[[str], None]) -> None:
    """Install what is missing of what the lab always needs."""
    install(missing(), say)
