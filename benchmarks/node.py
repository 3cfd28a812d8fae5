"""The cost of a look at a node: a healthy node with 110 Pods, and one with all faults at once.

    sudo .venv/bin/python benchmarks/node.py [--quick] [--json]

The worst node, at once: a FUSE mount that never answers, dockerd and containerd stopped with SIGSTOP, a full
and an inode-full file system, 10,000 mounts, 2,000 processes, a kubelet's log of 2 GB. It is made in separate
namespaces and disappears with any end of this process. Needs root on Linux, /dev/fuse and some 3 GB of free
memory. Prints a table, then whether the limits were kept; a busy machine is no failure: the limits apply to
the least disturbed run, with the slowest one beside it.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

UNSTUCK = [str(Path(sys.executable).with_name("unstuck")), "node", "--here", "-o", "json"]
LIMITS = {"healthy": 1.0, "worst": 5.0}
MEMORY_MB, CORES = 150, 1.0
OUTER = 150
# The prefix for a command in separate namespaces, which end with it.
IN_NAMESPACES = (
    *("unshare", "--mount", "--pid", "--net", "--fork", "--mount-proc"),
    *("--propagation", "private", "--kill-child"),
)


@dataclass
class Cost:
    """One look, or several: the best and the slowest time, and the maximum of all other figures.

    cpu: seconds of processor time. left: processes still alive a moment later. changed: differences from the
    state before.
    """

    what: str
    seconds: float
    slowest: float
    cpu: float
    memory_mb: float
    cores: float
    left: int
    changed: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def list_pids() -> set[str]:
    """Return every process, by its pid."""
    return {n for n in os.listdir("/proc") if n.isdigit()}  # noqa: PTH208 - names


def find_alive(among: set[str]) -> set[str]:
    """Return the processes that have not ended."""
    out = set()
    for pid in among:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            out.add(pid)
    return out


def measure_memory_mb(among: set[str]) -> float:
    """Return the total resident memory of processes; shared memory is counted once (Pss)."""
    total = 0
    for pid in among:
        try:
            total += int(Path(f"/proc/{pid}/smaps_rollup").read_text().partition("Pss:")[2].split()[0])
        except (OSError, IndexError):
            continue
    return total * 1024 / 1e6


def look(what: str, arguments: Sequence[str]) -> tuple[Cost, list[dict[str, Any]]]:
    """Return the cost of one run of the program, and its printed facts."""
    before, usage, begun = list_pids(), resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    peak = 0.0
    with subprocess.Popen(
        [*UNSTUCK, *arguments], stdout=Path("/run/answer").open("wb"), stderr=subprocess.PIPE
    ) as child:
        while child.poll() is None and time.monotonic() < begun + 60:
            peak = max(peak, measure_memory_mb(list_pids() - before))
            time.sleep(0.05)
        wall = time.monotonic() - begun
        child.kill()
        error = child.stderr.read() if child.stderr else b""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - usage.ru_utime - usage.ru_stime
    if child.returncode != 0:
        sys.exit(f"{what}: ended with {child.returncode}: {error.decode()[-500:]}")
    time.sleep(0.3)
    left = find_alive(list_pids() - before)
    facts = json.loads(Path("/run/answer").read_text())["facts"]
    refused = [
        f"{f['want']}: {f.get('detail') or f['why']}"
        for f in facts
        if f["type"] == "Refused" and f["why"] in ("timeout", "unreachable")
    ]
    return Cost(
        what,
        wall,
        wall,
        cpu,
        peak,
        cpu / wall,
        len(left),
        named=sorted(list_troubled(facts)),
        refused=refused,
    ), facts


def list_troubled(facts: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the facts about silent or full items, and about hanging paths."""
    for f in facts:
        match f["type"]:
            case "WaitingMounts":
                yield from (
                    f"hung mount {i['mountpoints'][0]}"
                    for i in f["items"]
                    if i.get("waiting") and i["mountpoints"]
                )
            case "DaemonState" if f.get("stopped"):
                yield f"stopped {f['daemon']}"
            case "RuntimeAnswer" if f.get("answers") is False:
                yield f"silent {f['socket']}"
            case "DiskSpace":
                yield from (
                    f"full {i['mountpoint']}" for i in f["items"] if i["bytes_free"] < 0.01 * i["bytes"]
                )
                yield from (
                    f"no inodes {i['mountpoint']}"
                    for i in f["items"]
                    if i["inodes"] and i["inodes_free"] < 0.01 * i["inodes"]
                )
            case "Touched" if not f["returned"]:
                yield f"does not return {f['about']['name']}"


def state() -> dict[str, object]:
    """Return the state that a look must not change."""
    from benchmarks.node_scene import HUNG  # noqa: PLC0415

    tree = {}
    for top in ("/run", "/var/lib/kubelet", "/var/log", "/var/lib/containerd"):
        for path, directories, files in os.walk(top):
            directories[:] = [d for d in directories if f"{path}/{d}" != str(HUNG)]
            for name in files:
                seen = os.lstat(f"{path}/{name}")
                tree[f"{path}/{name}"] = (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_mode)
    tree.pop("/run/answer", None)
    return {
        "mounts": Path("/proc/self/mountinfo").read_text(),
        "tree": tree,
        "processes": find_alive(list_pids()),
    }


def list_changed(before: dict[str, object], after: dict[str, object]) -> list[str]:
    """Return the changed parts of the state."""
    return [k for k in before if before[k] != after[k]]


def look_inside(scene: str, quick: bool) -> list[Cost]:
    """Make the node and look at it, inside the namespaces."""
    from benchmarks import node_scene  # noqa: PLC0415

    if scene == "healthy":
        node_scene.make_healthy(110)
        looks = [
            ("healthy, 110 Pods", ()),
            ("healthy, one Pod of 110", ("--pod", "00000007-0000-4000-8000-000000000000")),
        ]
        return [merge_looks([look(what, args)[0] for _ in range(3)]) for what, args in looks]
    node_scene.make_worst(1_000 if quick else 10_000, 200 if quick else 2_000, 64 if quick else 2_048)
    before, alive_before = state(), find_alive(list_pids())
    # Ten looks in a row, without a cleanup of leftovers in between.
    out = [merge_looks([look("worst, the node", ())[0] for _ in range(5)])]
    out.append(merge_looks([look("worst, one Pod", ("--pod", node_scene.BAD_POD))[0] for _ in range(5)]))
    out[-1].left = len(find_alive(list_pids()) - alive_before)
    out[-1].changed = list_changed(before, state())
    out.append(merge_looks([look("worst, with --touch", ("--touch",))[0] for _ in range(2 if quick else 3)]))
    out[-1].left = len(find_alive(list_pids()) - alive_before)
    out[-1].changed = [c for c in list_changed(before, state()) if c != "processes"]
    return out


def merge_looks(costs: Sequence[Cost]) -> Cost:
    """Return several looks as one row."""
    last, fastest = costs[-1], min(c.seconds for c in costs)
    slowest, cpu, memory, cores = (
        max(getattr(c, k) for c in costs) for k in ("slowest", "cpu", "memory_mb", "cores")
    )
    left, refused = max(c.left for c in costs), sorted({r for c in costs for r in c.refused})
    return Cost(last.what, fastest, slowest, cpu, memory, cores, left, last.changed, last.named, refused)


def run_apart(scene: str, quick: bool) -> list[Cost]:
    """Run the looks in separate namespaces, which end with their first process. Raises SystemExit."""
    argv = [*IN_NAMESPACES, sys.executable, __file__, "--inside", scene, *(["--quick"] if quick else [])]
    # Bytecode is kept, as after an installation.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPATH": str(Path(__file__).parents[1])
    }
    # The child ends even if this process is killed: PR_SET_PDEATHSIG.
    libc = ctypes.CDLL(None)
    with subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        env=env,
        preexec_fn=lambda: libc.prctl(1, signal.SIGKILL),  # noqa: PLW1509 - before any thread starts
    ) as child:
        try:
            out, _ = child.communicate(timeout=OUTER)
        except subprocess.TimeoutExpired:
            child.kill()
            sys.exit(f"{scene}: did not end within {OUTER} s")
    if child.returncode:
        sys.exit(f"{scene}: ended with {child.returncode}")
    return [Cost(**row) for row in json.loads(out)]


def is_within_limits(cost: Cost) -> bool:
    """Tell whether one row is within the limits."""
    seconds = LIMITS[cost.what.partition(",")[0]]
    allowed = 1 if "--touch" in cost.what else 0
    return (
        cost.seconds <= seconds
        and cost.memory_mb <= MEMORY_MB
        and cost.cores <= CORES
        and cost.left <= allowed
        and not cost.changed
    )


def main() -> None:
    """Print the table, the JSON, and whether the limits were kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inside", choices=("healthy", "worst"), help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="a tenth of the mounts, processes and log")
    parser.add_argument("--json", action="store_true", help="only the JSON")
    args = parser.parse_args()
    if args.inside:
        print(json.dumps([asdict(c) for c in look_inside(args.inside, args.quick)]))
        return
    if sys.platform != "linux" or os.geteuid() != 0:
        sys.exit("needs root on Linux: it makes mounts and namespaces")
    costs = [c for scene in LIMITS for c in run_apart(scene, args.quick)]
    if not args.json:
        print(
            f"{'':26}  {'best s':>7}  {'of':>4}  {'slowest':>7}  {'cpu s':>6}  {'MB':>5}  {'cores':>5}  "
            f"{'left':>4}  changed"
        )
        for c in costs:
            limit = LIMITS[c.what.partition(",")[0]]
            figures = (
                f"{c.seconds:7.2f}  {limit:4g}  {c.slowest:7.2f}  {c.cpu:6.2f}  {c.memory_mb:5.0f}  "
                f"{c.cores:5.2f}  {c.left:4d}"
            )
            print(f"{c.what:26}  {figures}  {', '.join(c.changed) or 'nothing'}")
        print("named: " + "; ".join(costs[-1].named))
    print(json.dumps([asdict(c) for c in costs]))
    if not args.json:
        print(
            "within the limits"
            if all(map(is_within_limits, costs))
            else "NOT within the limits on this machine at this moment"
        )


if __name__ == "__main__":
    main()
