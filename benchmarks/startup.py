"""What a start costs, as ratios taken in one run: `unstuck --help` to `python -c pass`, and `why` on one Pod where a cluster is at hand.

    python benchmarks/startup.py [--runs N] [--pod NAMESPACE/NAME]

The median of N runs of each, taken in turn so that a busy moment meets all of them. With --pod and a kubeconfig (KUBECONFIG)
also `why` on that Pod: its time beyond the interpreter's own start, and how many requests it sent. Prints a table, then JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

UNSTUCK = str(Path(sys.executable).with_name("unstuck"))
HELP_LIMIT = 6.0
WHY_LIMIT_MS = 300.0
REQUESTS_LIMIT = 6
# What is asked only to find who could clear a finalizer.
OWNERS = ("/deployments", "/statefulsets", "/daemonsets", "/leases", "/customresourcedefinitions", "/apiservices", "/endpoints")


def once(argv: Sequence[str], cache: str) -> float:
    """Wall time of one run in milliseconds; the exit status does not matter, a crash does. cache: where bytecode is kept, as installed."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": cache}
    begun = time.perf_counter()
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env=env)
    took = (time.perf_counter() - begun) * 1000
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr.decode()[:300]}")
    return took


def medians(commands: dict[str, Sequence[str]], runs: int) -> dict[str, float]:
    """The median of each command's runs, in milliseconds; the first run of each warms the caches and does not count."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="unstuck-bench-") as cache:
        for turn in range(runs + 1):
            for name, argv in commands.items():
                took = once(argv, cache)
                if turn:
                    times[name].append(took)
    return {name: statistics.median(t) for name, t in times.items()}


def requests(namespace: str, name: str) -> tuple[list[str], list[str]]:
    """The requests of one `why`, and apart those that look for owners of finalizers."""
    from unstuck.cli.ask import Sight, ask_one  # noqa: PLC0415
    from unstuck.collect.kube.client import load_client  # noqa: PLC0415
    from unstuck.collect.kube.collector import KubeCollector  # noqa: PLC0415
    from unstuck.facts.core import Ref  # noqa: PLC0415

    client = load_client(namespace=namespace)
    ask_one(KubeCollector(client), Ref("Pod", namespace, name), Sight(node=False), None)
    owners = [r for r in client.requests if any(o in r for o in OWNERS)]
    return [r for r in client.requests if r not in owners], owners


def main() -> None:
    """Prints the table and the JSON; exit status 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--pod", metavar="NAMESPACE/NAME")
    args = parser.parse_args()
    commands: dict[str, Sequence[str]] = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "unstuck --help": (UNSTUCK, "--help"),
        "unstuck explain": (UNSTUCK, "explain"),
    }
    if args.pod:
        namespace, _, name = args.pod.partition("/")
        commands["unstuck why POD"] = (UNSTUCK, "why", f"pod/{name}", "-n", namespace, "--no-node")
    found = medians(commands, args.runs)
    bare = found["python -c pass"]
    width = max(map(len, found))
    print(f"{'median of ' + str(args.runs):{width}}  {'ms':>7}  {'× python':>8}  {'ms beyond':>9}")
    for what, took in found.items():
        print(f"{what:{width}}  {took:7.1f}  {took / bare:8.2f}  {took - bare:9.1f}")
    result = {
        "runs": args.runs,
        "python": ".".join(map(str, sys.version_info[:3])),
        "ms": {name: round(took, 2) for name, took in found.items()},
        "help_ratio": round(found["unstuck --help"] / bare, 2),
        "help_limit": HELP_LIMIT,
    }
    kept = result["help_ratio"] < HELP_LIMIT
    if args.pod:
        sent, owners = requests(namespace, name)
        print(f"requests of why: {len(sent)}, and {len(owners)} looking for owners of finalizers")
        result |= {
            "why_beyond_start_ms": round(found["unstuck why POD"] - bare, 1),
            "why_limit_ms": WHY_LIMIT_MS,
            "why_requests": len(sent),
            "why_requests_limit": REQUESTS_LIMIT,
            "owner_requests": len(owners),
        }
        kept = kept and len(sent) <= REQUESTS_LIMIT and result["why_beyond_start_ms"] < WHY_LIMIT_MS
    print(json.dumps(result))
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
