"""The cost of scanning a large cluster: the floor, `unstuck scan`, kubectl, one client at a time; and the
correctness of the scan.

`make bench-scale NODES=5000 PODS=150000 JSON=FILE`. The largest takes 20 GB of memory and a quarter of an
hour; with `DATA=DIRECTORY` etcd's data are kept there for the next run. With `AGAINST=DIRECTORY`, a clone of
another state, both scan in pairs and the ratio is printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path

from benchmarks.scale.cost import MEMBERS, UNSTUCK, Cost, judge_scan, measure_client
from benchmarks.scale.dropping import dropping
from benchmarks.scale.pairs import find_dearest, measure_pairs, report
from benchmarks.scale.world import SPACES, World, name_namespace

from unstuck_lab.objects_only import ObjectsOnly

# A recently restarted object counts as settled after 20 minutes: after a long read, dated objects are written
# again.
OLD = timedelta(minutes=5)
SETTLES = 5
# The median of this many runs counts. At least every two minutes, and after each allocated 4 GB, the Go
# runtime of a server of this size collects garbage: 4 s of processor time, during which its clients wait.
RUNS = 9
# The tables of a scan beside those of Pods, with the requested part of the objects.
_TABLES = {
    "/api/v1/nodes": "None",
    "/api/v1/persistentvolumes": "Metadata",
    "/api/v1/persistentvolumeclaims": "Metadata",
    "/api/v1/replicationcontrollers": "Metadata",
    "/apis/apps/v1/deployments": "Metadata",
    "/apis/apps/v1/daemonsets": "Metadata",
    "/apis/batch/v1/jobs": "Metadata",
}
# The mark of a completely filled directory.
WHOLE = "whole"


def main() -> int:
    """Build the cluster, measure, print the table; 1 if the incidents are not the generated ones, or the
    scan exceeds its budget.
    """
    asked = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__)
    asked.add_argument("--nodes", type=int, default=5000)
    asked.add_argument("--pods", type=int, default=150_000)
    asked.add_argument("--json", metavar="FILE")
    asked.add_argument(
        "--data", metavar="DIRECTORY", type=Path, help="where etcd's data stay; made where there are none"
    )
    asked.add_argument(
        "--against",
        metavar="DIRECTORY",
        type=Path,
        help="another state's clone: both in pairs, and nothing else",
    )
    asked.add_argument("--pairs", type=int, default=RUNS, help="how many, with --against")
    asked.add_argument(
        "--most", type=float, default=inf, help="the largest ratio of CPU times, with --against"
    )
    asked.add_argument("--no-kubectl", action="store_true", help="kubectl takes 7 GB at the largest size")
    args = asked.parse_args()
    world = World(args.nodes, args.pods)
    directory = choose_directory(args.data, world) if args.data else None
    with ObjectsOnly(kept=directory) as cluster:
        began = time.monotonic()
        count = fill(cluster, world, directory)
        print(f"{count} objects written to etcd after {time.monotonic() - began:.0f} s", flush=True)
        cluster.serve()
        print(f"the API server is ready after {time.monotonic() - began:.0f} s", flush=True)
        if datetime.now(UTC) - world.now > OLD:
            world = World(args.nodes, args.pods)
            cluster.fill(world.list_dated())
            time.sleep(SETTLES)
        if args.against:
            pairs = measure_pairs(cluster, world, args.against, args.pairs)
            report(pairs)
            return int(
                any(now.wrong for of in pairs.values() for _, now in of) or find_dearest(pairs) > args.most
            )
        rounds = in_turn(cluster, world)
        costs = [
            *map(_choose_middle, zip(*rounds, strict=True)),
            *measure_once(cluster, world, kubectl=not args.no_kubectl),
        ]
    _format_table(costs)
    if args.json:
        of = {"nodes": args.nodes, "pods": args.pods, "costs": [asdict(c) for c in costs]}
        Path(args.json).write_text(json.dumps(of, indent=2) + "\n")
    return int(any(c.wrong for c in costs))


def choose_directory(where: Path, world: World) -> Path:
    """Return the directory of exactly this cluster: its name contains the size and the generator. An
    incomplete one is made again.
    """
    sources = b"".join(
        (Path(__file__).with_name(name)).read_bytes() for name in ("world.py", "maker.py", "incidents.py")
    )
    directory = where / f"{world.nodes}-{world.pods}-{hashlib.sha256(sources).hexdigest()[:12]}"
    if directory.exists() and not (directory / WHOLE).exists():
        shutil.rmtree(directory)
    return directory


def fill(cluster: ObjectsOnly, world: World, directory: Path | None) -> int:
    """Write the missing objects; return their number."""
    if directory and (directory / WHOLE).exists():
        return cluster.fill(world.list_dated())
    count = cluster.fill(world.list_objects())
    if directory:
        (directory / WHOLE).touch()
    return count


def in_turn(cluster: ObjectsOnly, world: World) -> list[tuple[Cost, Cost, Cost]]:
    """Measure the floor, a scan, and a scan with all members as JSON, repeatedly in turn: a machine's speed
    may halve within a minute.

    The first round, which warms the server and compiles bytecode as an installation would, does not count.
    """
    config = str(cluster.write_kubeconfig())
    state = cluster.paths.state
    wanted = [
        f"/api/v1/namespaces/{name_namespace(i)}/pods?resourceVersion=0&includeObject=None"
        for i in range(SPACES)
    ]
    wanted += [f"{path}?resourceVersion=0&includeObject={what}" for path, what in _TABLES.items()]
    urls = "".join(f'url = "{cluster.server.url}{path}"\noutput = "/dev/null"\n' for path in wanted)
    curl = state / "curl.conf"
    accept = 'header = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io"\n'
    curl.write_text(
        f'cacert = "{cluster.server.authority}"\nheader = "Authorization: Bearer '
        f'{cluster.read_token()}"\n{accept}silent\n{urls}'
    )
    floor = ["curl", "--no-progress-meter", "--parallel", "--parallel-max", "4", "--config", str(curl)]

    def run_round() -> tuple[Cost, Cost, Cost]:
        return (
            measure_client(cluster, "the same tables by curl", floor),
            measure_client(cluster, "unstuck scan -A", [UNSTUCK, "scan", "-A", "--kubeconfig", config]),
            judge_scan(cluster, world, "  all members, as JSON", [*MEMBERS, config]),
        )

    return [run_round() for _ in range(1 + RUNS)][1:]


def measure_once(cluster: ObjectsOnly, world: World, *, kubectl: bool) -> Iterator[Cost]:
    """Yield the costs measured once."""
    config = str(cluster.write_kubeconfig())
    with _updates(cluster):
        yield judge_scan(cluster, world, "  while Pods are updated", [*MEMBERS, config])
    with dropping(cluster.port) as way:
        through = cluster.write_kubeconfig(url=f"https://127.0.0.1:{way.port}")
        yield judge_scan(cluster, world, "  every tenth connection cut", [*MEMBERS, str(through)])
    if kubectl:
        yield measure_client(
            cluster,
            "kubectl get pods -A",
            [cluster.programs.locate("kubectl"), "--kubeconfig", config, "get", "pods", "-A"],
        )


def _choose_middle(runs: Iterable[Cost]) -> Cost:
    """Choose the median run by time. Faults of all runs are reported."""
    costs = sorted(runs, key=lambda c: c.seconds)
    wrong = tuple(dict.fromkeys(w for c in costs for w in c.wrong))
    middle = replace(costs[RUNS // 2], wrong=wrong)
    print(f"{middle.what.strip()}: {', '.join(f'{c.seconds:.2f}' for c in costs)} s", flush=True)
    return middle


@contextmanager
def _updates(cluster: ObjectsOnly) -> Iterator[None]:
    """Send a stream of updates without changing any object's state."""
    over = threading.Event()
    names = [
        o["metadata"]["name"]
        for o in cluster.ask("GET", f"/api/v1/namespaces/{name_namespace(0)}/pods?limit=200")["items"]
        if "deletionTimestamp" not in o["metadata"]
    ]

    def write() -> None:
        turn = 0
        while not over.wait(0.02):
            path = f"/api/v1/namespaces/{name_namespace(0)}/pods/{names[turn % len(names)]}"
            label = {"metadata": {"labels": {"turn": str(turn)}}}
            cluster.ask("PATCH", path, label, content_type="application/merge-patch+json")
            turn += 1

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _format_table(costs: Sequence[Cost]) -> None:
    print(f"\n{'':32}{'seconds':>9}{'of CPU':>9}{'MB':>9}{'MB read':>10}{'requests':>10}")
    for c in costs:
        right = "" if not c.wrong else f"  {len(c.wrong)} wrong"
        taken = f"{c.seconds:>9.2f}{c.cpu:>9.2f}{c.megabytes:>9.0f}"
        print(f"{c.what:32}{taken}{c.bytes / 1e6:>10.1f}{c.requests:>10}{right}")
    floor, scan, last = costs[0], costs[1], costs[-1]
    print(f"\nscan takes {scan.seconds / floor.seconds:.1f} times as long as the floor;", end=" ")
    print(f"{last.what.strip()} takes {last.seconds / scan.seconds:.1f} times as long as the scan")
    for c in costs:
        for said in c.wrong:
            print(f"{c.what.strip()}: {said}")


if __name__ == "__main__":
    raise SystemExit(main())
