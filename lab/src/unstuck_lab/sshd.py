"""An ssh server on a node with a typical setup: a host key known to the client, and one login key.

The host cannot reach the lab's network, so the client connects inside the node's network namespace
(ProxyCommand).
"""

import pwd
import shlex
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab import shell
from unstuck_lab.box import Box

SSHD, SSH, PORT = "/usr/sbin/sshd", "/usr/bin/ssh", 22


@dataclass(frozen=True)
class Door:
    """The parameters of a connection. host: the name for ssh. path: a PATH with an `ssh` configured with the
    host, key and login, as by ~/.ssh/config.
    """

    host: str
    path: str
    directory: Path

    @property
    def known_hosts(self) -> Path:
        """The file of host keys trusted by the client."""
        return self.directory / "known_hosts"

    @property
    def config(self) -> Path:
        """The client's configuration."""
        return self.directory / "config"


@contextmanager
def serving(box: Box, address: str, search_path: str) -> Iterator[Door]:
    """Run sshd on the node until the block is left; its keys and configuration are then removed."""
    directory = Path(tempfile.mkdtemp(prefix="sshd-", dir=box.paths.locate_box(box.name)))
    try:
        argv = _prepare_server(box, address, directory)
        started = box.spawn(argv, box.paths.locate_logs(box.name) / "sshd.log")
        try:
            listening = ["sh", "-c", f"grep -q ':{PORT:04X} 00000000:0000 0A' /proc/net/tcp"]
            shell.wait_for(lambda: box.run(listening, timeout=5).returncode == 0, 10, f"sshd on {box.name}")
            yield _prepare_client(box, address, directory, search_path)
        finally:
            started.signal(signal.SIGTERM)
            shell.wait_for(lambda: not started.alive, 5, f"end of sshd on {box.name}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _prepare_server(box: Box, address: str, directory: Path) -> list[str]:
    for key in ("host", "login"):
        shell.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"lab {key}", "-f", str(directory / key)],
            timeout=30,
        )
    (directory / "login.pub").rename(directory / "authorized_keys")
    (directory / "sshd_config").write_text(
        f"ListenAddress {address}:{PORT}\nHostKey {directory}/host\nAuthorizedKeysFile "
        f"{directory}/authorized_keys\n"
        "PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        "StrictModes no\nUsePAM no\nPidFile none\n"
    )
    # A node created before the package's installation does not see its user, because the node's /etc is an
    # overlay over the host's.
    user = f"sshd:x:{pwd.getpwnam('sshd').pw_uid}:65534::/run/sshd:/usr/sbin/nologin"
    box.check(["sh", "-ec", f"mkdir -p /run/sshd; grep -q ^sshd: /etc/passwd || echo {user} >> /etc/passwd"])
    return [SSHD, "-D", "-e", "-f", str(directory / "sshd_config")]


def _prepare_client(box: Box, address: str, directory: Path, search_path: str) -> Door:
    key = (directory / "host.pub").read_text().split()
    (directory / "known_hosts").write_text(f"{box.name} {key[0]} {key[1]}\n")
    proxy = f"nsenter -t {box.pid} -n socat STDIO TCP:{address}:{PORT}"
    (directory / "config").write_text(
        f"Host {box.name}\n  User root\n  IdentityFile {directory}/login\n  IdentitiesOnly yes\n  "
        f"ProxyCommand {proxy}\n"
        f"  UserKnownHostsFile {directory}/known_hosts\n  StrictHostKeyChecking yes\n"
    )
    programs = directory / "bin"
    programs.mkdir()
    wrapper = programs / "ssh"
    wrapper.write_text(f'#!/bin/sh\nexec {SSH} -F {shlex.quote(str(directory / "config"))} "$@"\n')
    wrapper.chmod(0o755)
    return Door(box.name, f"{programs}:{search_path}", directory)
