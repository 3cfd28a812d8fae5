"""`unstuck why` from outside, through the chart's agent: a hung runtime on a Node that is still Ready, and
contradictory states.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.command import read_diagnosis, run_unstuck

if TYPE_CHECKING:
    from unstuck_lab import Lab

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
faults = pytest.importorskip("unstuck_lab.fault", reason="the lab is not installed")


@pytest.fixture(scope="module", autouse=True)
def agent(lab: Lab, release: bool) -> None:
    """Provide the release, with its agents on every node."""
    from unstuck_lab import agent

    lab.wait(lambda: agent.is_ready(lab), 120, "agents Ready")


@contextmanager
def inflicted(lab: Lab, name: str) -> Iterator[Any]:
    """Apply the fault during the block, and always heal it."""
    fault = faults.find(name)
    try:
        faults.inflict(lab, fault)
        faults.wait_held(lab, fault)
        yield fault
    finally:
        faults.heal(lab, fault)


def node_under(lab: Lab, fault: Any) -> str:
    subject = next((s for s in (fault.subject, *fault.also) if s.startswith("node/")), "")
    if subject:
        return subject.removeprefix("node/")
    return str(lab.find_pod_node(fault.namespace, fault.subject.removeprefix("pod/")).name)


def test_a_stopped_containerd_is_proven_while_the_node_reads_ready(lab: Lab) -> None:
    with inflicted(lab, "containerd-stopped") as fault:
        name = node_under(lab, fault)
        asked = read_diagnosis(run_unstuck("why", f"node/{name}", "-o", "json", kubeconfig=lab.kubeconfig))
        assert lab.is_node_ready(name)
        assert asked["state"] == "stuck"
        assert [(c["id"], c["confidence"]) for c in asked["causes"]][:1] == [
            ("runtime.unresponsive", "proven")
        ]
        said = run_unstuck("why", f"node/{name}", kubeconfig=lab.kubeconfig)
        assert said.returncode == 1
        assert f"Node {name} — Ready" in said.stdout
        assert "force delete" in said.stdout


def test_states_that_contradict_are_proven(lab: Lab) -> None:
    with inflicted(lab, "runtime-state-mismatch") as fault:
        asked = read_diagnosis(
            run_unstuck("why", fault.subject, "-n", fault.namespace, "-o", "json", kubeconfig=lab.kubeconfig)
        )
        told = {c["id"]: c["confidence"] for c in asked["causes"]}
        assert told.get("runtime.state-mismatch") == "proven"
