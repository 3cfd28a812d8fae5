"""Every proof of `why` about an object is in the scan, too, or the scan reports unasked questions.

In a cluster of a real etcd and API server with thirty incidents of all sorts; neither asks a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks.scale.world import World
from benchmarks.scan_on_lab import find_differences, list_roots

from unstuck import api
from unstuck.diagnosis.answer import Diagnosis
from unstuck.facts.core import Ref
from unstuck_lab.objects_only import ObjectsOnly

pytestmark = pytest.mark.e2e
# Below the number of Pods at which a scan omits questions about all Pods.
NODES, PODS = 150, 4000
# The number of questions per incident: its members look alike.
EACH = 3
AT_ONCE = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[api.Cluster]:
    world = World(NODES, PODS)
    with ObjectsOnly() as made:
        made.fill(world.list_objects())
        made.serve()
        yield api.connect(kubeconfig=str(made.write_kubeconfig()))


@pytest.fixture(scope="module")
def scan(cluster: api.Cluster) -> api.Report:
    return cluster.scan(everywhere=True)


def chosen(scan: api.Report) -> list[Ref]:
    """Return some members of each incident, and all objects without one."""
    read = {d.subject for d in scan.diagnoses}
    some = [m for i in scan.incidents for m in [m for m in i.members if m in read][:EACH]]
    return list(dict.fromkeys(some))


def test_a_scan_says_what_why_says(cluster: api.Cluster, scan: api.Report) -> None:
    subjects = chosen(scan)
    assert len(subjects) >= 40 and len(scan.incidents) >= 25

    def asked(subject: Ref) -> Diagnosis:
        return cluster.why(subject, nodes=None).diagnoses[0]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(subjects, pool.map(asked, subjects), strict=True))
    assert sum(bool(list_roots(d)) for d in answers.values()) > len(answers) // 2
    # A busy server may leave a question open, which is then reported.
    assert [d for d in find_differences(scan, answers) if not d.said] == []


def test_each_object_without_a_cause_is_an_incident_of_its_own_or_of_others(scan: api.Report) -> None:
    members = {m for i in scan.incidents for m in i.members}
    assert [
        d.subject for d in scan.diagnoses if d.state.name in ("stuck", "unknown") and d.subject not in members
    ] == []
