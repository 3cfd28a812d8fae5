"""`python -m benchmarks.read [MB]`: a kubelet's log of 1 GB, and a paste of 50 lines. Goals: 15 s and 300 MB;
400 ms from the shell.

For the log: processor time in seconds and peak memory, beside `wc -l` on the same file and the cost of
reading every line of a part. For the paste: beside `python -c pass`. Ratios are of one run; no figure is an
assertion. For a must-gather: `mustgather.py`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.startup import UNSTUCK, measure_costs
from tests.text.biglog import UID, log

from unstuck.collect.bundle import read_bundle
from unstuck.collect.text import read_text

_MIB = 1 << 20
_NOW = datetime(2026, 11, 21, 1, tzinfo=UTC)
_BLOCKS = 8
_PASTE = (
    "$ kubectl get pods -n shop\nNAME    READY   STATUS        RESTARTS   AGE\nweb-0   1/1     Terminating  "
    " 0          40m\n"
    "root@node-1:~# tail -n 46 /var/log/kubelet.log\n"
)


def measure_cpu(argv: Sequence[str]) -> float:
    """Return a command's processor time in seconds. Errors: CalledProcessError."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_reading(path: str) -> tuple[float, int]:
    """Return (processor seconds, peak MB) of reading a file, in a separate process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.read", "child", path], capture_output=True, text=True, check=True
    )
    seconds, most = done.stdout.split()
    return float(seconds), int(most)


def _measure_in_child(path: str) -> None:
    began = time.process_time()
    read_bundle(path, _NOW)
    print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 1_000_000)


def main(size: int) -> None:
    """Write the log and the paste, read them, and print the figures."""
    blocks = [log(8 * _MIB, seed=n) for n in range(_BLOCKS)]
    part = blocks[0][: 2 * _MIB]
    began = time.process_time()
    read_text(part, "kubelet.log", _NOW)
    every = (time.process_time() - began) / len(part)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kubelet.log")
        with path.open("w") as file:
            while file.tell() < size:
                file.write(blocks[file.tell() // len(blocks[0]) % _BLOCKS])
        size = path.stat().st_size
        seconds, memory = measure_reading(str(path))
        lines, mb = measure_cpu(("wc", "-l", str(path))), size / 1e6
        print(
            f"a kubelet's log of {mb:.0f} MB: {seconds:.1f} s of processor time, {mb / seconds:.0f} MB/s, "
            f"{memory} MB at most"
        )
        print(f"  against `wc -l` ({lines:.2f} s): {seconds / lines:.0f} times as long")
        print(
            f"  against looking at every line ({every * size:.0f} s): {every * size / seconds:.0f} times as "
            "fast"
        )
        paste = Path(folder, "paste.txt")
        said = [line for line in blocks[0].splitlines() if "UnmountVolume" in line or "Probe" in line]
        paste.write_text(
            _PASTE + "\n".join(said[-46:]).replace(UID, "9e964fdf-0000-4000-8000-000000000001") + "\n"
        )
        took = measure_costs(
            {
                "`python -c pass`": (sys.executable, "-c", "pass"),
                "`unstuck read` of 50 lines": (UNSTUCK, "read", str(paste)),
            },
            10,
        )
    for name, cost in took.items():
        print(f"{name}: {cost.best:.0f} ms, {cost.cpu:.0f} ms of them processor time")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        _measure_in_child(sys.argv[2])
    else:
        main((int(sys.argv[1]) if len(sys.argv) > 1 else 1000) * 1_000_000)
