"""The cost of one client: its own time and memory, and the server's counts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from benchmarks.scale.truth import find_differences
from benchmarks.scale.world import World

from unstuck_lab.objects_only import ObjectsOnly

UNSTUCK = str(Path(sys.executable).with_name("unstuck"))
MEMBERS = (UNSTUCK, "scan", "-A", "--members", "-o", "json", "--kubeconfig")
_COUNTS = {
    "requests": re.compile(r"^apiserver_request_total\{.*\} (\S+)$", re.M),
    "bytes": re.compile(r"^apiserver_response_sizes_sum\{.*\} (\S+)$", re.M),
}


@dataclass(frozen=True)
class Cost:
    """The cost of one client. cpu: seconds of processor time. megabytes: its peak memory. bytes, requests: by
    the server's counts.

    wrong: the faults of its answer. status: its exit status.
    """

    what: str
    seconds: float
    cpu: float
    megabytes: float
    bytes: int
    requests: int
    wrong: tuple[str, ...] = ()
    status: int = 0


def judge_scan(
    cluster: ObjectsOnly, world: World, what: str, argv: Sequence[str], source: Path | None = None
) -> Cost:
    """Run a scan and compare its answer with the generated incidents."""
    out = cluster.paths.state / "scan.json"
    with out.open("wb") as said:
        cost = measure_client(cluster, what, argv, said, source)
    try:
        wrong = tuple(find_differences(world.truth, json.loads(out.read_text())))
    except ValueError:
        wrong = ("no answer",)
    return replace(cost, wrong=wrong)


def measure_client(
    cluster: ObjectsOnly,
    what: str,
    argv: Sequence[str],
    out: IO[bytes] | None = None,
    source: Path | None = None,
) -> Cost:
    """Run a client to its end. source: the `src` of another state of unstuck, which runs with this
    installation's packages.
    """
    before = _read_counts(cluster)
    began = time.monotonic()
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(cluster.paths.state / "compiled")}
    if source:
        compiled["PYTHONPATH"] = str(source)
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=out or subprocess.DEVNULL, env={**os.environ, **compiled}
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    process.returncode = 0
    after = _read_counts(cluster)
    return Cost(
        what,
        seconds=round(seconds, 2),
        cpu=round(used.ru_utime + used.ru_stime, 2),
        megabytes=round(used.ru_maxrss / 1024, 1),
        bytes=after["bytes"] - before["bytes"],
        requests=after["requests"] - before["requests"],
        status=os.waitstatus_to_exitcode(status),
    )


def _read_counts(cluster: ObjectsOnly) -> dict[str, int]:
    """Return the server's counts for all clients, including a few requests per second to itself."""
    argv = [
        "curl",
        "-s",
        "--cacert",
        cluster.server.authority,
        "-H",
        f"Authorization: Bearer {cluster.read_token()}",
        f"{cluster.server.url}/metrics",
    ]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return {
        name: int(sum(float(value) for value in pattern.findall(text))) for name, pattern in _COUNTS.items()
    }
