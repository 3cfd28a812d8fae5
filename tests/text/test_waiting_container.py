"""`kubectl logs` of a container that has not started, and of a run before the first."""

from __future__ import annotations

import pytest

from tests.text.support import pick, read_facts
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import ContainerStatuses


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("ContainerCreating", "ContainerCreating"),
        ("PodInitializing", "PodInitializing"),
        ("trying and failing to pull image", "ImagePullBackOff"),
        ("image can't be pulled", "ErrImagePull"),
    ],
)
def test_a_container_that_waits_is_told_with_its_reason(why: str, reason: str) -> None:
    line = f'Error from server (BadRequest): container "web" in pod "web-1" is waiting to start: {why}'
    (seen,) = pick(read_facts(f"{line}\n"), ContainerStatuses)
    (one,) = seen.items
    assert (seen.about.name, one.name, one.state, one.reason) == ("web-1", "web", "waiting", reason)


def test_that_a_container_has_not_run_before_is_no_missing_object() -> None:
    line = 'Error from server (BadRequest): previous terminated container "web" in pod "web-1" not found'
    assert not pick(read_facts(f"{line}\n"), ToldErrors)
