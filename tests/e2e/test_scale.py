"""A cluster of 500 Nodes and 15,000 Pods on a real etcd and API server: the scan's incidents equal the
generated ones.

Results are asserted, not times, which `make bench-scale` measures. Both processes end with any end of this
one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from benchmarks.scale.dropping import dropping
from benchmarks.scale.truth import find_differences
from benchmarks.scale.world import World

from tests.e2e.command import run_unstuck
from unstuck.collect.kube.collector import KubeCollector
from unstuck.collect.kube.questions.health import is_healthy
from unstuck.collect.kube.transport.client import load_client
from unstuck.facts.aspects.alike import Alike
from unstuck_lab import pki
from unstuck_lab.objects_only import ObjectsOnly

pytestmark = pytest.mark.e2e
NODES, PODS = 500, 15_000
ODD = "odd"


@pytest.fixture(scope="module")
def made() -> Iterator[tuple[ObjectsOnly, World]]:
    world = World(NODES, PODS)
    with ObjectsOnly() as cluster:
        cluster.fill(world.list_objects())
        cluster.serve()
        yield cluster, world


def scanned(*args: str, kubeconfig: object) -> dict[str, Any]:
    done = run_unstuck("scan", *args, "--members", "-o", "json", kubeconfig=str(kubeconfig))
    assert (done.returncode, done.stderr) == (1, ""), done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_incidents_are_those_that_were_put_in(made: tuple[ObjectsOnly, World]) -> None:
    cluster, world = made
    assert len({m[1] for t in world.truth for m in t.members}) >= 100
    assert find_differences(world.truth, scanned("-A", kubeconfig=cluster.write_kubeconfig())) == []


def test_a_server_that_drops_every_tenth_connection_changes_nothing(made: tuple[ObjectsOnly, World]) -> None:
    cluster, world = made
    with dropping(cluster.port, every=10) as through:
        found = scanned("-A", kubeconfig=cluster.write_kubeconfig(url=f"https://127.0.0.1:{through.port}"))
        assert through.dropped > 0
    assert find_differences(world.truth, found) == []


def test_a_scan_asks_at_most_a_thousand_times_and_never_for_all_pods(made: tuple[ObjectsOnly, World]) -> None:
    from unstuck.api.scanning import JudgingOptions, deepen, survey
    from unstuck.engine import Evaluator, list_causes

    cluster, _ = made
    client = load_client(kubeconfig=str(cluster.write_kubeconfig()))
    collector = KubeCollector(client)
    deepen(collector, survey(collector, None), None, JudgingOptions(list_causes(), None, Evaluator()))
    assert len(client.requests) <= 1000
    lists = [
        r
        for r in client.requests
        if r.partition("?")[0].endswith("/pods") and "Selector" not in r and "includeObject=None" not in r
    ]
    assert [r for r in lists if "limit=" not in r or r.startswith("/api/v1/pods")] == []


def test_triage_misses_nothing_that_a_full_list_shows(made: tuple[ObjectsOnly, World]) -> None:
    """Pods of every status: what the list says is not healthy is found by the rows of the table, alone or
    as like another.
    """
    cluster, world = made
    cluster.ask("POST", "/api/v1/namespaces", {"metadata": {"name": ODD}})
    cluster.fill(pods_of_every_status(world, 300))
    client = load_client(kubeconfig=str(cluster.write_kubeconfig()))
    items = cluster.ask("GET", f"/api/v1/namespaces/{ODD}/pods")["items"]
    assert len(items) == 300
    assert {name for name, is_one in STATUSES.items() if any(map(is_one, items))} == STATUSES.keys()
    ill = {i["metadata"]["name"] for i in items if not is_healthy({**i, "kind": "Pod"}, datetime.now(UTC))}
    assert ill >= {i["metadata"]["name"] for i in items if any(is_one(i) for is_one in STATUSES.values())}
    assert len(ill) > 150 and len(items) - len(ill) > 20
    for namespace in (ODD, None):
        refs, facts = KubeCollector(client).list_unhealthy(namespace)
        found = {r.name for r in refs if r.kind == "Pod"}
        found |= {o.ref.name for f in facts if isinstance(f, Alike) for o in f.others}
        assert ill - found == set(), namespace


def _ready(item: dict[str, Any]) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in item["status"]["conditions"])


def _going(item: dict[str, Any], phase: str) -> bool:
    return "deletionTimestamp" in item["metadata"] and item["status"]["phase"] == phase


def _up(item: dict[str, Any]) -> bool:
    return item["status"]["phase"] == "Running" and all(
        c["ready"] for c in item["status"].get("containerStatuses", [{"ready": False}])
    )


# The hardest combinations to find in a list of statuses: each must be generated.
STATUSES = {
    "terminating, but Error": lambda i: _going(i, "Failed"),
    "terminating, but Completed": lambda i: _going(i, "Succeeded"),
    "ready, but restarting": lambda i: (
        _up(i) and _ready(i) and i["status"]["containerStatuses"][0]["restartCount"] > 1
    ),
    "gated": lambda i: bool(i["spec"].get("schedulingGates")),
    "evicted": lambda i: i["status"].get("reason") == "Evicted",
    "up, but for a readiness gate": lambda i: _up(i) and not _ready(i),
}


def pods_of_every_status(world: World, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Create Pods with every status a kubelet may write, mixed; some are their owner's only Pod."""
    chance = random.Random(7)  # noqa: S311
    waiting = [
        "ContainerCreating",
        "PodInitializing",
        "CrashLoopBackOff",
        "ImagePullBackOff",
        "ErrImagePull",
        "CreateContainerError",
    ]
    over = {"startedAt": world.format_time(9), "finishedAt": world.format_time(2)}
    for i in range(count):
        states = [
            {"running": {"startedAt": world.format_time(1)}},
            {"waiting": {"reason": chance.choice(waiting)}},
            {"terminated": {"exitCode": 0, "reason": "Completed", **over}},
            {
                "terminated": {
                    "exitCode": chance.choice([1, 137]),
                    "reason": chance.choice(["Error", "OOMKilled"]),
                    **over,
                }
            },
        ]
        state = chance.choice([states[0], states[0], *states])
        restarts = chance.choice([0, 0, 1, 7])
        last = {"terminated": {"exitCode": 2, "reason": "Error", **over}} if restarts else {}
        ready = "running" in state and chance.random() < 0.7
        phase = chance.choice(["Pending", "Running", "Running", "Running", "Succeeded", "Failed"])
        gate = chance.choice([None, None, "True", "False"])
        spec = world.make_spec(
            "registry.example.com/app:v1",
            **({"readinessGates": [{"conditionType": "example.com/lb"}]} if gate else {}),
        )
        conditions = world.make_conditions("True" if ready and gate != "False" else "False")
        conditions += [{"type": "example.com/lb", "status": gate}] if gate else []
        status: dict[str, Any] = {
            "phase": phase,
            "conditions": conditions,
            "containerStatuses": [
                world.make_container_status(ready=ready, state=state, restartCount=restarts, lastState=last)
            ],
            **({"reason": "Evicted"} if phase == "Failed" and chance.random() < 0.4 else {}),
        }
        if phase == "Pending" and chance.random() < 0.5:
            reason = chance.choice(["Unschedulable", "SchedulingGated"])
            spec = {
                **spec,
                **({"schedulingGates": [{"name": "example.com/g"}]} if reason == "SchedulingGated" else {}),
            }
            status = {"phase": phase, "conditions": world.make_conditions(scheduled="False", reason=reason)}
        going = {
            "deletionTimestamp": world.format_time(3),
            "deletionGracePeriodSeconds": 30,
            "finalizers": ["example.com/hold"],
        }
        owner = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": f"owner-{i % 40}",
            "uid": f"owner-{i % 40}",
            "controller": True,
        }
        yield world.make_pod(
            owner, ODD, world.choose_node(i), spec, status, **(going if chance.random() < 0.2 else {})
        )


def test_who_may_look_at_some_namespaces_sees_these_and_is_told_of_the_others(
    made: tuple[ObjectsOnly, World],
) -> None:
    cluster, _ = made
    cluster.ask(
        "POST",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        {
            "metadata": {"name": "some"},
            "rules": [{"apiGroups": ["", "apps", "batch"], "resources": ["*"], "verbs": ["get", "list"]}],
        },
    )
    for space in ("team-062", "team-070"):
        cluster.ask(
            "POST",
            f"/apis/rbac.authorization.k8s.io/v1/namespaces/{space}/rolebindings",
            {
                "metadata": {"name": "some"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "some"},
                "subjects": [
                    {"kind": "User", "name": pki.READER.name, "apiGroup": "rbac.authorization.k8s.io"}
                ],
            },
        )
    cluster.ask(
        "POST",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        {
            "metadata": {"name": "spaces"},
            "rules": [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list"]}],
        },
    )
    kubeconfig = cluster.write_kubeconfig(pki.READER)
    one = scanned("-n", "team-062", kubeconfig=kubeconfig)
    assert [(i["cause"], i["culprit"]["name"]) for i in one["incidents"]] == [
        ("config.configmap-missing", "app-conf")
    ]
    cluster.ask(
        "POST",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        {
            "metadata": {"name": "spaces"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "spaces"},
            "subjects": [{"kind": "User", "name": pki.READER.name, "apiGroup": "rbac.authorization.k8s.io"}],
        },
    )
    both = scanned("-A", kubeconfig=kubeconfig)
    assert {i["cause"] for i in both["incidents"]} == {
        "config.configmap-missing",
        "container.out-of-memory",
        "namespace.content-remains",
    }
    said = run_unstuck("scan", "-A", kubeconfig=str(kubeconfig))
    assert "forbidden" in said.stdout or "denied" in said.stdout or "not allowed" in said.stdout, said.stdout
