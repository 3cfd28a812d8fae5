"""The duration of `--redact` for one long Snapshot, by its size: `python -m benchmarks.redact`. The time for
each Pod should not grow.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from unstuck.api.redaction import collect_vocabulary
from unstuck.collect.redact.hiding import redact
from unstuck.facts.aspects.objects import Event, Events
from unstuck.facts.aspects.pod import Containers, ContainerSpec, LastLines
from unstuck.facts.codec import Saved
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

_NOW = datetime(2026, 11, 22, tzinfo=UTC)
_SIZES = (500, 1000, 2000, 4000)


def make_snapshot(pods: int) -> Saved:
    """Return a Snapshot of Pods with an image, three Events and twenty log lines each, all different."""
    facts: list[Fact] = []
    for i in range(pods):
        uid = f"{i:08x}-1111-4222-8333-444455556666"
        pod, src = (
            Ref("Pod", f"team-{i % 40}", f"orders-{i}-7d9f8b6c5d-{i % 10}x2kz", uid),
            Source(f"/api/v1/namespaces/x/pods/{i}"),
        )
        image = f"123456789012.dkr.ecr.eu-west-1.amazonaws.com/orders/part{i % 90}:v{i}"
        facts.append(Containers(about=pod, src=src, items=(ContainerSpec("main", "main", image),)))
        said = (
            (
                f'Failed to pull image "{image}": dial tcp 10.{i % 200}.{i % 90}.7:443: connect: connection '
                "refused"
            ),
            f'Get "https://store{i}.corp{i % 7}.example.com/v1?token=abc{i}": lookup store{i}: no such host',
            (
                f"MountVolume.SetUp failed for volume pvc-{uid}: access denied by server fd12::{i:x} for "
                f"alice{i}@example.org"
            ),
        )
        facts.append(
            Events(about=pod, src=src, items=tuple(Event("Failed", text, warning=True) for text in said))
        )
        lines = tuple(
            f"2026-11-22T10:00:00Z user{i}x{n} card 4111 1111 1111 {i % 9000 + 1000} key AKIA{i:08d}{n:08d}"
            for n in range(20)
        )
        facts.append(
            LastLines(about=Ref("Container", f"{pod.within}/{pod.name}", "main"), src=src, lines=lines)
        )
    return Saved(Snapshot(facts, _NOW), None)


def main() -> None:
    """Print one line for each size."""
    known = collect_vocabulary()
    for pods in _SIZES:
        saved = make_snapshot(pods)
        started = time.process_time()
        redact(saved, known)
        taken = time.process_time() - started
        print(
            f"{pods:6} Pods, {len(saved.snapshot.facts):6} facts: {taken:6.2f} s, {taken / pods * 1000:.2f} "
            "ms for each Pod"
        )


if __name__ == "__main__":
    main()
