"""The packaged records still give their original answers, in both languages, without a cluster."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from unstuck.api.replaying import diagnose_again
from unstuck.api.saved_files import parse_saved

UNSTUCK = str(Path(sys.executable).with_name("unstuck"))
DEMO = files("unstuck") / "demo"
# Record: the causes in order with their confidence; for an undecided answer, the candidates.
SAYS: dict[str, list[str]] = {
    "configmap-missing": ["proven config.configmap-missing"],
    "exit-137": ["? container.exits-by-itself", "? container.killed-without-witness"],
    "file-immutable": ["proven file.immutable"],
    "file-immutable-from-outside": [
        "? cgroup.left-behind",
        "? file.immutable",
        "? mount.busy",
        "? process.frozen",
        "? volume.read-only-below-kubelet",
    ],
    "finalizer-controller-down": ["proven finalizer.controller-gone"],
    "finalizer-controller-slow": ["proven finalizer.controller-slow"],
    "glusterfs-hung": ["proven volume.network-filesystem-hung", "proven process.uninterruptible"],
    "killed-by-liveness": ["proven container.killed-by-liveness"],
    "kubelet-stopped": ["proven kubelet.down"],
    "memory-in-bytes": ["proven resources.memory-unit-wrong"],
    "mount-busy": ["proven mount.busy"],
    "namespace-apiservice-dead": ["proven namespace.api-discovery-failed"],
    "namespace-content-remains": ["proven finalizer.unknown-owner", "proven namespace.content-remains"],
    "out-of-memory": ["likely container.out-of-memory"],
    "pre-stop-running": ["proven deletion.pre-stop-running", "proven deletion.in-grace-period"],
    "registry-unreachable": ["proven image.registry-unreachable"],
    "snapshot-leaked": ["proven file.immutable"],
    "storage-class-missing": ["proven storage.class-missing", "proven storage.claim-unbound"],
}


def test_every_record_is_here() -> None:
    assert {f.name.removesuffix(".json.gz") for f in DEMO.iterdir() if f.name.endswith(".gz")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_a_record_says_what_it_said(name: str) -> None:
    (diagnosis,), _ = diagnose_again(parse_saved((DEMO / f"{name}.json.gz").read_bytes(), name))
    told = [f"{cause.confidence} {cause.id}" for cause in diagnosis.causes]
    between = sorted(f"? {o.id}" for o in diagnosis.undecided if o.possible)
    assert (told or between or sorted(f"? {o.id}" for o in diagnosis.undecided)) == SAYS[name]


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_all_records_are_printed_alike_each_time(lang: str) -> None:
    runs = [
        subprocess.run(
            [UNSTUCK, "demo", "--all", "--lang", lang], capture_output=True, check=False, timeout=60
        )
        for _ in range(2)
    ]
    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr
    assert runs[0].stdout == runs[1].stdout
    assert b"Traceback" not in runs[0].stderr
