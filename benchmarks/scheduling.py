"""The cost of deciding where Pods fit in a big cluster, from a saved Snapshot: time and memory, also as
ratios.

    python benchmarks/scheduling.py [--nodes N] [--pods N] [--shapes N] [--runs N]

A cluster is made (5,000 Nodes, 150,000 Pods of 3,000 shapes, 200 waiting Pods of 20 shapes), read as the API
returns it, and saved as a Snapshot. Then a separate process loads the Snapshot and decides one Pod, another
explains every Node and looks for helpful changes, another decides all 200; and `unstuck replay` answers for
one Pod, and for all as a scan. Each is measured from start to end, the best of the runs. The ratio is to
`json.loads` of the same file in a separate process, the minimum for any reader. Prints a table, then JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unstuck.api.ranking import SCAN
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.placing import read_placing
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

ONE_LIMIT_S, ALL_LIMIT_S, MEMORY_LIMIT_MB = 2.0, 5.0, 300
_LOAD = "import gzip, json, sys; doc = json.loads(gzip.open(sys.argv[1]).read())\n"
_VIEW = (
    _LOAD
    + """from unstuck.facts.codec import load
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.scheduling.cluster import ClusterView
from unstuck.scheduling.decide import decide, decide_pending
cluster = ClusterView.of(load(doc).snapshot.every(PlacingInputs)[0])
"""
)
_REPLAY = """import sys
from unstuck.cli.main import main
sys.argv = ["unstuck", "replay", sys.argv[1] + END, "--lang", "en"]
main()
"""
TASKS = {
    "read the JSON": _LOAD,
    "decide one Pod": _VIEW + "print(decide(cluster.pod('shop', 'waits-0'), cluster).message)",
    "one Pod, with every change that helps": _VIEW
    + "from unstuck.scheduling.changes import changes\n"
    + "print(*(c.says.en for c in changes(cluster.pod('shop', 'waits-0'), cluster)), sep=', ')",
    "unstuck replay: why one Pod waits": _REPLAY.replace("END", "'.one.json.gz'"),
    "unstuck replay: scan of 200 Pods": _REPLAY.replace("END", "'.all.json.gz'"),
    "decide 200 Pods": _VIEW + "print(len({d.message for _, d in decide_pending(cluster)}))",
}


def make_cluster(nodes: int, pods: int, shapes: int) -> dict[str, list[dict[str, Any]]]:
    """Return the cluster as lists of API objects."""
    chance = random.Random(1)  # noqa: S311 - the same cluster every time
    templates = [_make_template(i) for i in range(shapes)]
    placed = [
        _make_pod(f"pod-{i}", chance.choice(templates), nodeName=f"node-{chance.randrange(nodes)}")
        for i in range(pods)
    ]
    return {
        "nodes": [_make_node(i) for i in range(nodes)],
        "pods": [*placed, *_make_waiting()],
        "namespaces": [{"metadata": {"name": "shop"}}],
    }


def _make_node(i: int) -> dict[str, Any]:
    labels = {f"example.com/label-{k}": f"value-{i * k % 4}" for k in range(16)}
    own = {"kubernetes.io/hostname": f"node-{i}", "topology.kubernetes.io/zone": f"zone-{i % 3}"}
    taints = [{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}] if i % 10 == 0 else []
    offers = {
        "cpu": "32",
        "memory": "128Gi",
        "ephemeral-storage": "100Gi",
        "pods": "110",
        "hugepages-2Mi": "0",
    }
    return {
        "metadata": {"name": f"node-{i}", "labels": {**labels, **own}},
        "spec": {"taints": taints},
        "status": {"allocatable": offers},
    }


def _make_template(i: int) -> dict[str, Any]:
    """Return the template of a group of Pods: every fifth has anti-affinity to its own kind, every seventh a
    claim.
    """
    labels = {"app": f"app-{i}", "pod-template-hash": f"{i:x}", "team": f"team-{i % 20}"}
    asked = {"cpu": f"{100 + i % 900}m", "memory": f"{128 + i % 512}Mi"}
    term = {"labelSelector": {"matchLabels": {"app": f"app-{i}"}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    claim = [{"name": "data", "persistentVolumeClaim": {"claimName": f"claim-{i}"}}]
    spec = {
        "containers": [{"name": "c", "resources": {"requests": asked}}],
        "affinity": apart if i % 5 == 0 else {},
        "volumes": claim if i % 7 == 0 else [],
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
    }
    return {"labels": labels, "spec": spec}


def _make_pod(name: str, template: dict[str, Any], **spec: Any) -> dict[str, Any]:
    meta = {"name": name, "namespace": "shop", "uid": name, "labels": template["labels"]}
    return {
        "metadata": meta,
        "spec": {**template["spec"], **spec},
        "status": {"phase": "Running" if spec else "Pending"},
    }


def _make_waiting() -> Iterator[dict[str, Any]]:
    """Yield waiting Pods too large for any Node, with affinity and spread constraints."""
    for i in range(200):
        template = _make_template(i % 20 * 5)
        near = {
            "labelSelector": {"matchLabels": {"team": f"team-{i % 20}"}},
            "topologyKey": "topology.kubernetes.io/zone",
        }
        template["spec"]["affinity"]["podAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": [near]
        }
        template["spec"]["topologySpreadConstraints"] = [
            {**near, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
        ]
        template["spec"]["volumes"] = []
        template["spec"]["containers"] = [{"name": "c", "resources": {"requests": {"cpu": "31"}}}]
        yield _make_pod(f"waits-{i}", template)


Run = tuple[float, float, int, str]


def run_once(code: str, path: Path) -> Run:
    """Return processor time and wall time in seconds, peak memory in MB, and the output."""
    with tempfile.TemporaryFile("w+") as out:
        begun = time.perf_counter()
        child = subprocess.Popen((sys.executable, "-c", code, str(path)), stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        took = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        # 1 and 2 report stuck objects.
        if child.returncode not in (0, 1, 2):
            raise SystemExit(f"a run ended with exit code {child.returncode}")
        out.seek(0)
        return used.ru_utime + used.ru_stime, took, used.ru_maxrss // 1024, out.read().strip()


def write(path: Path, nodes: int, pods: int, shapes: int) -> None:
    """Write the Snapshot of a generated cluster, and return the reading time of its objects."""
    objects = make_cluster(nodes, pods, shapes)
    begun = time.process_time()
    inputs = read_placing(objects, Source("made"))
    print(
        f"{nodes} Nodes, {pods} Pods of {len(inputs.shapes)} shapes; reading the objects took "
        f"{time.process_time() - begun:.1f} s"
    )
    now = datetime.now(UTC)
    said = "0/5000 nodes are available: 4500 Insufficient cpu, 500 node(s) had untolerated taint(s)."
    told = {
        "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
        ],
        "phase": "Pending",
    }
    waiting = [
        {**p, "apiVersion": "v1", "kind": "Pod", "status": told}
        for p in objects["pods"]
        if "nodeName" not in p["spec"]
    ]
    for pod in waiting:
        pod["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    facts = [
        fact
        for pod in waiting
        for fact in facts_of(pod, f"/api/v1/namespaces/shop/pods/{pod['metadata']['name']}")
    ]
    asked = {"": None, ".one.json.gz": Ref("Pod", "shop", "waits-0"), ".all.json.gz": Ref(SCAN, "shop")}
    for end, ref in asked.items():
        snap = Snapshot([inputs, *(facts if ref else ())], now)
        path.with_name(path.name + end).write_bytes(
            gzip.compress(json.dumps(save(Saved(snap, ref), "benchmark")).encode())
        )


def main() -> None:
    """Print the table, the JSON, and whether the limits were kept; a busy machine is no failure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--shapes", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.json.gz"
        # A child inherits its parent's peak memory, so the cluster is made in a separate process.
        maker = multiprocessing.get_context("spawn").Process(
            target=write, args=(path, args.nodes, args.pods, args.shapes)
        )
        maker.start()
        maker.join()
        size = path.stat().st_size
        found = {name: min(run_once(code, path) for _ in range(args.runs)) for name, code in TASKS.items()}
    bare = found["read the JSON"][0]
    print(
        f"Snapshot of {size / 1e6:.1f} MB; best of {args.runs} runs: processor time, the same as a ratio, "
        "from start to end, memory"
    )
    for name, (cpu, wall, memory, said) in found.items():
        print(
            f"{name:38}  {cpu:5.2f} s  {cpu / bare:5.1f} × the JSON  {wall:5.2f} s  {memory:4} MB  "
            f"{said[:90]}"
        )
    one, every = found["unstuck replay: why one Pod waits"], found["unstuck replay: scan of 200 Pods"]
    kept = one[1] < ONE_LIMIT_S and every[1] < ALL_LIMIT_S and max(one[2], every[2]) < MEMORY_LIMIT_MB
    figures = {
        name: {"cpu_s": round(c, 2), "s": round(s, 2), "ratio": round(c / bare, 1), "mb": mb}
        for name, (c, s, mb, _) in found.items()
    }
    print(json.dumps({**vars(args), "snapshot_mb": round(size / 1e6, 1), **figures}))
    print("within its limits" if kept else "NOT within its limits on this machine at this moment")


if __name__ == "__main__":
    main()
