"""`python -m benchmarks.mustgather [MB]`: how long a must-gather takes to read, as a directory and as a
tar.gz. Goal: 200 MB in 12 s.

It has the layout of `oc adm must-gather`: lists of Namespaces and a file for each Pod as YAML with
managedFields and folded lines, Events, CustomResourceDefinitions, containers' logs, the kubelets' journals of
the control plane; one Pod in fifty is in trouble. Half as much has the layout of `kubectl cluster-info dump`:
lists as JSON, and logs. Prints this process' seconds and peak memory, for reading alone and for the whole
answer of `unstuck read`. No figure is an assertion.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from benchmarks.mustgather_objects import (
    CONFIG_MAP,
    DEFINITION,
    EVENT,
    REPLICA_SET,
    STARTED,
    UNAUTHORIZED,
    format_list,
)
from benchmarks.mustgather_pods import DOWN, POD, RUNS, UP, WAITS
from tests.text.biglog import log

from unstuck.cli.main import OBJECTS
from unstuck.cli.run import run
from unstuck.collect.bundle import read_bundle
from unstuck.collect.text.objects.plain_yaml import load_plain

_MB = 1_000_000
_PODS, _APPS = 40, 8
_NOW = datetime(2026, 11, 21, 1, tzinfo=UTC)
_LINE = (
    "2026-11-21T00:{m:02d}:{s:02d}.{u:09d}Z I1121 00:{m:02d}:{s:02d}.{v:06d}       1 controller.go:117] "
    "synced item {i} in 3ms\n"
)


def main(size: int) -> None:
    """Write the files, read them, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        gathered, dumped, packed = (
            Path(folder, "must-gather.local.1"),
            Path(folder, "dump"),
            Path(folder, "must-gather.tar.gz"),
        )
        written = _write(gathered / "quay-io-openshift-must-gather-sha256-abc", size)
        with tarfile.open(packed, "w:gz", compresslevel=6) as archive:
            archive.add(gathered, gathered.name)
        for what, form, large in (
            ("must-gather", gathered, written),
            ("must-gather.tar.gz", packed, written),
            ("cluster-info dump", dumped, _dump(dumped, size // 2)),
        ):
            for how in ("read", "answer"):
                done = subprocess.run(
                    [sys.executable, "-m", "benchmarks.mustgather", how, str(form)],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                print(f"{what:18} {large / _MB:.0f} MB, {how:6}: {done.stderr.strip()}")


class _Folder:
    """The files below `top`. size: the written characters."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self.size = 0

    def put(self, name: str, text: str) -> None:
        path = self._top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.size += len(text)


def _make_lines(n: int) -> str:
    return "".join(_LINE.format(m=i // 60 % 60, s=i % 60, u=i, v=i % 1_000_000, i=i) for i in range(n))


def _write(top: Path, size: int) -> int:
    """Write the files in real proportions: two fifths objects, two fifths containers' logs, one fifth the
    nodes' journals.
    """
    chance, i = Random(1), 0  # noqa: S311 - not for secrets
    folder = _Folder(top)
    put = folder.put
    for c in range(size * 2 // 5 // 10 // len(DEFINITION) + 1):
        put(
            (
                "cluster-scoped-resources/apiextensions.k8s.io/customresourcedefinitions/"
                f"things{c}.example.com.yaml"
            ),
            DEFINITION.format(c=c),
        )
    while folder.size < size * 2 // 5:
        i = _make_namespace(put, chance, i)
    lines = _make_lines(20_000)
    for n in range(size * 2 // 5 // len(lines) + 1):
        put(f"namespaces/team-0/pods/app-{n}/app/app/logs/current.log", lines)
    journal = "".join(
        f"Nov 21 00:05:00 node-1 kubenswrapper[4242]: {line}\n" for line in log(_MB * 4).splitlines()
    )
    for n in range(size // 5 // len(journal) + 1):
        put(f"host_service_logs/masters/kubelet_service_{n}.log", journal)
    return folder.size


def _dump(top: Path, size: int) -> int:
    """Write the dump: four fifths lists, one fifth logs."""
    chance, i = Random(2), 0  # noqa: S311 - not for secrets
    folder = _Folder(top)

    def dump_json(name: str, text: str) -> None:
        parts = name.split("/")
        if parts[2] in ("core", "apps"):
            (found,) = load_plain(text)
            folder.put(f"{parts[1]}/{parts[3].replace('.yaml', '.json')}", json.dumps(found, indent=4))

    while folder.size < size * 4 // 5:
        i = _make_namespace(dump_json, chance, i)
    lines = _make_lines(2_000)
    for n in range(size // 5 // len(lines) + 1):
        folder.put(
            f"team-0/app-{n}/logs.txt",
            f"==== START logs for container app of pod team-0/app-{n} ====\n{lines}",
        )
    return folder.size


def _make_namespace(put: Callable[[str, str], None], chance: Random, i: int) -> int:
    """Write one Namespace and return the new number of Pods. i: the number of Pods before."""
    ns, pods, events = f"team-{i // _PODS}", list[str](), list[str]()
    apps = [(f"app-{n}", i + n) for n in range(_APPS)]
    for _ in range(_PODS):
        i += 1
        name, r = apps[i % _APPS]
        ill = chance.random() < 0.02
        digest, v = (
            f"{chance.getrandbits(256):064x}",
            "".join(chance.choices("bcdfghjklmnpqrstvwxz2456789", k=5)),
        )
        same = {"name": name, "ns": ns, "i": i, "n": i % 12, "s": i % 60}
        shown = {
            "up": DOWN if ill else UP,
            "state": WAITS if ill else RUNS,
            "phase": "Pending" if ill else "Running",
        }
        pods.append(POD.format(a=i % 250, b=i // 250 % 250, digest=digest, r=r, v=v, **same, **shown))
        told = UNAUTHORIZED if ill else STARTED
        events += [
            EVENT.format(e=i * 10 + n, count=c, what=w, reason=y, type=t, **same)
            for n, (c, w, y, t) in enumerate(told)
        ]
        put(f"namespaces/{ns}/pods/{name}-7d9f-{i:05d}/{name}-7d9f-{i:05d}.yaml", "---\n" + pods[-1])
    sets = [REPLICA_SET.format(name=name, ns=ns, r=r, many=_PODS // _APPS) for name, r in apps]
    put(f"namespaces/{ns}/core/pods.yaml", format_list("Pod", "v1", pods))
    put(f"namespaces/{ns}/core/events.yaml", format_list("Event", "v1", events))
    put(
        f"namespaces/{ns}/core/configmaps.yaml",
        format_list("ConfigMap", "v1", [CONFIG_MAP.format(name=name, ns=ns, r=r) for name, r in apps]),
    )
    put(f"namespaces/{ns}/apps/replicasets.yaml", format_list("ReplicaSet", "apps/v1", sets))
    return i


def _measure_in_child(how: str, path: str) -> None:
    """Print the cost of the child on stderr."""
    # As at the start of `unstuck` itself.
    gc.set_threshold(OBJECTS)
    found = ""
    if how == "answer":
        run(["read", path, "--lang", "en"], "unstuck")
    else:
        got = read_bundle(path, _NOW)
        found = f", {got.read} members, {len(got.facts)} facts"
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss // 1024} MiB{found}", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] in (["read"], ["answer"]):
        _measure_in_child(sys.argv[1], sys.argv[2])
    else:
        main(int(sys.argv[1]) * _MB if len(sys.argv) > 1 else 200 * _MB)
