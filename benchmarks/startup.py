"""The cost of a start, as ratios taken in one run: `import unstuck` and `unstuck --help` to `python -c pass`,
and `why` on one Pod if a cluster is at hand.

    python benchmarks/startup.py [--runs N] [--pod NAMESPACE/NAME]

N runs of each, taken in turn so that a busy moment affects all of them; ratios are of the best, least
disturbed runs. With --pod and a kubeconfig (KUBECONFIG) also `why` on that Pod: its time beyond the
interpreter's own start, and its number of requests. Prints a table, then JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

UNSTUCK = str(Path(sys.executable).with_name("unstuck"))
HELP_LIMIT = 6.0
IMPORT_LIMIT = 1.2
WHY_LIMIT_MS = 300.0
REQUESTS_LIMIT = 6
# Requests made only for finding the owner of a finalizer.
OWNERS = (
    "/deployments",
    "/statefulsets",
    "/daemonsets",
    "/leases",
    "/customresourcedefinitions",
    "/apiservices",
    "/endpoints",
)


@dataclass(frozen=True)
class Cost:
    """The cost of runs of one command, in milliseconds: the median and the best wall time, and the least
    processor time.
    """

    median: float
    best: float
    cpu: float


def run_once(argv: Sequence[str], cache: str) -> tuple[float, float]:
    """Return wall and processor time of one run in milliseconds; any exit status is accepted, a crash is not.
    cache: the place for bytecode, as after an installation.
    """
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPYCACHEPREFIX": cache
    }
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env=env)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr.decode()[:300]}")
    return wall * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def measure_costs(commands: dict[str, Sequence[str]], runs: int) -> dict[str, Cost]:
    """Return the cost of each command; the first run of each warms the caches and does not count."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="unstuck-bench-") as cache:
        for turn in range(runs + 1):
            for name, argv in commands.items():
                took = run_once(argv, cache)
                if turn:
                    times[name].append(took)
    return {
        n: Cost(statistics.median(w for w, _ in t), min(w for w, _ in t), min(c for _, c in t))
        for n, t in times.items()
    }


def count_requests(namespace: str, name: str) -> tuple[list[str], list[str]]:
    """Return the requests of one `why`, and separately those for owners of finalizers."""
    from unstuck.api.cluster import Cluster  # noqa: PLC0415
    from unstuck.collect.kube.collector import KubeCollector  # noqa: PLC0415
    from unstuck.collect.kube.transport.client import load_client  # noqa: PLC0415
    from unstuck.facts.core import Ref  # noqa: PLC0415

    client = load_client(namespace=namespace)
    Cluster(namespace, lambda: KubeCollector(client)).why(Ref("Pod", namespace, name), nodes=None)
    owners = [r for r in client.requests if any(o in r for o in OWNERS)]
    return [r for r in client.requests if r not in owners], owners


def main() -> None:
    """Print the table, the JSON, and whether the limits were kept; a busy machine is no failure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--pod", metavar="NAMESPACE/NAME")
    args = parser.parse_args()
    commands: dict[str, Sequence[str]] = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "import unstuck": (sys.executable, "-c", "import unstuck"),
        "import unstuck.api": (sys.executable, "-c", "from unstuck import api"),
        "unstuck --help": (UNSTUCK, "--help"),
        "unstuck explain": (UNSTUCK, "explain"),
    }
    if args.pod:
        namespace, _, name = args.pod.partition("/")
        commands["unstuck why POD"] = (UNSTUCK, "why", f"pod/{name}", "-n", namespace, "--no-node")
    found = measure_costs(commands, args.runs)
    bare = found["python -c pass"]
    width = max(map(len, found))
    print(
        f"{str(args.runs) + ' runs':{width}}  {'median ms':>9}  {'best ms':>8}  {'cpu ms':>7}  "
        f"{'× python':>8}  {'ms beyond':>9}"
    )
    for what, c in found.items():
        print(
            f"{what:{width}}  {c.median:9.1f}  {c.best:8.1f}  {c.cpu:7.1f}  {c.best / bare.best:8.2f}  "
            f"{c.best - bare.best:9.1f}"
        )
    result: dict[str, object] = {
        "runs": args.runs,
        "python": ".".join(map(str, sys.version_info[:3])),
        "ms": {name: {k: round(v, 1) for k, v in asdict(c).items()} for name, c in found.items()},
        "help_ratio": round(found["unstuck --help"].best / bare.best, 2),
        "help_limit": HELP_LIMIT,
        "import_ratio": round(found["import unstuck"].best / bare.best, 2),
        "import_limit": IMPORT_LIMIT,
    }
    kept = (
        found["unstuck --help"].best < HELP_LIMIT * bare.best
        and found["import unstuck"].best <= IMPORT_LIMIT * bare.best
    )
    if args.pod:
        beyond = found["unstuck why POD"].best - bare.best
        sent, owners = count_requests(namespace, name)
        print(f"requests of why: {len(sent)}, and {len(owners)} looking for owners of finalizers")
        result |= {
            "why_beyond_start_ms": round(beyond, 1),
            "why_limit_ms": WHY_LIMIT_MS,
            "why_requests": len(sent),
            "why_requests_limit": REQUESTS_LIMIT,
            "owner_requests": len(owners),
        }
        kept = kept and len(sent) <= REQUESTS_LIMIT and beyond < WHY_LIMIT_MS
    print(json.dumps(result))
    print("within its limits" if kept else "NOT within its limits on this machine at this moment")


if __name__ == "__main__":
    main()
