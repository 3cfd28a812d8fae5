"""Records the demo's incidents: applies faults in the lab, and saves the Snapshot of `unstuck why` for each.

    python scripts/record.py [NAME...]

Writes src/unstuck/demo/NAME.json.gz. Their names, addresses and identifiers are the lab's own. Each answer is
judged like in the end-to-end tests, and discarded unless it is right.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Semaphore

from unstuck_lab import Lab, asking, lifecycle, matrix
from unstuck_lab.asking import Evidence, FaultQuestion
from unstuck_lab.fault import find
from unstuck_lab.judging import judge
from unstuck_lab.lifecycle import Say

DEMO = Path(__file__).parent.parent / "src" / "unstuck" / "demo"
# Record: fault, subject (empty: the fault's own), with the node's evidence or without.
CHOSEN: Mapping[str, tuple[str, str, Evidence]] = {
    "file-immutable": ("file-immutable", "", "node"),
    "file-immutable-from-outside": ("file-immutable", "", "api"),
    "snapshot-leaked": ("rootfs-immutable", "", "node"),
    "mount-busy": ("mount-busy", "", "node"),
    "glusterfs-hung": ("gluster-hung", "", "node"),
    "kubelet-stopped": ("kubelet-stopped", "", "node"),
    "finalizer-controller-down": ("finalizer-owner-down", "", "api"),
    "finalizer-controller-slow": ("finalizer-owner-alive", "", "api"),
    "namespace-apiservice-dead": ("apiservice-dead", "", "api"),
    "namespace-content-remains": ("namespace-content-remains", "", "api"),
    "pre-stop-running": ("pre-stop-running", "", "node"),
    "configmap-missing": ("configmap-missing", "", "api"),
    "storage-class-missing": ("pvc-class-missing", "pod/wants-data", "api"),
    "memory-in-bytes": ("tiny-limit", "", "api"),
    "registry-unreachable": ("bad-image", "", "api"),
    "killed-by-liveness": ("liveness", "", "api"),
    "out-of-memory": ("oom", "", "api"),
    "exit-137": ("exit137", "", "api"),
}


def find_question(name: str) -> FaultQuestion:
    """Return the question of a record."""
    fault_name, subject, evidence = CHOSEN[name]
    fault = find(fault_name)
    return FaultQuestion(fault, subject or fault.subject, evidence)


def record_answers(lab: Lab, names: Sequence[str], say: Say) -> list[str]:
    """Record the answers to these questions, and return the names of the wrong ones. Raises `LabError` if a
    fault cannot be healed.
    """
    faults = {q.fault.name: q.fault for q in map(find_question, names)}
    try:
        with ThreadPoolExecutor(len(faults)) as pool:
            applying = Semaphore(matrix.AT_ONCE)
            holds = list(pool.map(lambda fault: matrix.take_hold(lab, fault, say, applying), faults.values()))
        ripe = max(hold.at + fault.ripe for hold, fault in zip(holds, faults.values(), strict=True))
        time.sleep(max(0.0, ripe - time.monotonic()))
        return [name for name in names if not _save(lab, name, say)]
    finally:
        matrix.heal_all(lab, list(faults.values()), say)


def _save(lab: Lab, name: str, say: Say) -> bool:
    asked = find_question(name)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / f"{name}.json.gz"
        reply = asking.ask(lab, asked, ("--save", str(file)))
        if reply.report is None or not file.exists():
            say(f"{name}: no answer: {reply.error}")
            return False
        least = asked.fault.with_node if asked.evidence == "node" else asked.fault.without_node
        judged = judge(asked.fault, least, reply.report)
        say(f"{name}: {judged.outcome} {judged.named} {judged.why}")
        if judged.ok:
            DEMO.mkdir(exist_ok=True)
            (DEMO / file.name).write_bytes(file.read_bytes())
        return judged.ok


def main(names: Sequence[str]) -> int:
    """Record the faults of Pods together, then those of nodes and of the cluster one by one."""
    lab = Lab.from_environment()
    say = lifecycle.make_stopwatch(lambda line: print(line, flush=True))  # noqa: T201 - its progress
    lifecycle.bring_up(lab, 2, say)
    chosen = list(names or CHOSEN)
    together = [name for name in chosen if find_question(name).fault.scope == "pod"]
    bad = record_answers(lab, together, say) if together else []
    for name in chosen:
        if name not in together:
            bad += record_answers(lab, [name], say)
    say(
        f"{len(chosen) - len(bad)} of {len(chosen)} recorded"
        + (f"; not right: {', '.join(bad)}" if bad else "")
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
