"""Enters a process' PID namespace with a child and never reaps it. Run on a node:

    python3 _unreaping.py PID SECONDS

It acts like a debugger or agent that runs a command inside a container and then hangs: the child is killed
with the namespace, and nothing collects its exit status.
"""

import ctypes
import os
import signal
import sys

NEW_PID = 0x20000000


def main(pid: str, seconds: str) -> None:
    """Run forever."""
    namespace = os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, NEW_PID) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), pid)
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", seconds])  # noqa: S606
    while True:
        signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
