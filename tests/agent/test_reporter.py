"""The reporter against a server that lists, watches, forgets, refuses and goes away."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.agent.cluster import Cluster, serving
from unstuck.agent.api import Answer, Api
from unstuck.agent.probes import PER_MINUTE, Known, Probe, parse
from unstuck.agent.reporter import Reporter
from unstuck.facts.codec import load

_FACT = {"type": "Host", "about": {"kind": "Node", "name": "n1"}, "src": {"where": "n1 x"}, "kernel": "6.1"}


pytestmark = pytest.mark.slow


class _Stoppable(Api):
    """Ends its reporter's thread after the test: a port is soon somebody else's."""

    stopped = False

    def call(self, *arguments: Any, **more: Any) -> Answer:
        if self.stopped:
            raise SystemExit
        return super().call(*arguments, **more)


@dataclass
class Agent:
    """A reporter that runs, and what it was asked to look at."""

    cluster: Cluster
    account: Path
    port: int
    journal: Path
    looked: list[str]
    api: _Stoppable

    def start(self, look: Callable[[Probe], list[dict[str, Any]]] | None = None) -> Reporter:
        def looking(probe: Probe) -> list[dict[str, Any]]:
            self.looked.append(probe.name)
            return look(probe) if look else [_FACT]

        reporter = Reporter(self.api, "n1", "unstuck-system", str(self.journal), looking)

        def run() -> None:
            with suppress(SystemExit):
                reporter.run()

        threading.Thread(target=run, daemon=True).start()
        return reporter


def _agent(cluster: Cluster, directory: Path, port: int) -> Agent:
    account = directory / "account"
    return Agent(cluster, account, port, directory / "journal", [], _Stoppable("127.0.0.1", port, account))


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    cluster = Cluster()
    with serving(cluster, tmp_path / "account") as port:
        one = _agent(cluster, tmp_path, port)
        yield one
        one.api.stopped = True


def _reported(cluster: Cluster, uid: str) -> Callable[[], bool]:
    return lambda: f"{uid}.n1" in cluster.reports


def test_a_probe_that_comes_and_one_that_is_there_are_reported_once(agent: Agent) -> None:
    c = agent.cluster
    before = c.probe("before", pod={"namespace": "a", "name": "b", "uid": "c"})
    agent.start()
    assert c.wait(_reported(c, before))
    after = c.probe("after")
    assert c.wait(_reported(c, after))
    report = c.reports[f"{after}.n1"]
    assert (report["nodeName"], report["probeUID"], report["metadata"]["labels"]) == ("n1", after, {"unstuck.dev/node": "n1"})
    assert [type(f).__name__ for f in load(json.loads(report["facts"])).snapshot.facts] == ["Host"]
    c.end_watches()
    assert c.wait(lambda: c.watching() >= 2)
    assert agent.looked == ["before", "after"]


def test_a_report_goes_with_its_probe(agent: Agent) -> None:
    c = agent.cluster
    agent.start()
    uid = c.probe("p")
    assert c.wait(_reported(c, uid))
    c.remove("p")
    assert c.wait(lambda: not c.reports)


def test_what_is_old_is_swept_and_not_answered_and_other_nodes_are_left_alone(agent: Agent) -> None:
    c = agent.cluster
    c.probe("old", age=16 * 60)
    c.probe("given-up", age=120)
    c.probe("elsewhere", node="n2", age=16 * 60)
    gone = "00000001-0000-0000-0000-000000000000"
    agent.journal.write_text(f"{gone}\n")
    c.reports[f"{gone}.n1"] = {}
    agent.start()
    assert c.wait(lambda: "old" not in c.probes and not c.reports)
    assert agent.looked == []
    assert set(c.probes) == {"given-up", "elsewhere"}


def test_a_version_that_the_server_has_forgotten_leads_to_a_new_list(agent: Agent) -> None:
    c = agent.cluster
    agent.start()
    assert c.wait(lambda: c.watching() == 1)
    with c.lock:
        c.events.clear()
        c.oldest = c.version + 1
    c.end_watches()
    assert c.wait(lambda: c.watching() >= 2)
    with c.lock:
        c.version += 10
    uid = c.probe("after-410")
    assert c.wait(_reported(c, uid))


def test_a_server_that_goes_away_and_comes_back_is_watched_again(tmp_path: Path) -> None:
    cluster = Cluster()
    with serving(cluster, tmp_path / "account") as port:
        agent = _agent(cluster, tmp_path, port)
        agent.start()
        assert cluster.wait(lambda: cluster.watching() == 1)
    uid = cluster.probe("meanwhile", deadlineSeconds=30)
    with serving(cluster, tmp_path / "account", port):
        assert cluster.wait(_reported(cluster, uid), 30)
        agent.api.stopped = True


def test_a_token_that_is_replaced_is_used_from_then_on(agent: Agent) -> None:
    c = agent.cluster
    agent.start()
    assert c.wait(lambda: c.watching() == 1)
    (agent.account / "token").write_text("second")
    c.fails = lambda _method, _path: None if c.tokens[-1] == "Bearer second" else (401, {})
    uid = c.probe("p")
    assert c.wait(_reported(c, uid))
    assert c.tokens[-1] == "Bearer second"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_is_asked_again_until_the_report_is_there(agent: Agent, status: int) -> None:
    c = agent.cluster
    refused: list[str] = []

    def fails(method: str, path: str) -> tuple[int, dict[str, str]] | None:
        if len([r for r in refused if r == method]) < 2 and "watch=1" not in path:
            refused.append(method)
            return status, {"Retry-After": "0"}
        return None

    c.fails = fails
    agent.start()
    uid = c.probe("p")
    assert c.wait(_reported(c, uid))
    assert refused.count("POST") == 2
    assert agent.looked == ["p"]


def test_a_server_without_selectable_fields_is_asked_by_label(agent: Agent) -> None:
    c = agent.cluster
    c.fails = lambda _method, path: (400, {}) if "fieldSelector" in path else None
    agent.start()
    uid = c.probe("p")
    assert c.wait(_reported(c, uid))
    assert any("labelSelector=unstuck.dev%2Fnode%3Dn1" in path for _, path in c.asked)


def test_a_report_that_is_refused_is_not_tried_again_and_the_next_probe_is_answered(agent: Agent) -> None:
    c = agent.cluster
    c.fails = lambda method, _path: (403, {}) if method == "POST" and len(agent.looked) == 1 else None
    agent.start()
    c.probe("first")
    assert c.wait(lambda: agent.looked == ["first"])
    second = c.probe("second")
    assert c.wait(_reported(c, second))
    assert [m for m, _ in c.asked].count("POST") == 2


@pytest.mark.parametrize(
    "event", [[], 5, {"type": "ADDED", "object": {"metadata": 7}}, {"type": "ERROR"}, {"type": 1, "object": {"a": []}}]
)
def test_events_that_are_none_do_no_harm(agent: Agent, event: Any) -> None:
    c = agent.cluster
    agent.start()
    assert c.wait(lambda: c.watching() == 1)
    with c.lock:
        c.version += 1
        c.events.append((c.version, event))
    uid = c.probe("after")
    assert c.wait(_reported(c, uid))


def test_one_probe_at_a_time(agent: Agent) -> None:
    c = agent.cluster
    running: list[int] = []
    most: list[int] = []

    def look(_: Probe) -> list[dict[str, Any]]:
        running.append(1)
        most.append(len(running))
        threading.Event().wait(0.05)
        running.pop()
        return [_FACT]

    agent.start(look)
    uids = [c.probe(f"p{i}") for i in range(5)]
    assert c.wait(lambda: all(f"{uid}.n1" in c.reports for uid in uids))
    assert most == [1] * 5


def test_one_who_asks_without_end_delays_nobody_and_is_refused_at_last(agent: Agent) -> None:
    c = agent.cluster
    many = [c.probe(f"many-{i:02}", requestedBy="greedy") for i in range(PER_MINUTE + 5)]
    c.probe("other", requestedBy="modest")
    agent.start()
    assert c.wait(lambda: all(f"{uid}.n1" in c.reports for uid in many))
    assert agent.looked.index("other") <= 1
    assert len(agent.looked) == PER_MINUTE + 1
    refused = [u for u in many if '"denied"' in c.reports[f"{u}.n1"]["facts"]]
    assert len(refused) == 5


@pytest.mark.parametrize(
    "doc",
    [
        None,
        [],
        {},
        {"metadata": {}, "spec": {}},
        {
            "metadata": {"name": "a", "uid": "../x", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": "n", "deadlineSeconds": 1},
        },
        {"metadata": {"name": "a", "uid": "0" * 36, "creationTimestamp": "never"}, "spec": {"nodeName": "n", "deadlineSeconds": 1}},
        {
            "metadata": {"name": "a", "uid": "0" * 36, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": "n", "deadlineSeconds": []},
        },
        {"metadata": {"name": "a", "uid": "0" * 36, "creationTimestamp": 5}, "spec": {"nodeName": "n", "deadlineSeconds": 1, "pod": 7}},
    ],
)
def test_what_is_no_probe_is_none(doc: Any) -> None:
    assert parse(doc) is None
    known = Known()
    known.seen("ADDED", doc)
    assert known.next(0) is None
