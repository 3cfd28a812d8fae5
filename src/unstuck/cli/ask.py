"""Where the parts are put together: a cluster, a node and saved facts become one Snapshot and its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from unstuck.cli.files import read_saved
from unstuck.cli.progress import progress
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import Collect, discover, investigate
from unstuck.errors import UsageError
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Refused, Source, Want
from unstuck.facts.snapshot import Snapshot


class Cluster(Protocol):
    """What this module needs of a cluster's reader."""

    source: str

    def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
        """The object as the server names it, and what it tells. Errors: those of `unstuck.errors`."""

    def collect(self, wants: Sequence[Want]) -> Iterable[Fact]:
        """Facts, or a `Refused`, for each question."""

    def list_unhealthy(self, namespace: str | None) -> tuple[list[Ref], list[Fact]]:
        """What is not plainly healthy in a Namespace, or in the whole cluster for None. Errors: those of `unstuck.errors`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which cluster, as kubectl has it; None where not given."""

    context: str | None = None
    kubeconfig: str | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What else may be looked at: this node below `root` (here), saved facts; node: False refuses every node's evidence."""

    here: bool = False
    root: str = "/"
    node: bool = True
    facts: tuple[str, ...] = ()


def now() -> datetime:
    """The moment of a Snapshot, in whole seconds: the one clock that an answer reads."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True, slots=True)
class Connection:
    """One cluster. namespace: the one that is meant. fresh: a reader of this moment; each remembers what it was told."""

    namespace: str
    fresh: Callable[[], Cluster]


def connect(place: Place) -> Connection:
    """The cluster that is meant; nothing is sent yet. Errors: those of `unstuck.errors`, one line each."""
    from unstuck.collect.kube.client import load_client  # noqa: PLC0415
    from unstuck.collect.kube.collector import KubeCollector  # noqa: PLC0415

    client = load_client(place.context, place.kubeconfig, place.namespace)
    return Connection(client.namespace, lambda: KubeCollector(client))


def ask_one(cluster: Cluster, subject: Ref, sight: Sight, after: float | None) -> tuple[Snapshot, Diagnosis]:
    """Asks the cluster, and what `sight` allows, until the answer about one object cannot become better."""
    with progress(f"{cluster.source}: {subject}"):
        ref, facts = cluster.start(subject)
        more, sources = saved_facts(sight.facts)
        snap = Snapshot((*facts, *more), now(), (cluster.source, *sources))
        node, here = node_reader(sight, pod_node(snap, ref))
        return investigate(ref, snap.plus((), here), discover(), routed(cluster.collect, node), after)


def saved_facts(paths: Sequence[str]) -> tuple[tuple[Fact, ...], tuple[str, ...]]:
    """The facts of saved Snapshots, and their sources."""
    saved = [read_saved(p).snapshot for p in paths]
    return tuple(f for s in saved for f in s.facts), tuple(s for one in saved for s in one.sources)


def routed(server: Collect, node: Collect) -> Collect:
    """Each question goes to whom it costs: the API server, or the node."""

    def collect(wants: Sequence[Want]) -> Iterable[Fact]:
        by_server = [w for w in wants if w.fact.cost == "api"]
        by_node = [w for w in wants if w.fact.cost != "api"]
        return [*(server(by_server) if by_server else ()), *(node(by_node) if by_node else ())]

    return collect


def not_asked(detail: str = "") -> Collect:
    """Answers every question with the fact that nobody asked it."""

    def collect(wants: Sequence[Want]) -> Iterable[Fact]:
        src = Source("not asked", detail)
        return [Refused(about=w.about, src=src, want=w.fact.__name__, why="not-asked", detail=detail) for w in wants]

    return collect


def node_reader(sight: Sight, name: str | None) -> tuple[Collect, tuple[str, ...]]:
    """The reader of this node if the subject is on it, else one that asks nothing; and the sources it adds.

    name: the Node that the subject is on, None where that is not known: then nobody can say that it is this one.
    """
    if not sight.here or not sight.node:
        return not_asked(), ()
    from unstuck.collect.node import NodeCollector  # noqa: PLC0415

    reader = NodeCollector(Path(sight.root))
    if not reader.is_node:
        raise UsageError(f"--here: no kubelet and no kubelet's directory below {sight.root}", "run it on the node, or leave --here out")
    if name and name != reader.node:
        return not_asked(f"it is on {name}, and this is {reader.node}"), ()
    return reader.collect, (reader.source,)


def pod_node(snap: Snapshot, subject: Ref) -> str | None:
    """The name of the Node that the subject is on or is."""
    if subject.kind == "Node":
        return subject.name
    placed = snap.one(Placement, subject)
    return placed.node.name if placed and placed.node else None
