"""The lab's Debian packages."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from unstuck_lab import shell
from unstuck_lab.errors import CommandFailedError, LabError
from unstuck_lab.permission import require_setup_allowed

# Package to a file that proves its installation: asking dpkg would reject hosts with the same program from
# another source. Needed by every lab.
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
# Needed by single faults and tests.
WITNESS_OF_TESTS = {
    "glusterfs-server": "/usr/sbin/glusterfsd",
    "mmdebstrap": "/usr/bin/mmdebstrap",
    "skopeo": "/usr/bin/skopeo",
    "strace": "/usr/bin/strace",
    "systemd-journal-remote": "/lib/systemd/systemd-journal-remote",
    "umoci": "/usr/bin/umoci",
}
_APT = ("apt-get", "-qq", "-o", "DPkg::Lock::Timeout=180", "-o", "Acquire::Retries=3")
_ENVIRONMENT = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}


def list_missing(witnesses: Mapping[str, str] = WITNESS) -> list[str]:
    """List the missing packages."""
    return [
        package
        for package, witness in witnesses.items()
        if not Path(witness).exists() and shutil.which(Path(witness).name) is None
    ]


def install(names: list[str], say: Callable[[str], None]) -> None:
    """Install packages with apt-get, without recommended ones.

    Raises `NotSetUpError` while tests run, `LabError` if there is no apt-get or no root.
    """
    if not names:
        return
    wanted = ", ".join(names)
    require_setup_allowed(wanted)
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise LabError("missing", wanted, "install them, or run as root on Debian")
    say("installing " + " ".join(names))
    _finish_interrupted_installation(say)
    fetch(
        lambda: shell.run_while_working(
            [*_APT, "install", "-y", "--no-install-recommends", *names], env=_ENVIRONMENT
        ),
        say,
    )


def fetch(act: Callable[[], object], say: Callable[[str], None]) -> None:
    """Run a download that needs the package lists; if it fails, refresh the lists, which are usually old or
    absent, and retry.

    Raises `CommandFailedError` if it fails again.
    """
    try:
        act()
    except CommandFailedError:
        shell.retry(lambda: shell.run_while_working([*_APT, "update"], env=_ENVIRONMENT), say)
        shell.retry(act, say)


def find_mirror() -> str:
    """Return this host's Debian mirror, without the final `/debian`.

    Raises `LabError` if apt-get has none.
    """
    listed = shell.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"]).split()
    found = (url.rstrip("/").removesuffix("/debian") for url in listed if url.rstrip("/").endswith("/debian"))
    if (first := next(found, None)) is None:
        raise LabError(
            "names no mirror of Debian", "apt-get indextargets", "set one in /etc/apt/sources.list"
        )
    return first


def _finish_interrupted_installation(say: Callable[[str], None]) -> None:
    """Let dpkg finish an interrupted installation: until then it refuses any other."""
    if (
        any(Path("/var/lib/dpkg/updates").glob("[0-9]*"))
        or shell.attempt(["dpkg", "--audit"], timeout=60).stdout.strip()
    ):
        say("an earlier installation of packages was interrupted: finishing it")
        shell.run_while_working(["dpkg", "--configure", "-a"], env=_ENVIRONMENT)


def ensure(say: Callable[[str], None]) -> None:
    """Install the missing packages of every lab."""
    install(list_missing(), say)
