"""Combines a cluster, nodes and saved facts into one Snapshot and its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from unstuck.api.node_access import NodeAccess, answer_unasked, find_deletion_time
from unstuck.api.node_methods import Here, SilentNode
from unstuck.api.nodes import Nodes
from unstuck.api.reader import ClusterReader
from unstuck.api.saved_files import read_saved
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import Collect, Evaluator, NodeMeans, investigate, list_causes
from unstuck.errors import UsageError
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages

if TYPE_CHECKING:
    from unstuck.api.access_methods import AccessMethods

say = Messages(__name__)


def now() -> datetime:
    """Return the time of a new Snapshot, in whole seconds: the only clock reading of an answer."""
    return datetime.now(UTC).replace(microsecond=0)


@record()
class Means(Record):
    """The permitted sources of one question besides the API server. nodes: None for no node. facts: paths of
    saved Snapshots.

    methods: access to other nodes; a repeated question shares one object.
    """

    nodes: Nodes | None
    facts: tuple[str, ...] = ()
    methods: AccessMethods | None = None


def ask_one(
    reader: ClusterReader, subject: Ref, means: Means, after: float | None
) -> tuple[Snapshot, Diagnosis]:
    """Ask the cluster, and the sources allowed by `means`, until the answer about one object cannot
    improve.
    """
    ref, facts = reader.start(subject)
    more, sources = read_saved_facts(means.facts)
    return look_closer(reader, ref, Snapshot((*facts, *more), now(), (reader.source, *sources)), means, after)


def look_closer(
    reader: ClusterReader,
    ref: Ref,
    snap: Snapshot,
    means: Means,
    after: float | None,
    evaluator: Evaluator | None = None,
) -> tuple[Snapshot, Diagnosis]:
    """Ask about one object again, starting from known facts. evaluator: the earlier evaluator; None for a new
    one.
    """
    if means.nodes is None:
        return investigate(
            ref, snap, list_causes(), route(reader.collect, answer_unasked), after, evaluator=evaluator
        )
    here = this_node(means.nodes, find_deletion_time(ref, snap))
    if here is not None and means.nodes.touch and _is_on_node(here.node, ref, snap):
        snap = snap.plus(here.touch(ref.uid if ref.kind == "Pod" else None))
    methods = means.methods
    access = (
        NodeAccess(ref, snap, methods.ways, here, methods.offer, means.nodes.guard)
        if methods
        else NodeAccess(ref, snap, here=here)
    )
    asked = route(lambda wants: access.hear(reader.collect(wants)), access.collect)
    return investigate(
        ref,
        snap,
        list_causes(),
        asked,
        after,
        evaluator=evaluator,
        nodes=NodeMeans(lambda: access.sources, access.compare),
    )


def read_saved_facts(paths: Sequence[str]) -> tuple[tuple[Fact, ...], tuple[str, ...]]:
    """Return the facts of saved Snapshots, and their sources."""
    saved = [read_saved(p).snapshot for p in paths]
    return tuple(f for s in saved for f in s.facts), tuple(s for one in saved for s in one.sources)


def route(server: Collect, node: Collect) -> Collect:
    """Return a collect function that sends each Want to the API server or to the node."""

    def collect(wants: Sequence[Want]) -> Iterable[Fact]:
        by_server = [w for w in wants if w.fact.cost == "api"]
        by_node = [w for w in wants if w.fact.cost != "api"]
        return [*(server(by_server) if by_server else ()), *(node(by_node) if by_node else ())]

    return collect


def _is_on_node(node: str, subject: Ref, snap: Snapshot) -> bool:
    """Tell whether the subject is this Node, or bound to it."""
    if subject.kind == "Node":
        return subject.name == node
    placed = find_node_of_pod(subject, snap)
    return placed is not None and placed.name == node


def this_node(nodes: Nodes, since: datetime | None = None) -> Here | None:
    """Return the reader of this machine, None without `--here`. Errors: UsageError if it is no node.

    If the machine's node cannot be determined in time, the answer goes on without it. since: the start of the
    relevant logs, besides the last hour.
    """
    if not nodes.here:
        return None
    from unstuck.collect.node import NodeCollector

    reader = NodeCollector(Path(nodes.root), since=since, deadline=nodes.seconds)
    if reader.unknown:
        return SilentNode(*reader.unknown)
    if reader.is_node is False:
        raise UsageError(
            say("--here: no kubelet and no kubelet's directory below {root}", root=nodes.root),
            say("run it on the node, or leave --here out"),
        )
    return reader
