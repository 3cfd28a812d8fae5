"""Asking the agent: the request, the trusted parts of the answer, and the reasons for a missing one, against
an HTTP server.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.kube.server import Handler, Server, serving
from unstuck.collect.kube.nodes.agent import AgentWay
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.facts.aspects.host import Host
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Ref, Source, Want
from unstuck.facts.single_wants import read_wants
from unstuck.facts.snapshot import Snapshot

# Each test has a server, and waits of seconds.
pytestmark = pytest.mark.slow


NODE = "lab-2"
POD = Ref("Pod", "shop", "web-0", "9e9856b0-4ab1-4233-af3d-f5b9b16f40a7")
HOST = Host(about=Ref("Node", None, NODE), src=Source(f"{NODE} /proc/version"), kernel="6.1")
PROBES = "/apis/unstuck.dev/v1/namespaces/unstuck-system/nodeprobes"
REPORTS = "/apis/unstuck.dev/v1/namespaces/unstuck-system/nodereports"
PODS = "/api/v1/namespaces/unstuck-system/pods"
UID = "00000000-0000-4000-8000-000000000001"


def report(*facts: Any, node: str = NODE) -> dict[str, Any]:
    text = json.dumps(save(Saved(Snapshot(facts, datetime(2026, 1, 1, tzinfo=UTC)), None), "1"))
    return {"kind": "NodeReport", "nodeName": node, "probeUID": UID, "facts": text}


def status(code: int, message: str, name: str = "") -> Callable[[Handler], None]:
    return lambda h: h.say(
        code, {"kind": "Status", "message": message, "details": {"name": name} if name else {}}
    )


class Cluster:
    """The answers to each kind of request; the usual ones unless a test overrides them."""

    def __init__(self, **answers: Callable[[Handler], None]) -> None:
        self.answers = answers
        self.there: set[str] = set()

    def __call__(self, h: Handler) -> None:
        path = h.path.partition("?")[0]
        kind = (
            "who"
            if "selfsubjectreviews" in path
            else "report"
            if path.startswith(REPORTS)
            else "pods"
            if path == PODS
            else h.command.lower()
        )
        if kind == "post":
            self.there.add(json.loads(h.body)["metadata"]["name"])
        if kind == "delete":
            self.there.discard(path.rpartition("/")[2])
        usual: dict[str, Callable[[Handler], None]] = {
            "who": lambda h: h.say(201, {"status": {"userInfo": {"username": "eve"}}}),
            "post": lambda h: h.say(201, {"metadata": {"uid": UID}}),
            "report": lambda h: h.say(200, report(HOST)),
            "delete": lambda h: h.say(200, {}),
            "pods": lambda h: h.say(200, {"items": []}),
        }
        self.answers.get(kind, usual[kind])(h)


def look(cluster: Cluster, seconds: float = 5.0, pod: Ref | None = POD) -> tuple[list[Any], Server]:
    with serving(cluster) as server:
        way = AgentWay(Client(Access("test", server.url), 5, env={}))
        return way.look(NODE, pod, seconds), server


def only(facts: list[Any]) -> Unreached:
    (fact,) = facts
    assert isinstance(fact, Unreached) and fact.way == "agent" and fact.about == Ref("Node", None, NODE)
    return fact


def test_a_probe_says_who_asks_and_about_what_and_is_deleted_again() -> None:
    cluster = Cluster()
    facts, server = look(cluster)
    assert facts == [HOST]
    sent = json.loads(next(s.body for s in server.seen if s.method == "POST" and s.path == PROBES))
    assert sent["spec"] == {
        "nodeName": NODE,
        "requestedBy": "eve",
        "deadlineSeconds": 4,
        "pod": {"namespace": "shop", "name": "web-0", "uid": POD.uid},
    }
    assert sent["metadata"]["labels"] == {"unstuck.dev/node": NODE} and not cluster.there
    assert any(s.path == f"{REPORTS}/{UID}.{NODE}" for s in server.seen)


def test_no_pod_is_no_pod() -> None:
    _, server = look(Cluster(), pod=None)
    assert "pod" not in json.loads(next(s.body for s in server.seen if s.path == PROBES))["spec"]


def test_single_things_are_asked_of_the_whole_node() -> None:
    with serving(Cluster()) as server:
        way = AgentWay(Client(Access("test", server.url), 5, env={}))
        want = Want(NodePath, Ref("File", NODE, "/srv/data"))
        assert way.answer(NODE, [want], 5.0) == [HOST] and way.answer(NODE, [], 5.0) == []
    sent = json.loads(next(s.body for s in server.seen if s.path == PROBES))["spec"]
    assert "pod" not in sent and read_wants(sent["wants"], NODE) == (want,)


def test_a_refused_question_about_single_things_is_no_answer() -> None:
    with serving(Cluster(post=status(403, "you lack the verb probe"))) as server:
        way = AgentWay(Client(Access("test", server.url), 5, env={}))
        found = way.answer(NODE, [Want(NodePath, Ref("File", NODE, "/srv/data"))], 5.0)
    assert all(isinstance(fact, Unreached) for fact in found)


@pytest.mark.parametrize(
    ("answers", "reason", "why"),
    [
        ({"post": status(404, "the server could not find the requested resource")}, "absent", "not-offered"),
        (
            {"post": status(404, 'namespaces "unstuck-system" not found', "unstuck-system")},
            "absent",
            "not-offered",
        ),
        ({"who": status(404, "not found")}, "version", "not-offered"),
        ({"post": status(403, 'nodeprobes is forbidden: User "eve" cannot create')}, "denied", "denied"),
        (
            {
                "post": status(
                    403,
                    (
                        'nodeprobes.unstuck.dev "cli-1" is forbidden: exceeded quota: unstuck-probes, '
                        "requested: count/…=1"
                    ),
                )
            },
            "busy",
            "unreachable",
        ),
        (
            {
                "post": status(
                    500, 'Internal error occurred: failed calling webhook "all.example.org": no route'
                )
            },
            "webhook",
            "unreachable",
        ),
        ({"post": status(503, "away")}, "", "unreachable"),
        ({"report": status(403, "forbidden")}, "denied", "denied"),
        ({"report": lambda h: h.say(200, report(HOST, node="lab-3"))}, "other-node", "not-offered"),
        ({"report": lambda h: h.say(200, {"nodeName": NODE, "facts": "{"})}, "unreadable", "not-offered"),
        ({"report": lambda h: h.say(200, {"nodeName": NODE})}, "unreadable", "not-offered"),
    ],
)
def test_what_is_refused_says_what_stood_in_the_way(answers: dict[str, Any], reason: str, why: str) -> None:
    cluster = Cluster(**answers)
    found = only(look(cluster)[0])
    assert (found.reason, found.why) == (reason, why)
    if "report" in answers:
        assert not cluster.there


def agent(**more: Any) -> dict[str, Any]:
    meta = {
        "name": "unstuck-agent-x",
        "ownerReferences": [{"kind": "DaemonSet", "name": "unstuck-agent"}],
        **more.pop("metadata", {}),
    }
    return {"metadata": meta, "status": {"conditions": [{"type": "Ready", **more}]}}


EARLIER = (datetime.now(UTC) - timedelta(hours=3)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("pods", "reason"),
    [
        (lambda h: h.say(200, {"items": []}), "pod-absent"),
        (lambda h: h.say(200, {"items": [{"metadata": {"name": "other"}}]}), "pod-absent"),
        (
            lambda h: h.say(200, {"items": [agent(metadata={"deletionTimestamp": EARLIER}, status="True")]}),
            "pod-terminating",
        ),
        (
            lambda h: h.say(200, {"items": [agent(status="False", lastTransitionTime=EARLIER)]}),
            "pod-not-ready",
        ),
        (lambda h: h.say(200, {"items": [agent(status="True")]}), "silent"),
        (status(403, "no"), "pod-unknown"),
    ],
)
def test_silence_is_explained_by_the_agents_own_pod(
    pods: Any, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unstuck.collect.kube.nodes.agent._PATIENCE", 0.05)
    cluster = Cluster(report=status(404, "not found", "x"), pods=pods)
    found = only(look(cluster, 0.25)[0])
    assert found.reason == reason and not cluster.there
    if reason in ("pod-terminating", "pod-not-ready"):
        assert (
            found.since is not None
            and found.since.strftime("%Y-%m-%dT%H:%M:%SZ") == EARLIER
            and found.name == "unstuck-agent-x"
        )


def test_leaving_deletes_the_probe() -> None:
    waiting = threading.Event()

    def silent(h: Handler) -> None:
        waiting.set()
        h.say(404, {"kind": "Status", "details": {"name": "x"}})

    cluster = Cluster(report=silent)
    with serving(cluster) as server:
        way = AgentWay(Client(Access("test", server.url), 5, env={}))
        looking = threading.Thread(target=way.look, args=(NODE, POD, 3.0))
        looking.start()
        assert waiting.wait(5) and cluster.there
        way.close()
        assert not cluster.there
        looking.join(10)


def in_turn(answers: list[Callable[[Handler], None]]) -> Callable[[Handler], None]:
    def answer(h: Handler) -> None:
        answers.pop(0)(h)

    return answer


def test_a_probe_whose_deletion_fails_is_deleted_again() -> None:
    answers = [status(500, "etcdserver: request timed out"), lambda h: h.say(200, {})]
    cluster = Cluster(delete=in_turn(answers))
    facts, server = look(cluster)
    assert facts == [HOST] and not answers
    assert len([s for s in server.seen if s.method == "DELETE"]) == 2


def test_a_probe_that_comes_only_after_it_was_given_up_is_deleted() -> None:
    """Its POST got no answer in time, and it is not there yet when it is to be deleted."""
    answers = [status(404, "not found"), lambda h: h.say(200, {})]
    cluster = Cluster(post=lambda h: h.server.hold.wait(20), delete=in_turn(answers))
    assert only(look(cluster, 0.3)[0]).why == "timeout" and not answers


def test_a_server_that_hangs_ends_in_time() -> None:
    found = only(look(Cluster(post=lambda h: h.server.hold.wait(20)), 0.3)[0])
    assert found.why == "timeout"
