"""The fixture `lab`: a running lab, or one that is brought up for this session."""

import os
from collections.abc import Iterator

import pytest

from unstuck_lab import lifecycle
from unstuck_lab.cluster import Lab
from unstuck_lab.paths import Paths


def pytest_configure() -> None:
    """With pytest-xdist each worker has a lab of its own; the first one's is the one that is up."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if worker != "gw0":
        state = Paths.from_environment().state
        os.environ["UNSTUCK_LAB_DIR"] = str(state.with_name(f"{state.name}-{worker}"))


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """A lab with at least `UNSTUCK_LAB_NODES` (2) nodes.

    One that was there before is used and left; one made here is taken down at
    the end unless `UNSTUCK_LAB_KEEP=1`. With `UNSTUCK_LAB_KUBECONFIG`: that cluster,
    which has no nodes to enter.
    """
    found = Lab.from_environment()
    if found.existing:
        found.wait_ready(10)
        yield found
        return
    there = found.kubeconfig.exists()
    lifecycle.up(found, int(os.environ.get("UNSTUCK_LAB_NODES", "2")), print)
    yield found
    if not there and os.environ.get("UNSTUCK_LAB_KEEP") != "1":
        lifecycle.down(found.paths, print)
