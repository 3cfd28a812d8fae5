"""The choice of access methods to a node, and the report on failed ones."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from unstuck.api.access_methods import SshToNode
from unstuck.api.investigation import this_node
from unstuck.api.node_access import NodeAccess
from unstuck.api.nodes import Nodes
from unstuck.errors import UsageError
from unstuck.facts.aspects.host import DaemonState, FlaggedFiles, Host, MountHolders, PodDirectory
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Refused, Source, Want
from unstuck.facts.snapshot import Snapshot

AT = datetime(2026, 1, 1, tzinfo=UTC)
SRC = Source("x")
NAMESPACE = Ref("Namespace", None, "shop")


def pod(name: str) -> Ref:
    return Ref("Pod", "shop", name, f"uid-{name}")


def placed(**on: str) -> Snapshot:
    return Snapshot(
        (Placement(about=pod(n), src=SRC, node=Ref("Node", None, node)) for n, node in on.items()), AT
    )


def told(node: str, about: Ref | None) -> list[Fact]:
    ref = Ref("Node", None, node)
    facts: list[Fact] = [
        Host(about=ref, src=SRC),
        MountHolders(about=Ref("Mount", node, "/m"), src=SRC, items=()),
    ]
    return [*facts, PodDirectory(about=about, src=SRC, exists=True)] if about else facts


@dataclass
class Fake:
    """An access method that answers for some nodes, and reports the obstacle for others."""

    name: str
    nodes: Sequence[str] = ()
    reason: str = "silent"
    looks: list[tuple[str, Ref | None]] = field(default_factory=list)
    closed: bool = False
    any_node: bool = True

    def look(
        self, node: str, about: Ref | None, deadline: float, since: datetime | None = None
    ) -> list[Fact]:
        assert 0 < deadline <= 30
        self.looks.append((node, about))
        if node in self.nodes:
            return told(node, about)
        return [
            Unreached(
                about=Ref("Node", None, node), src=SRC, way=self.name, why="timeout", reason=self.reason
            )
        ]

    def split_by_consent(self, nodes: Sequence[str], snap: Snapshot) -> tuple[list[str], list[Unreached]]:
        return list(nodes), []

    def close(self) -> None:
        self.closed = True


def refused(facts: Sequence[Fact]) -> dict[str, str]:
    return {f.want: f.why for f in facts if isinstance(f, Refused)}


def unreached(facts: Sequence[Fact]) -> set[tuple[str, str, str]]:
    return {(f.about.name or "", f.way, f.reason) for f in facts if isinstance(f, Unreached)}


@dataclass
class Slow(Fake):
    """An access method that needs some seconds. given: the deadlines of its calls."""

    seconds: float = 4.0
    given: list[float] = field(default_factory=list)

    def look(
        self, node: str, about: Ref | None, deadline: float, since: datetime | None = None
    ) -> list[Fact]:
        self.given.append(deadline)
        found = super().look(node, about, deadline, since)
        late = Unreached(
            about=Ref("Node", None, node), src=SRC, way=self.name, why="timeout", reason="silent"
        )
        return found if deadline >= self.seconds else [late]


@pytest.mark.parametrize(("ssh", "given"), [(["n1"], [2.5]), ([], [2.5, 6.0])])
def test_an_agent_that_is_slow_is_waited_for_only_where_nothing_else_answers(
    ssh: list[str], given: list[float]
) -> None:
    agent, other = Slow("agent", ["n1"]), Fake("ssh", ssh)
    ways = NodeAccess(pod("a"), placed(a="n1"), lambda: [agent, other])
    found = ways.collect([Want(PodDirectory, pod("a"))])
    assert agent.given == pytest.approx(given) and not refused(found)
    assert unreached(found) == ({("n1", "agent", "silent")} if ssh else {("n1", "ssh", "silent")})


def test_a_node_is_told_when_the_deletion_was_asked_for() -> None:
    asked: list[datetime | None] = []

    class Noting(Fake):
        def look(
            self, node: str, about: Ref | None, deadline: float, since: datetime | None = None
        ) -> list[Fact]:
            asked.append(since)
            return super().look(node, about, deadline, since)

    due = AT - timedelta(hours=3)
    snap = placed(a="n1").plus([Deletion(about=pod("a"), src=SRC, requested=True, due=due, grace=30)])
    NodeAccess(pod("a"), snap, lambda: [Noting("agent", ["n1"])]).collect([Want(PodDirectory, pod("a"))])
    assert asked == [due - timedelta(seconds=30)]


def test_single_things_are_asked_of_the_way_that_gave_the_look_and_once() -> None:
    path, other = (Want(NodePath, Ref("File", "n1", name)) for name in ("/a", "/b"))
    put: list[tuple[Want, ...]] = []

    class Answering(Fake):
        def answer(self, node: str, wants: Sequence[Want], deadline: float) -> list[Fact]:
            assert node == "n1" and 0 < deadline <= 30
            put.append(tuple(wants))
            return [NodePath(about=w.about, src=SRC, parts=()) for w in wants if w == path]

    ways = NodeAccess(pod("a"), placed(a="n1"), lambda: [Fake("agent"), Answering("ssh", ["n1"])])
    assert [f.about for f in ways.collect([path, other]) if isinstance(f, NodePath)] == [path.about]
    assert refused(ways.collect([other])) == {"NodePath": "timeout"}
    assert put == [(path, other)], "what has no answer is not asked for again"


def test_for_single_things_alone_no_pod_is_offered() -> None:
    offer = Fake("probe", ["n1"])
    ways = NodeAccess(pod("a"), placed(a="n1"), lambda: [], offer=lambda: offer)
    ways.collect([Want(NodePath, Ref("File", "n1", "/a"))])
    assert offer.looks == []
    ways.collect([Want(PodDirectory, pod("a"))])
    assert offer.looks == [("n1", pod("a"))]


def test_one_look_answers_all_questions_about_a_pod_and_its_node() -> None:
    agent = Fake("agent", ["n1"])
    ways = NodeAccess(pod("a"), placed(a="n1"), lambda: [agent])
    wants = [
        Want(PodDirectory, pod("a")),
        Want(Host, Ref("Node", None, "n1")),
        Want(MountHolders, Ref("Mount", "n1", "/m")),
    ]
    found = ways.collect(wants)
    assert agent.looks == [("n1", pod("a"))] and not refused(found) and ways.sources == ["node:n1"]
    assert ways.collect([Want(FlaggedFiles, pod("a"))]) and len(agent.looks) == 1


def test_what_the_node_did_not_tell_is_refused_and_not_asked_again() -> None:
    agent = Fake("agent", ["n1"])
    ways = NodeAccess(pod("a"), placed(a="n1"), lambda: [agent])
    assert refused(ways.collect([Want(FlaggedFiles, pod("a")), Want(PodDirectory, pod("a"))])) == {
        "FlaggedFiles": "not-offered"
    }
    assert refused(ways.collect([Want(DaemonState, Ref("Node", None, "n1"))])) == {
        "DaemonState": "not-offered"
    }
    assert len(agent.looks) == 1


def test_what_one_way_refuses_falls_to_the_next_in_order_of_cost() -> None:
    agent, ssh, probe = Fake("agent"), Fake("ssh", ["n1"]), Fake("probe", ["n1", "n2"])
    ways = NodeAccess(NAMESPACE, placed(a="n1", b="n2"), lambda: [agent, ssh], offer=lambda: probe)
    found = ways.collect([Want(PodDirectory, pod("a")), Want(PodDirectory, pod("b"))])
    assert not refused(found) and [n for n, _ in probe.looks] == ["n2"]
    assert unreached(found) == {("n1", "agent", "silent"), ("n2", "agent", "silent"), ("n2", "ssh", "silent")}


def test_each_child_is_looked_at_on_its_own_node() -> None:
    agent = Fake("agent", ["n1", "n2"])
    ways = NodeAccess(NAMESPACE, placed(a="n1", b="n2", c="n2"), lambda: [agent])
    ways.collect([Want(PodDirectory, pod(n)) for n in "abc"])
    assert sorted(agent.looks, key=repr) == sorted(
        [("n1", pod("a")), ("n2", pod("b")), ("n2", pod("c"))], key=repr
    )
    assert ways.sources == ["node:n1", "node:n2"]


def test_a_node_is_asked_as_the_subject_where_that_is_a_pod() -> None:
    agent = Fake("agent", ["n1"])
    NodeAccess(pod("a"), placed(a="n1"), lambda: [agent]).collect(
        [Want(DaemonState, Ref("Node", None, "n1"))]
    )
    assert agent.looks == [("n1", pod("a"))]
    agent = Fake("agent", ["n1"])
    NodeAccess(Ref("Node", None, "n1"), placed(), lambda: [agent]).collect(
        [Want(DaemonState, Ref("Node", None, "n1"))]
    )
    assert agent.looks == [("n1", None)]


def test_placements_that_are_heard_later_count() -> None:
    agent = Fake("agent", ["n1"])
    ways = NodeAccess(NAMESPACE, placed(), lambda: [agent])
    ways.hear(placed(a="n1").facts)
    assert not refused(ways.collect([Want(PodDirectory, pod("a"))]))


def test_nobody_is_asked_where_the_node_is_not_known() -> None:
    agent = Fake("agent", ["n1"])
    found = NodeAccess(pod("a"), placed(), lambda: [agent]).collect([Want(PodDirectory, pod("a"))])
    assert refused(found) == {"PodDirectory": "not-asked"} and not agent.looks


def test_no_agent_is_nobody_asked_and_told_only_where_nothing_else_was_there() -> None:
    absent, ssh = Fake("agent", reason="absent"), Fake("ssh", ["n1"])
    found = NodeAccess(pod("a"), placed(a="n1"), lambda: [absent]).collect([Want(PodDirectory, pod("a"))])
    assert refused(found) == {"PodDirectory": "not-asked"} and unreached(found) == {("n1", "agent", "absent")}
    assert not unreached(
        NodeAccess(pod("a"), placed(a="n1"), lambda: [absent, ssh]).collect([Want(PodDirectory, pod("a"))])
    )


def test_ways_are_made_only_when_a_question_wants_them() -> None:
    made: list[int] = []
    ways = NodeAccess(pod("a"), placed(a="n1"), lambda: made.append(1) or [])
    assert not made
    ways.collect([Want(PodDirectory, pod("a"))])
    ways.collect([Want(Host, Ref("Node", None, "n1"))])
    assert made == [1]


def test_an_answer_of_another_node_is_none() -> None:
    class Wrong(Fake):
        def look(
            self, node: str, about: Ref | None, deadline: float, since: datetime | None = None
        ) -> list[Fact]:
            return told("n9", about)

    found = NodeAccess(pod("a"), placed(a="n1"), lambda: [Wrong("ssh")]).collect(
        [Want(PodDirectory, pod("a"))]
    )
    assert unreached(found) == {("n1", "ssh", "other-node")} and refused(found) == {
        "PodDirectory": "not-offered"
    }


def test_a_refused_look_leaves_the_question_to_the_next_way() -> None:
    class Partly(Fake):
        def look(
            self, node: str, about: Ref | None, deadline: float, since: datetime | None = None
        ) -> list[Fact]:
            no = Refused(
                about=about or Ref("Node", None, node),
                src=SRC,
                want="survey",
                why="denied",
                detail="not yours",
            )
            return [Host(about=Ref("Node", None, node), src=SRC), no]

    ssh = Fake("ssh", ["n1"])
    found = NodeAccess(pod("a"), placed(a="n1"), lambda: [Partly("agent"), ssh]).collect(
        [Want(PodDirectory, pod("a"))]
    )
    assert not refused(found) and [f.detail for f in found if isinstance(f, Unreached)] == ["not yours"]


def test_a_look_that_was_cut_short_counts_and_says_so() -> None:
    class Cut(Fake):
        def look(
            self, node: str, about: Ref | None, deadline: float, since: datetime | None = None
        ) -> list[Fact]:
            cut = Refused(
                about=about or Ref("Node"),
                src=SRC,
                want="survey",
                why="timeout",
                detail="took longer than 4 s",
            )
            return [*super().look(node, about, deadline), cut]

    ways = NodeAccess(pod("a"), placed(a="n1"), lambda: [Cut("agent", ["n1"])])
    (open_,) = [
        f
        for f in ways.collect([Want(FlaggedFiles, pod("a")), Want(PodDirectory, pod("a"))])
        if isinstance(f, Refused)
    ]
    assert (open_.want, open_.why, open_.detail) == ("FlaggedFiles", "timeout", "took longer than 4 s")


def test_this_machine_answers_for_itself_and_others_are_asked_for_theirs() -> None:
    class Here:
        node, source = "n1", "node:n1"

        def collect(self, wants: Sequence[Want]) -> list[Fact]:
            return [f for w in wants for f in told("n1", w.about)]

    agent = Fake("agent", ["n2"])
    ways = NodeAccess(NAMESPACE, placed(a="n1", b="n2"), lambda: [agent], here=Here())
    found = ways.collect([Want(PodDirectory, pod("a")), Want(PodDirectory, pod("b"))])
    assert not refused(found) and agent.looks == [("n2", pod("b"))] and ways.sources == ["node:n1", "node:n2"]
    found = NodeAccess(pod("b"), placed(b="n2"), here=Here()).collect([Want(PodDirectory, pod("b"))])
    assert unreached(found) == {("n2", "here", "elsewhere")} and refused(found) == {
        "PodDirectory": "not-asked"
    }


def test_a_machine_that_does_not_say_in_time_who_it_is_is_no_wrong_machine(tmp_path: Path) -> None:
    """At a high load "not in time" was told as "no kubelet here", and nothing was answered at all."""
    here = this_node(Nodes(here=True, root=str(tmp_path), seconds=0.0))
    assert here is not None and not here.touch(None)
    agent = Fake("agent", ["n2"])
    access = NodeAccess(pod("b"), placed(a="n1", b="n2"), lambda: [agent], here=here)
    assert not refused(access.collect([Want(PodDirectory, pod("b"))])) and access.sources == ["node:n2"]
    found = access.collect([Want(PodDirectory, pod("a")), Want(PodDirectory, Ref("Pod", "shop", "nowhere"))])
    assert ("n1", "here", "unknown") in unreached(found)
    assert [f.why for f in found if isinstance(f, Refused)] == ["timeout", "timeout"]


def test_a_machine_that_is_no_node_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no kubelet"):
        this_node(Nodes(here=True, root=str(tmp_path), seconds=60.0))


def test_nodes_are_looked_at_side_by_side_but_not_all_at_once() -> None:
    at_once: list[int] = []
    busy = threading.Semaphore(0)

    class Slow(Fake):
        def look(
            self, node: str, about: Ref | None, deadline: float, since: datetime | None = None
        ) -> list[Fact]:
            busy.release()
            time.sleep(0.05)
            at_once.append(busy._value)
            found = super().look(node, about, deadline)
            busy.acquire()
            return found

    nodes = {f"p{i}": f"n{i}" for i in range(10)}
    NodeAccess(NAMESPACE, placed(**nodes), lambda: [Slow("agent", list(nodes.values()))]).collect(
        [Want(PodDirectory, pod(n)) for n in nodes]
    )
    assert 1 < max(at_once) <= 4


def test_what_is_over_time_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unstuck.api.node_access.TOTAL", 0.0)
    agent = Fake("agent", ["n1"])
    found = NodeAccess(pod("a"), placed(a="n1"), lambda: [agent]).collect([Want(PodDirectory, pod("a"))])
    assert unreached(found) == {("n1", "agent", "deadline")} and refused(found) == {"PodDirectory": "timeout"}


@pytest.mark.parametrize("node", ["$(id)", "-oProxyCommand=id", "a b", "x;id", "../x", "A", ""])
def test_a_name_that_no_node_has_is_not_handed_to_ssh(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **_: started.append(args))
    (no,) = SshToNode("root@{node}").look(node, None, 5)
    assert (
        isinstance(no, Unreached)
        and (no.reason, no.way, no.name) == ("bad-host", "ssh", node)
        and not started
    )


def test_another_node_is_compared_with_through_the_way_that_reached_the_first_one() -> None:
    way, other = Fake("ssh", ("n1", "n2")), Want(Host, Ref("Node", None, "n2"))
    access = NodeAccess(pod("web"), placed(web="n1"), lambda: (way,))
    assert access.compare([other]) is None, "no way has reached a node yet"
    access.collect([Want(PodDirectory, pod("web"))])
    (seen,) = access.compare([other]) or ()
    assert isinstance(seen, Host) and seen.about.name == "n2"
    assert way.looks == [("n1", pod("web")), ("n2", None)]
    assert access.sources == ["node:n1"], "the other one is not in question"


def test_a_node_that_cannot_be_compared_with_is_no_obstacle() -> None:
    access = NodeAccess(pod("web"), placed(web="n1"), lambda: (Fake("ssh", ("n1",)),))
    access.collect([Want(PodDirectory, pod("web"))])
    assert access.compare([Want(Host, Ref("Node", None, "n2"))]) == []


def test_ssh_to_one_host_is_not_tried_for_another_node() -> None:
    one_host = Fake("ssh", ("n1", "n2"), any_node=False)
    access = NodeAccess(pod("web"), placed(web="n1"), lambda: (one_host,))
    access.collect([Want(PodDirectory, pod("web"))])
    assert access.compare([Want(Host, Ref("Node", None, "n2"))]) is None
