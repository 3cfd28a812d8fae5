"""A box: one mount, PID, network, UTS and cgroup namespace with a PID 1 of its own.

A node is a box, and so is the control plane. All processes of the lab live in a box, so ending its PID 1 ends
them all, with their mounts, links and addresses: the host's mount table, network and firewall are never
touched.

A box is identified by its PID 1 (`labinit unstuck-lab STATE NAME`, pid 1 of a PID namespace), not by a
record, so a killed lab never leaves a box that cannot be found.
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
# The last known PID 1 of a box: inspecting every process of the host takes as long as an API request.
_SEEN: dict[tuple[str, Path], HostProcess] = {}
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Box:
    """A box by name. It need not exist yet: see `init`."""

    name: str
    paths: Paths

    @property
    def init(self) -> HostProcess | None:
        """Return its PID 1 as the host sees it, or None if the box does not exist."""
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
        """Return the host pid of its PID 1. Raises `LabError` if it does not run."""
        init = self.init
        if init is None:
            raise LabError("is not running", self.name, "`unstuck-lab up` starts it")
        return init.pid

    @property
    def group(self) -> str:
        """Return the name of its cgroups; two labs on one host do not share them."""
        digest = hashlib.sha256(str(self.paths.state).encode()).hexdigest()
        return f"{self.name}-{digest[:6]}"

    def create(self, labinit: Path) -> None:
        """Create the namespaces, with only PID 1 running in them."""
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
        """Record that this instance of the box is set up; the record does not apply to a later instance."""
        file = self.paths.locate_box(self.name) / "ready"
        file.write_text(repr(self.init))

    @property
    def ready(self) -> bool:
        """Tell whether the box runs and was set up completely."""
        file = self.paths.locate_box(self.name) / "ready"
        return self.init is not None and file.exists() and file.read_text() == repr(self.init)

    def enter(self, argv: Sequence[str], *, network: bool = True, directory: Path = Path("/")) -> list[str]:
        """Return the host command that runs `argv` inside the box, in its cgroups too.

        directory: its working directory, as the box sees it. Raises `LabError` if the box does not run.
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
        """Run a command inside; the status is 124 (or 137) if it was ended at the timeout. timeout: seconds
        on the reference host.

        Raises `CommandFailedError` if it cannot be ended (a process in state D).
        """
        command = self.enter(["timeout", "-k", "2", str(stretch(timeout)), *argv])
        return shell.attempt(command, timeout=timeout + 5, stdin=stdin, env=make_environment())

    def check(self, argv: Sequence[str], timeout: float = 30, stdin: str | None = None) -> str:
        """Run a command like `run`, and return its standard output. Raises `CommandFailedError` if it
        fails.
        """
        result = self.run(argv, timeout, stdin)
        if result.returncode != 0:
            raise CommandFailedError(list(argv), result.returncode, result.stderr or result.stdout)
        return result.stdout

    def spawn(self, argv: Sequence[str], log: Path, *, network: bool = True) -> HostProcess:
        """Start a long-lived process inside, its output appended to `log` (a host path).

        Its parent is the box's PID 1. Raises `LabError` if it ended at once.
        """
        log.parent.mkdir(parents=True, exist_ok=True)
        # In the background of a shell that exits, so that the daemon's parent becomes PID 1.
        inner = 'log=$1; shift; setsid "$@" </dev/null >>"$log" 2>&1 & echo $!'
        command = self.enter(["/bin/sh", "-c", inner, "sh", str(log), *argv], network=network)
        answer = shell.attempt(command, timeout=15, env=make_environment())
        if answer.returncode != 0 or not answer.stdout.strip().isdigit():
            raise CommandFailedError(list(argv), answer.returncode, answer.stderr)
        started = self._find_by_inner_pid(int(answer.stdout))
        if started is None:
            raise LabError(f"ended at once: {_read_tail(log)}", f"{argv[0]} on {self.name}", f"see {log}")

        def has_begun() -> bool:
            # The shell prints the pid before its child has executed the program.
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
        """List the host pids of all processes in its PID namespace."""
        namespace = proc.read_pid_namespace(self.pid)
        return proc.list_pids_in_namespace(namespace) if namespace else []

    def find(self, argv: Sequence[str]) -> HostProcess | None:
        """Return the process inside that was started with exactly these arguments."""
        init = self.init
        namespace = proc.read_pid_namespace(init.pid) if init else None
        return proc.find_by_arguments(namespace, argv) if namespace else None

    def end(self) -> None:
        """End PID 1, and with it everything inside. Idempotent.

        Raises `LabError` if processes survive (kept in state D by something outside the box).
        """
        cgroups.thaw(self.group)
        init = self.init
        if init is not None:
            init.signal(signal.SIGKILL)
        began = time.monotonic()

        def has_ended() -> bool:
            left = [found for pid in cgroups.list_members(self.group) if (found := proc.find_process(pid))]
            # Processes outside the namespace end on their own (`unshare` waits for its child), except those
            # just started by a killed `up`.
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
    """Return the last lines of a log for an error message, because the file is removed with the lab."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return " | ".join(line.strip()[:300] for line in lines[-3:]) or "it printed nothing"


def has_running_box() -> bool:
    """Tell whether a box of any lab runs on this host."""
    return any(proc.read_cmdline(pid)[1:2] == [MARK] for pid in proc.list_pids())


def make_environment() -> dict[str, str]:
    """Return our environment, with a search path and a kubeconfig that are valid inside a node."""
    return {**os.environ, "PATH": SEARCH_PATH, "KUBECONFIG": f"/etc/{INNER_KUBECONFIG}"}


def remove_tree(directory: Path) -> None:
    """Remove a directory regardless of its files' attributes (chattr(1))."""
    if directory.exists():
        shell.attempt(["chattr", "-R", "-f", "-i", "-a", str(directory)], timeout=120)
        shell.run(["rm", "-rf", "--one-file-system", str(directory)], timeout=120)
