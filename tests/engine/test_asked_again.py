"""No question is repeated by the means of its last asking."""

from __future__ import annotations

from functools import partial

from tests.contract.support import load_all
from unstuck.engine import NodeMeans, discover, investigate
from unstuck.facts.snapshot import Snapshot

SHARE = 12


def test_a_server_that_was_asked_and_said_nothing_is_not_asked_again() -> None:
    """Of a case in an even share of them: everything that is wanted is put to a live server, and nothing
    comes.
    """
    causes, again, asked = discover(), list[str](), 0
    for loaded in load_all()[::SHARE]:
        live = Snapshot(loaded.snapshot.facts, loaded.snapshot.now, ("live:lab",))
        _, found = investigate(loaded.subject, live, causes, lambda _: ())
        if found.causes or found.state.name not in ("stuck", "unknown"):
            continue
        asked += 1
        plain = f"unstuck why {loaded.subject.kind.lower()}/{loaded.subject.name}"
        again += [
            loaded.name for n in found.next if n.command.line.startswith(plain) and "--" not in n.command.line
        ]
        open_ = {
            q.ask.line
            for o in found.undecided
            for q in o.questions
            if q.want.fact.cost == "api" and q.why_open == "not-offered"
        }
        again += [f"{loaded.name}: {n.command.line}" for n in found.next if n.command.line in open_]
    assert asked > 20 and again == []


def _sources(nodes: list[str]) -> list[str]:
    return [f"node:{name}" for name in nodes]


def test_a_node_that_was_looked_at_is_not_looked_at_again() -> None:
    causes, again, looked = discover(), list[str](), 0
    for loaded in load_all()[::SHARE]:
        live = Snapshot(loaded.snapshot.facts, loaded.snapshot.now, ("live:lab",))
        nodes = [node.name or "" for node in live.subjects("Node")]
        _, found = investigate(
            loaded.subject, live, causes, lambda _: (), nodes=NodeMeans(partial(_sources, nodes))
        )
        looked += any(
            "--ssh" in n.command.line for n in investigate(loaded.subject, live, causes, lambda _: ())[1].next
        )
        again += [
            f"{loaded.name}: {n.command.line}"
            for n in found.next
            for node in nodes
            if f"--ssh={node}" in n.command.line
        ]
    assert looked > 20 and again == []
