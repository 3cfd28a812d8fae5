"""Processes, from /proc (proc(5))."""

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HostProcess:
    """A process, identified by its host pid and start time, so that a reused pid is not mistaken for it."""

    pid: int
    start: int

    @property
    def alive(self) -> bool:
        """Tell whether the process is running, and no zombie."""
        return read_start_time(self.pid) == self.start

    @property
    def gone(self) -> bool:
        """Tell whether the process has been reaped: a zombie's other threads may still hold its files and
        ports.
        """
        fields = _read_stat(self.pid)
        return fields is None or int(fields[19]) != self.start

    def signal(self, number: signal.Signals) -> bool:
        """Send a signal; return False if the process has ended."""
        if not self.alive:
            return False
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True


def _read_stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat from the state (field 3) on; None if the process does not exist."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The command's name, in parentheses, may itself contain spaces and parentheses.
    return text[text.rindex(")") + 2 :].split()


def read_start_time(pid: int) -> int | None:
    """Return a process's start time in ticks since boot (field 22 of /proc/PID/stat); None if it does not
    exist or is a zombie.
    """
    fields = _read_stat(pid)
    return None if fields is None or fields[0] in "ZX" else int(fields[19])


def count_session_ticks(session: int) -> int:
    """Return the processor time, in ticks, of a session's processes and their finished children."""
    of_all = (fields for pid in list_pids() if (fields := _read_stat(pid)) is not None)
    return sum(sum(map(int, fields[11:15])) for fields in of_all if int(fields[3]) == session)


def find_process(pid: int) -> HostProcess | None:
    """Return the current process with this pid."""
    start = read_start_time(pid)
    return None if start is None else HostProcess(pid, start)


def list_pids() -> Iterator[int]:
    """Yield the pids of the host's processes."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            yield int(entry.name)


def read_cmdline(pid: int) -> list[str]:
    """Return the arguments of a process; empty if it has ended or is a kernel thread."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return []
    return raw.decode(errors="replace").rstrip("\0").split("\0") if raw else []


def read_pid_namespace(pid: int) -> str | None:
    """Return the identity of a process's PID namespace, such as `pid:[4026532201]`."""
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return None


def read_inner_pid(pid: int) -> int | None:
    """Return a process's pid inside its own PID namespace: the last of `NSpid` in /proc/PID/status."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("NSpid:"):
            return int(line.split()[-1])
    return None


def list_pids_in_namespace(namespace: str) -> list[int]:
    """List the host pids of the processes in this PID namespace."""
    return [pid for pid in list_pids() if read_pid_namespace(pid) == namespace]


def find_by_arguments(namespace: str, argv: Sequence[str]) -> HostProcess | None:
    """Return the process in a PID namespace with exactly these arguments."""
    for pid in list_pids_in_namespace(namespace):
        if read_cmdline(pid) == list(argv):
            return find_process(pid)
    return None
