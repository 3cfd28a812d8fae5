"""A process killed by the kernel beside the first one is the root cause of the failing probes."""

from __future__ import annotations

import pytest

from tests.contract.support import load_all
from unstuck.engine import diagnose, discover

CAUSE = "container.out-of-memory"


def chain(title: str) -> list[tuple[str, str, int | None]]:
    loaded = next(c for c in load_all() if c.cause.id == CAUSE and c.case.title == title)
    found = diagnose(loaded.subject, loaded.snapshot, discover())
    return [(t.id, t.confidence, t.consequence_of) for t in found.causes]


@pytest.mark.parametrize(
    ("title", "probe"),
    [
        ("a child was killed, and then the readiness probe began to fail", "probe.readiness-failing"),
        (
            "the probe failed while it started, and the Pod was ready until the child was killed",
            "probe.readiness-failing",
        ),
        ("a child was killed, and then the liveness probe ended the run", "container.killed-by-liveness"),
        ("each run went the same way, and one event stands for all", "container.killed-by-liveness"),
    ],
)
def test_what_the_probe_says_follows_from_it(title: str, probe: str) -> None:
    assert chain(title) == [(CAUSE, "likely", None), (probe, "proven", 0)]


@pytest.mark.parametrize(
    ("title", "probe"),
    [
        ("the readiness probe failed before the child was killed", "probe.readiness-failing"),
        ("the probe fails, and when the child was killed was not seen", "probe.readiness-failing"),
        ("the liveness probe had failed in an earlier run, before any kill", "container.killed-by-liveness"),
        (
            "the liveness probe ended the run, and the kill was of an earlier one",
            "container.killed-by-liveness",
        ),
    ],
)
def test_where_the_order_or_the_container_does_not_fit_it_stands_open(title: str, probe: str) -> None:
    assert chain(title) == [(probe, "proven", None)]
