"""How the filters' answers become the scheduler's."""

from __future__ import annotations

from tests.scheduling.case import read_case
from unstuck.scheduling.decide import decide


def test_a_pod_that_names_its_node_fits_there_alone() -> None:
    nodes = [{"metadata": {"name": n}} for n in ("a", "b", "c")]
    cluster, pod = read_case({"pod": {"metadata": {"name": "p"}, "spec": {"nodeName": "x"}}, "nodes": nodes})
    assert decide(pod, cluster).message == "0/3 nodes are available: 3 node(s) didn't match the requested node name."


def test_no_nodes() -> None:
    cluster, pod = read_case({"pod": {"metadata": {"name": "p"}}})
    assert decide(pod, cluster).message == "no nodes available to schedule pods"
