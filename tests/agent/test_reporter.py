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
from unstuck.agent.api import Api, HttpReply
from unstuck.agent.clock import AgentClock
from unstuck.agent.journal import Journal
from unstuck.agent.probes import COLUMNS, PER_MINUTE, PendingProbe, ProbeQueue, parse_row
from unstuck.agent.reporter import Reporter, api_path
from unstuck.agent.watcher import Watcher
from unstuck.facts.codec import load

_FACT = {"type": "Host", "about": {"kind": "Node", "name": "n1"}, "src": {"where": "n1 x"}, "kernel": "6.1"}


pytestmark = pytest.mark.slow


class _Stoppable(Api):
    """Ends its reporter's thread after the test: the port is soon reused."""

    stopped = False

    def call(self, *arguments: Any, **more: Any) -> HttpReply:
        if self.stopped:
            raise SystemExit
        return super().call(*arguments, **more)


@dataclass
class Agent:
    """A running reporter, and its requested looks."""

    cluster: Cluster
    account: Path
    port: int
    journal: Path
    looked: list[str]
    apis: list[_Stoppable]

    def start(self, look: Callable[[PendingProbe], list[dict[str, Any]]] | None = None) -> None:
        def looking(probe: PendingProbe) -> list[dict[str, Any]]:
            self.looked.append(probe.name)
            return look(probe) if look else [_FACT]

        base, known, clock = api_path("unstuck-system"), ProbeQueue(), AgentClock()
        watcher = Watcher(_Stoppable("127.0.0.1", self.port, self.account), base, "n1", known, clock)
        reporter = Reporter(
            _Stoppable("127.0.0.1", self.port, self.account),
            base,
            "n1",
            known,
            clock,
            Journal(str(self.journal)),
            looking,
        )
        self.apis += [watcher._api, reporter._api]

        def run(work: Callable[[], None]) -> None:
            with suppress(SystemExit):
                work()

        for work in (watcher.run, reporter.run):
            threading.Thread(target=run, args=(work,), daemon=True).start()

    def stop(self) -> None:
        """End its threads, with their next request."""
        for api in self.apis:
            api.stopped = True


def _agent(cluster: Cluster, directory: Path, port: int) -> Agent:
    return Agent(cluster, directory / "account", port, directory / "journal", [], [])


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    cluster = Cluster()
    with serving(cluster, tmp_path / "account") as port:
        one = _agent(cluster, tmp_path, port)
        yield one
        one.stop()


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
    assert (report["nodeName"], report["probeUID"], report["metadata"]["labels"]) == (
        "n1",
        after,
        {"unstuck.dev/node": "n1"},
    )
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
        agent.stop()


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
    "event",
    [
        [],
        5,
        {"type": "ADDED", "object": {"metadata": 7}},
        {"type": "ERROR"},
        {"type": 1, "object": {"a": []}},
        {"type": "ADDED", "object": {"rows": [{"cells": 5}, 7], "columnDefinitions": 5}},
        {"type": "ADDED", "object": {"rows": [{"cells": [None] * 11}, {"cells": []}]}},
    ],
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

    def look(_: PendingProbe) -> list[dict[str, Any]]:
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


_ROW = {
    "Name": "a",
    "Node": "n",
    "Asked by": "me",
    "UID": "0" * 36,
    "Created": "2026-01-01T00:00:00Z",
    "Deadline": 1,
    "Since": None,
    "Pod namespace": None,
    "Pod": None,
    "Pod UID": None,
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"UID": "../x"},
        {"UID": None},
        {"Created": "never"},
        {"Created": 5},
        {"Deadline": []},
        {"Deadline": None},
    ],
)
def test_a_row_that_is_no_probe_is_none(wrong: dict[str, Any]) -> None:
    assert set(_ROW) == set(COLUMNS)
    assert parse_row(_ROW) is not None
    assert parse_row(_ROW | wrong) is None
    assert parse_row({}) is None


# --- attempts to silence it -------------------------------------------------------------------------------


def test_what_an_asker_writes_into_metadata_is_never_read(agent: Agent) -> None:
    """256 KiB of annotations is what an API server takes by itself."""
    c = agent.cluster
    full = {"annotations": {"x": "\N{COLLISION SYMBOL}" + "a" * (250 << 10)}}
    for i in range(80):
        c.probe(f"greedy-{i:02}", meta=full, requestedBy="greedy")
    agent.start()
    first = c.probe("modest", requestedBy="modest")
    assert c.wait(_reported(c, first))
    c.probe("greedy-later", meta={"annotations": {"x": "a" * (2 << 20)}}, requestedBy="greedy")
    second = c.probe("modest-later", requestedBy="modest")
    assert c.wait(_reported(c, second))


def test_a_page_too_large_is_asked_for_in_smaller_ones(agent: Agent) -> None:
    """Probes from before the schema bounded each field: what is larger than all that is read together is
    read one by one.
    """
    c = agent.cluster
    for i in range(6):
        c.probe(
            f"large-{i}", age=300, requestedBy="greedy", since="2026-01-01T00:00:00." + "0" * (1 << 20) + "Z"
        )
    agent.start()
    uid = c.probe("modest")
    assert c.wait(_reported(c, uid))
    assert c.wait(lambda: set(c.probes) == {"modest"}), "what is old is swept"
    assert c.pages[0] > min(c.pages)


def test_an_event_too_long_ends_no_more_than_its_watch(agent: Agent) -> None:
    c = agent.cluster
    agent.start()
    assert c.wait(lambda: c.watching() == 1)
    c.probe("large", requestedBy="greedy", since="2026-01-01T00:00:00." + "0" * (2 << 20) + "Z")
    uid = c.probe("modest")
    assert c.wait(_reported(c, uid))


def test_it_sweeps_though_the_list_fails(agent: Agent) -> None:
    c = agent.cluster
    for i in range(110):
        c.probe(f"old-{i:03}", age=16 * 60)
    alive = c.probe("on-the-second-page")
    agent.journal.write_text(f"{alive}\n")
    c.reports[f"{alive}.n1"] = {}
    # Only the first page ever comes.
    c.fails = lambda method, path: (500, {}) if method == "GET" and "continue" in path else None
    agent.start()
    assert c.wait(lambda: len(c.probes) == 1)
    assert f"{alive}.n1" in c.reports, "that its probe has not been seen yet does not say that it is gone"


def test_one_that_is_not_let_go_keeps_no_other(agent: Agent) -> None:
    c = agent.cluster
    for i in range(30):
        c.probe(f"old-{i:02}", age=16 * 60)
    c.fails = lambda method, path: (
        (403, {}) if method == "DELETE" and path.endswith(tuple(f"old-{i:02}" for i in range(15))) else None
    )
    agent.start()
    assert c.wait(lambda: len(c.probes) == 15)
    assert [method for method, path in c.asked if path.endswith("old-00")].count("DELETE") == 1, (
        "it is tried again, but not at once"
    )


def test_while_one_asker_has_a_thousand_another_one_is_next(agent: Agent) -> None:
    """Also one who comes when the thousand are being answered."""
    c = agent.cluster
    for i in range(1000):
        c.probe(f"many-{i:04}", requestedBy="greedy", deadlineSeconds=30)
    looking, go_on = threading.Event(), threading.Event()

    def look(_: PendingProbe) -> list[dict[str, Any]]:
        looking.set()
        go_on.wait(10)
        return [_FACT]

    agent.start(look)
    assert looking.wait(10)
    c.probe("modest", requestedBy="modest")
    # It has been seen once the earlier events of the same watch have been.
    assert c.wait(lambda: c.watching() == 1)
    threading.Event().wait(0.5)
    go_on.set()
    assert c.wait(lambda: len(agent.looked) >= 2)
    assert agent.looked[1] == "modest"
