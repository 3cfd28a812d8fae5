"""The fixture `lab`: a running lab, or one started for this session; and the records of failed tests."""

import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from unstuck_lab import keeping, lifecycle
from unstuck_lab.cluster import Lab
from unstuck_lab.paths import Paths
from unstuck_lab.permission import FROZEN

# The directory for records of failures; none are kept if unset.
LOGS = "UNSTUCK_TEST_LOGS"
# The number of failures per lab with copied logs; other failures have only pytest's own output.
COPIES = 4


def pytest_configure() -> None:
    """Assign each worker of pytest-xdist its own lab, the running lab to the first one, and freeze
    the setup.
    """
    os.environ.setdefault(FROZEN, "1")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if worker != "gw0":
        state = Paths.from_environment().state
        os.environ["UNSTUCK_LAB_DIR"] = str(state.with_name(f"{state.name}-{worker}"))


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """Yield a lab with at least `UNSTUCK_LAB_NODES` (2) nodes.

    A running lab is used and left running; a lab started here is taken down at the end unless
    `UNSTUCK_LAB_KEEP=1`. With `UNSTUCK_LAB_KUBECONFIG` it is that cluster, without nodes to enter.
    """
    found = Lab.from_environment()
    if found.existing:
        found.wait_ready(10)
        yield found
        return
    there = found.kubeconfig.exists()
    lifecycle.bring_up(found, int(os.environ.get("UNSTUCK_LAB_NODES", "2")), print)
    yield found
    if not there and os.environ.get("UNSTUCK_LAB_KEEP") != "1":
        lifecycle.take_down(found.paths, print)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Save the evidence of a failure at once: the next test, or the end of the lab, removes it."""
    report = yield
    directory = os.environ.get(LOGS)
    if report.failed and directory and "lab" in getattr(item, "fixturenames", ()):
        _keep(report, Path(directory) / "labs" / os.environ.get("PYTEST_XDIST_WORKER", "gw0"))
    return report


def _keep(report: pytest.TestReport, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    before = len(list(directory.iterdir()))
    target = (
        directory
        / f"{before + 1:03}-{re.sub(r'[^A-Za-z0-9._-]+', '-', report.nodeid.rpartition('/')[2])[:100]}"
    )
    target.mkdir()
    sections = (f"---- {title}\n{content}\n" for title, content in report.sections)
    (target / "report.txt").write_text(
        f"{report.nodeid} ({report.when})\n{report.longreprtext}\n{''.join(sections)}"
    )
    if before < COPIES:
        keeping.keep(Lab.from_environment(), target)
