"""One client with very many and very large probes: the agent still answers another client, in time and within
its memory.
"""

from __future__ import annotations

import http.client
import json
import ssl
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.callers import Caller, write_account_kubeconfig
from tests.e2e.test_agent import HERE, HOME, OBJECTS, agents, ask
from tests.e2e.test_agent_rights import GROUP, account, asks, role

if TYPE_CHECKING:
    from unstuck_lab import Lab, Node

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("release")]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS, PROBES = "e2e-agent-flood", f"{OBJECTS}/nodeprobes"
GREEDY = f"system:serviceaccount:{NS}:greedy"
MANY, AT_ONCE, STORED = 1000, 8, 64 << 20
# The time limit of `unstuck why` for an agent.
IN_TIME = 6.0


def probe(
    labels: dict[str, str] | None = None, meta: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    """Return a NodeProbe with a full spec, and further metadata."""
    metadata = {
        "name": f"e2e-{uuid.uuid4().hex}",
        "namespace": HOME,
        "labels": {"unstuck.dev/node": HERE, **(labels or {})},
        **(meta or {}),
    }
    pod = {"namespace": NS, "name": "\N{COLLISION SYMBOL}" * 253, "uid": "<" * 36}
    told = {
        "nodeName": HERE,
        "requestedBy": GREEDY,
        "deadlineSeconds": 30,
        "reason": "\N{COLLISION SYMBOL}" * 200,
        "pod": pod,
        **spec,
    }
    return {"apiVersion": GROUP, "kind": "NodeProbe", "metadata": metadata, "spec": told}


def _labels(count: int) -> dict[str, str]:
    prefix = ".".join("p" * 61 for _ in range(4))[:253]
    return {f"{prefix}/{i:03}{'n' * 60}": "v" * 63 for i in range(count)}


def _managed(keys: int) -> list[dict[str, Any]]:
    """Return an entry of managedFields, as a client may send it."""
    fields = {"f:metadata": {"f:labels": {f"f:{i:06}{'k' * 250}": {} for i in range(keys)}}}
    return [
        {
            "manager": "greedy",
            "operation": "Update",
            "apiVersion": GROUP,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }
    ]


# The largest probes acceptable to an API server by itself, each with the message of the refusing party.
LARGE = {
    "annotations": (lambda: probe(meta={"annotations": {"x": "a" * (250 << 10)}}), "no annotations"),
    "labels": (lambda: probe(_labels(700)), "at most 4 labels"),
    "managed fields": (
        lambda: probe(meta={"managedFields": _managed(1000)}),
        "managedFields must be those of a probe",
    ),
    "time": (
        lambda: probe(since=f"2026-01-01T00:00:00.{'0' * (250 << 10)}Z"),
        "Too long: may not be more than 40",
    ),
}


def largest_admitted() -> dict[str, Any]:
    """Return the largest admitted probe."""
    return probe(_labels(3), {"managedFields": _managed(5)}, since=f"2026-01-01T00:00:00.{'0' * 19}Z")


@pytest.fixture(scope="module")
def greedy(lab: Lab, release: None) -> Iterator[Caller]:
    """Return a client that may get the Pods of one Namespace, and ask about them."""
    from unstuck_lab import agent

    lab.wait(lambda: agent.is_ready(lab), 120, "agents Ready")
    get_pods = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    binding = asks("greedy")
    binding["subjects"][0]["namespace"] = NS
    try:
        lab.apply(
            objects.make_namespace(NS), account("greedy") | {"metadata": {"name": "greedy", "namespace": NS}}
        )
        lab.apply(*role(NS, "get-pods", get_pods, "greedy", NS), binding)
        yield write_account_kubeconfig(lab, NS, "greedy")
    finally:
        lab.run_kubectl("delete", "--ignore-not-found", "-n", HOME, "rolebinding", "e2e-asker-greedy")
        steps.remove_namespace(lab, NS)


@pytest.mark.parametrize("name", LARGE)
def test_no_probe_is_larger_than_what_it_asks(lab: Lab, greedy: Caller, name: str) -> None:
    make, why = LARGE[name]
    status, answer = greedy.ask("POST", PROBES, make())
    if status == 201:
        lab.request("DELETE", f"{PROBES}/{answer['metadata']['name']}")
    assert status in (403, 422)
    assert why in answer["message"]


def _put(greedy: Caller, bodies: list[dict[str, Any]]) -> None:
    """Create the probes on one connection."""
    context = ssl.create_default_context(cafile=greedy.authority)
    connection = http.client.HTTPSConnection(urlsplit(greedy.server).netloc, context=context, timeout=30)
    for body in bodies:
        connection.request(
            "POST", PROBES, json.dumps(body), {"Content-Type": "application/json", **greedy.headers}
        )
        answer = connection.getresponse()
        said = answer.read()
        assert answer.status == 201, said[:500]
    connection.close()


def _flood(lab: Lab, greedy: Caller) -> int:
    """Create very many of the largest admitted probes; return their number."""
    made = [make() for make in (*(make for make, _ in LARGE.values()), largest_admitted)]
    body = next(b for b in made if greedy.ask("POST", f"{PROBES}?dryRun=All", b)[0] == 201)
    many = min(MANY, STORED // len(json.dumps(body, ensure_ascii=False).encode()))
    bodies = [
        body | {"metadata": body["metadata"] | {"name": f"e2e-{uuid.uuid4().hex}"}} for _ in range(many)
    ]
    threads = [threading.Thread(target=_put, args=(greedy, bodies[i::AT_ONCE])) for i in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(lab.request("GET", PROBES)["items"])


def _restarts(lab: Lab) -> dict[str, int]:
    pods = lab.request("GET", f"/api/v1/namespaces/{HOME}/pods?fieldSelector=spec.nodeName={HERE}")["items"]
    return {c["name"]: c["restartCount"] for p in pods for c in p["status"].get("containerStatuses", [])}


def _most_memory(node: Node, pid: int) -> tuple[int, int]:
    """Return the peak memory of the process' control group, and its limit, in bytes."""
    group = next(
        line.split(":")[2]
        for line in node.check(["cat", f"/proc/{pid}/cgroup"]).splitlines()
        if ":memory:" in line or "0::" in line
    )
    for most, limit in (
        ("memory.max_usage_in_bytes", "memory.limit_in_bytes"),
        ("memory.peak", "memory.max"),
    ):
        for top in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
            found = node.run(["cat", f"{top}{group}/{most}", f"{top}{group}/{limit}"])
            if found.returncode == 0:
                used, bound = found.stdout.split()
                return int(used), int(bound)
    raise AssertionError(group)


def test_a_thousand_probes_of_one_asker_keep_nobody_else_from_an_answer(lab: Lab, greedy: Caller) -> None:
    """While they are being answered; by a reporter that begins with them; and then it is still within its
    memory.
    """
    node = lab.get_node(HERE)
    try:
        begun = time.monotonic()
        many = _flood(lab, greedy)
        sys.stdout.write(f"\n{many} probes in {time.monotonic() - begun:.1f} s\n")
        first = ask(lab, deadline=5)
        assert first.refused == [] and first.seconds < IN_TIME
        (old,) = agents(node)["reporter"]
        node.check(["kill", "-KILL", str(old)])
        new = lab.wait(
            lambda: next((p for p in agents(node)["reporter"] if p != old), None), 30, "the reporter again"
        )
        before = _restarts(lab)
        there = len(lab.request("GET", PROBES)["items"])
        assert there >= many // 2, "it begins with them"
        second = ask(lab, deadline=5)
        assert second.refused == [] and second.seconds < IN_TIME
        most, limit = _most_memory(node, new)
        sys.stdout.write(
            f"answers after {first.seconds:.2f} s and {second.seconds:.2f} s; {most >> 20} of {limit >> 20} "
            "MiB\n"
        )
        assert most < limit <= 96 << 20
        assert {k: v for k, v in _restarts(lab).items() if v > before.get(k, 0) + 1} == {}
    finally:
        lab.request("DELETE", PROBES)
