"""A box: one mount, PID, network, UTS and cgroup namespace with a PID 1 of its own.

A node is a box, and so is the control plane. All processes of the lab live in
one, hence ending PID 1 ends them all, with their mounts, links and addresses:
the host's mount table, network and firewall are never touched.

A box is found again by its PID 1 (`labinit unstuck-lab STATE NAME`, pid 1 of a
PID namespace), not by a record, so a killed lab never leaves a box that
cannot be found.
"""

import hashlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab import cgroups, proc, shell
from unstuck_lab.errors import CommandFailedError, LabError
from unstuck_lab.paths import INNER_KUBECONFIG, Paths
from unstuck_lab.patience import stretch
from unstuck_lab.proc import HostProcess

MARK = "unstuck-lab"
GRACE = 1.0  # seconds
# The last known PID 1 of a box: looking at each process of the machine takes as long as a question to the API
# server.
_SEEN: dict[tuple[str, Path], HostProcess] = {}
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Box:
    """A box by name. It need not exist: see `init`."""

    name: str
    paths: Paths

    @property
    def init(self) -> HostProcess | None:
        """Its PID 1 as the host sees it, or None when there is no such box."""
        tail = [MARK, str(self.paths.state), self.name]
        seen = _SEEN.get((self.name, self.paths.state))
        if seen is not None and seen.alive and proc.read_cmdline(seen.pid)[1:] == tail:
            return seen
        for pid in proc.list_pids():
            if (
                proc.read_cmdline(pid)[1:] == tail
                and proc.read_inner_pid(pid) == 1 != pid
                and (found := proc.find_process(pid))
            ):
                _SEEN[self.name, self.paths.state] = found
                return found
        return None

    @property
    def pid(self) -> int:
        """Host pid of its PID 1. Raises `LabError` when it does not run."""
        init = self.init
        if init is None:
            raise LabError("is not running", self.name, "`unstuck-lab up` starts it")
        return init.pid

    @property
    def group(self) -> str:
        """The name of its control groups; two labs on one machine do not share them."""
        digest = hashlib.sha256(str(self.paths.state).encode()).hexdigest()
        return f"{self.name}-{digest[:6]}"

    def create(self, labinit: Path) -> None:
        """Make the namespaces, with PID 1 running in them and nothing else set up."""
        cgroups.create(self.group)
        directory = self.paths.locate_box(self.name)
        directory.mkdir(parents=True, exist_ok=True)
        namespaces = ["--mount", "--pid", "--net", "--uts", "--cgroup", "--fork"]
        tail = [str(labinit), MARK, str(self.paths.state), self.name]
        command = ["unshare", *namespaces, "--propagation", "private", *tail]
        with (directory / "init.log").open("ab") as log:
            subprocess.Popen(
                self._join_groups(command, root=True),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=make_environment(),
                cwd="/",
            )
        shell.wait_for(lambda: self.init, 10, f"first process of {self.name}")
        cgroups.settle_daemons(self.group)

    def mark_ready(self) -> None:
        """Record that this very box is set up; another one of its name is not."""
        file = self.paths.locate_box(self.name) / "ready"
        file.write_text(repr(self.init))

    @property
    def ready(self) -> bool:
        """Tell whether it runs and was set up to the end."""
        file = self.paths.locate_box(self.name) / "ready"
        return self.init is not None and file.exists() and file.read_text() == repr(self.init)

    def enter(self, argv: Sequence[str], *, network: bool = True, directory: Path = Path("/")) -> list[str]:
        """Return the host's command that runs `argv` inside the box, in its groups too.

        directory: its working directory, as the box sees it. Raises `LabError` when the box does not run.
        """
        flags = ["-m", "-u", "-p", "-C", f"--wdns={directory}", *(["-n"] if network else [])]
        return self._join_groups(["nsenter", "-t", str(self.pid), *flags, "--", *argv])

    def _join_groups(self, argv: Sequence[str], *, root: bool = False) -> list[str]:
        files = cgroups.list_process_files(self.group, root=root)
        join = "".join(f"echo $$ > {shlex.quote(str(file))}; " for file in files)
        return ["/bin/sh", "-c", join + 'exec "$@"', "sh", *argv]

    def run(
        self, argv: Sequence[str], timeout: float = 30, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command inside; status 124 (or 137) when it had to be ended. timeout: seconds on the
        reference machine.

        Raises `CommandFailedError` when it could not even be ended (a process in D state).
        """
        command = self.enter(["timeout", "-k", "2", str(stretch(timeout)), *argv])
        return shell.attempt(command, timeout=timeout + 5, stdin=stdin, env=make_environment())

    def check(self, argv: Sequence[str], timeout: float = 30, stdin: str | None = None) -> str:
        """Run as `run` does, but raise `CommandFailedError` on a failure; return the standard output."""
        result = self.run(argv, timeout, stdin)
        if result.returncode != 0:
            raise CommandFailedError(list(argv), result.returncode, result.stderr or result.stdout)
        return result.stdout

    def spawn(self, argv: Sequence[str], log: Path, *, network: bool = True) -> HostProcess:
        """Start a long-lived process inside, its output appended to `log` (a host path).

        Its parent is the box's PID 1. Raises `LabError` when it ended at once.
        """
        log.parent.mkdir(parents=True, exist_ok=True)
        # In the background of a shell that ends: the daemon's parent is then PID 1.
        inner = 'log=$1; shift; setsid "$@" </dev/null >>"$log" 2>&1 & echo $!'
        command = self.enter(["/bin/sh", "-c", inner, "sh", str(log), *argv], network=network)
        answer = shell.attempt(command, timeout=15, env=make_environment())
        if answer.returncode != 0 or not answer.stdout.strip().isdigit():
            raise CommandFailedError(list(argv), answer.returncode, answer.stderr)
        started = self._find_by_inner_pid(int(answer.stdout))
        if started is None:
            raise LabError(f"ended at once: {_read_tail(log)}", f"{argv[0]} on {self.name}", f"see {log}")

        def has_begun() -> bool:
            # The shell prints the number before its child has become the program.
            line = proc.read_cmdline(started.pid)
            return line[2:3] != [inner] and line != ["setsid", *argv]

        shell.wait_for(has_begun, 5, f"start of {argv[0]}")
        return started

    def _find_by_inner_pid(self, inner: int) -> HostProcess | None:
        for pid in self.list_members():
            if proc.read_inner_pid(pid) == inner:
                return proc.find_process(pid)
        return None

    def list_members(self) -> list[int]:
        """Return host pids of every process in its PID namespace."""
        namespace = proc.read_pid_namespace(self.pid)
        return proc.list_pids_in_namespace(namespace) if namespace else []

    def find(self, argv: Sequence[str]) -> HostProcess | None:
        """Return the process inside that was started with exactly these arguments."""
        init = self.init
        namespace = proc.read_pid_namespace(init.pid) if init else None
        return proc.find_by_arguments(namespace, argv) if namespace else None

    def end(self) -> None:
        """End PID 1, and with it everything inside. Idempotent.

        Raises `LabError` when processes outlive it (held in D state by something
        outside the box).
        """
        cgroups.thaw(self.group)
        init = self.init
        if init is not None:
            init.signal(signal.SIGKILL)
        began = time.monotonic()

        def has_ended() -> bool:
            left = [found for pid in cgroups.list_members(self.group) if (found := proc.find_process(pid))]
            # Those outside the namespace end by themselves (`unshare` waits for its
            # child); what a killed `up` was just starting does not.
            if time.monotonic() - began > GRACE:
                for process in left:
                    process.signal(signal.SIGKILL)
            return not left and self.init is None

        shell.wait_for(has_ended, 30, f"end of all processes of {self.name}", interval=0.03)

    def remove(self) -> None:
        """End it and remove its groups and files. Idempotent."""
        self.end()
        cgroups.remove(self.group)
        remove_tree(self.paths.locate_box(self.name))


def _read_tail(log: Path) -> str:
    """Return the last lines of a log, for a message: the file is removed with the lab."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return " | ".join(line.strip()[:300] for line in lines[-3:]) or "it printed nothing"


def has_running_box() -> bool:
    """Tell whether some lab's box runs on this machine."""
    return any(proc.read_cmdline(pid)[1:2] == [MARK] for pid in proc.list_pids())


def make_environment() -> dict[str, str]:
    """Return Ours, with a search path and a kubeconfig that hold inside a node."""
    return {**os.environ, "PATH": SEARCH_PATH, "KUBECONFIG": f"/etc/{INNER_KUBECONFIG}"}


def remove_tree(directory: Path) -> None:
    """Remove a directory with whatever attributes its files have (chattr(1))."""
    if directory.exists():
        shell.attempt(["chattr", "-R", "-f", "-i", "-a", str(directory)], timeout=120)
        shell.run(["rm", "-rf", "--one-file-system", str(directory)], timeout=120)
