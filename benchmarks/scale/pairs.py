"""Two states of unstuck over the same cluster, in pairs: a machine may be half as fast a minute later, but
hardly between two runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.scale.cost import MEMBERS, UNSTUCK, Cost, judge_scan, measure_client
from benchmarks.scale.world import World

from unstuck_lab.objects_only import ObjectsOnly

Pair = tuple[Cost, Cost]
# the exit statuses of answers
_ANSWERED = 2


def measure_pairs(cluster: ObjectsOnly, world: World, against: Path, runs: int) -> dict[str, list[Pair]]:
    """Run each scan with the other state and with this one, alternating the order within pairs. The first
    pair does not count, nor does a pair with a missing answer.
    """
    config = str(cluster.write_kubeconfig())
    source = against / "src"
    if not (source / "unstuck").is_dir():
        raise SystemExit(f"{against} holds no src/unstuck")
    states = (source, None)

    def scan_plain(state: Path | None) -> Cost:
        return measure_client(
            cluster, "unstuck scan -A", [UNSTUCK, "scan", "-A", "--kubeconfig", config], None, state
        )

    def scan_members(state: Path | None) -> Cost:
        return judge_scan(cluster, world, "  all members, as JSON", [*MEMBERS, config], state)

    out: dict[str, list[Pair]] = {}
    for turn in range(1 + runs):
        order = states if turn % 2 else states[::-1]
        for scan in (scan_plain, scan_members):
            costs = {state: scan(state) for state in order}
            if failed := [c.status for c in costs.values() if c.status > _ANSWERED]:
                print(f"{costs[None].what.strip()}: a pair is left out, exit status {failed}", flush=True)
            elif turn:
                out.setdefault(costs[None].what, []).append((costs[source], costs[None]))
    return out


def find_dearest(pairs: dict[str, list[Pair]]) -> float:
    """Return the largest median of the CPU time ratios within pairs, of all scans: 1.05 if this state takes 5
    % more.
    """
    return max(
        median(_compute_ratios([before.cpu for before, _ in of], [now.cpu for _, now in of]))
        for of in pairs.values()
    )


def report(pairs: dict[str, list[Pair]]) -> None:
    """Print the medians of both states, and the median of the ratios within pairs: below 1 if this state
    takes less.
    """
    print(f"\n{'':26}{'':9}{'before':>9}{'now':>9}{'ratio':>9}{'from':>8}{'to':>8}")
    for what, of in pairs.items():
        for name, unit in (
            ("cpu", "s of CPU"),
            ("seconds", "s"),
            ("megabytes", "MB"),
            ("requests", "requests"),
        ):
            before, now = ([float(getattr(c[i], name)) for c in of] for i in (0, 1))
            ratios = _compute_ratios(before, now)
            shown = f"{median(ratios):9.3f}{min(ratios):8.3f}{max(ratios):8.3f}"
            print(f"{what:26}{unit:9}{median(before):9.2f}{median(now):9.2f}{shown}")
        for state, at in (("before", 0), ("now", 1)):
            for wrong in sorted({w for pair in of for w in pair[at].wrong}):
                print(f"  {what.strip()}, {state}: {wrong}")


def _compute_ratios(before: Sequence[float], now: Sequence[float]) -> list[float]:
    return [n / b for b, n in zip(before, now, strict=True) if b] or [1.0]
