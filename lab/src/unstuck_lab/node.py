"""A node of the lab, for fixtures and faults."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab import build, images, nodesetup, sshd
from unstuck_lab.box import Box
from unstuck_lab.control import Daemon
from unstuck_lab.paths import Paths, format_node_address


@dataclass(frozen=True)
class Node:
    """One node, `lab-1` to `lab-3`."""

    name: str
    paths: Paths

    @property
    def box(self) -> Box:
        """The box with its namespaces."""
        return Box(self.name, self.paths)

    @property
    def address(self) -> str:
        """Its InternalIP."""
        return format_node_address(self.name)

    @property
    def running(self) -> bool:
        """Whether its PID 1 runs."""
        return self.box.init is not None

    @property
    def pid(self) -> int:
        """Host pid of its PID 1, for `nsenter -t PID -m -u -n -p -C`."""
        return self.box.pid

    @property
    def root(self) -> Path:
        """Its file system as seen from the host: /proc/PID/root."""
        return Path(f"/proc/{self.pid}/root")

    def locate_pod_dir(self, uid: str) -> Path:
        """Return a Pod's directory below the kubelet's root, as seen from the host."""
        return self.root / "var/lib/kubelet/pods" / uid

    @property
    def kubelet_log(self) -> Path:
        """Host path; /var/log/kubelet.log inside."""
        return self.paths.locate_logs(self.name) / nodesetup.KUBELET_LOG

    @property
    def containerd_log(self) -> Path:
        """Host path; /var/log/containerd.log inside."""
        return self.paths.locate_logs(self.name) / nodesetup.CONTAINERD_LOG

    def run(
        self, argv: Sequence[str], timeout: float = 30, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the node; the status is 124 or 137 if it was ended at the timeout.

        Raises `CommandFailedError` if it cannot be ended (state D).
        """
        return self.box.run(argv, timeout, stdin)

    def check(self, argv: Sequence[str], timeout: float = 30, stdin: str | None = None) -> str:
        """Run a command like `run`, and return its standard output. Raises `CommandFailedError` if it
        fails.
        """
        return self.box.check(argv, timeout, stdin)

    def spawn(self, argv: Sequence[str], log: str = "helper") -> int:
        """Start a long-lived helper on the node (a FUSE daemon, the holder of a file).

        Returns its host pid. It runs in the node's PID namespace, so it never outlives the node; `heal` ends
        it with `kill`. Output: /var/log/LOG.log.
        """
        return self.box.spawn(argv, self.paths.locate_logs(self.name) / f"{log}.log").pid

    def kill(self, argv: Sequence[str]) -> bool:
        """Kill the helper started with these arguments, suspended or not."""
        found = self.box.find(argv)
        return found is not None and found.signal(signal.SIGKILL)

    def find(self, argv: Sequence[str]) -> int | None:
        """Return the host pid of the process on the node with exactly these arguments."""
        found = self.box.find(argv)
        return None if found is None else found.pid

    def serve_ssh(self) -> AbstractContextManager[sshd.Door]:
        """Serve ssh on the node until the block is left, with a key known to its client; `Door` has the
        connection's parameters.
        """
        return sshd.serving(self.box, self.address, os.environ.get("PATH", os.defpath))

    @property
    def _kubelet(self) -> Daemon:
        return nodesetup.make_kubelet(self.name, build.locate_programs(self.paths))

    @property
    def kubelet_pid(self) -> int | None:
        """Host pid, or None when it does not run."""
        return self.find(self._kubelet.argv)

    @property
    def containerd_pid(self) -> int | None:
        """Host pid, or None when it does not run."""
        return self.find(nodesetup.make_containerd().argv)

    def stop_kubelet(self) -> None:
        """End the kubelet like `systemctl stop`. It is not restarted automatically."""
        self._stop(self._kubelet)

    def start_kubelet(self) -> None:
        """Start the kubelet unless it runs."""
        self._kubelet.ensure(self.box)

    def stop_containerd(self) -> None:
        """End containerd; containers keep running under their shims."""
        self._stop(nodesetup.make_containerd())

    def start_containerd(self) -> None:
        """Start containerd unless it runs, and wait until it answers."""
        nodesetup.start_runtime(self.box, [])

    def _stop(self, daemon: Daemon) -> None:
        process = self.box.find(daemon.argv)
        if process is not None:
            nodesetup.end(process)

    def end(self) -> None:
        """End PID 1 and so the whole node, as if its power were cut. Files stay."""
        self.box.end()

    def restore(self) -> None:
        """Start all parts of the node that do not run, as after a reboot."""
        self.ensure()

    def ensure(self) -> bool:
        """Start the missing parts without waiting for Ready; return True if there were any."""
        programs = build.locate_programs(self.paths)
        box, started = self.box, False
        if not box.ready:
            nodesetup.make(box, programs)
            started = True
        nodesetup.connect(box)
        archives = [images.locate_archive(self.paths, name) for name in (images.PAUSE, images.BUSYBOX)]
        started = nodesetup.start_runtime(box, archives) or started
        started = self._kubelet.ensure(box) or started
        return nodesetup.make_kube_proxy(programs).ensure(box) or started
