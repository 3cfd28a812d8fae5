"""Where the parts are put together: a cluster, a node and saved facts become one Snapshot and its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from unstuck.cli.connecting import Cluster, Reach
from unstuck.cli.files import read_saved
from unstuck.cli.progress import Spinner, progress
from unstuck.cli.ways import Here, Ways, deletion_asked, nobody_asked
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import Collect, investigate, listed
from unstuck.errors import UsageError
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text


@record()
class ProbeAsked(Record):
    """Whether a one-shot Pod was agreed to on the command line; its image and Namespace, None where they are to be found out."""

    agreed: bool = False
    image: str | None = None
    namespace: str | None = None


@record()
class Sight(Record):
    """What else may be looked at: this node below `root` (here), saved facts; node: False refuses every node's evidence.

    ssh: the host to log in to for a node, in which `{node}` stands for the Node's name. probe: whether and how a Pod may be made to look.
    touch: mounts of this node that may hang are touched. dry_run: a write whose refusal decides is tried as a dry run.
    ask_registry: an image's registry may be asked from here, without credentials. seconds: for each look at this node, None: as usual.
    """

    here: bool = False
    root: str = "/"
    node: bool = True
    facts: tuple[str, ...] = ()
    ssh: str | None = None
    probe: ProbeAsked = ProbeAsked()
    touch: bool = False
    dry_run: bool = False
    ask_registry: bool = False
    seconds: float | None = None


def now() -> datetime:
    """The moment of a Snapshot, in whole seconds: the one clock that an answer reads."""
    return datetime.now(UTC).replace(microsecond=0)


def ask_one(cluster: Cluster, subject: Ref, sight: Sight, after: float | None, reach: Reach | None = None) -> tuple[Snapshot, Diagnosis]:
    """Asks the cluster, and what `sight` and `reach` allow, until the answer about one object cannot become better."""
    with progress(f"{cluster.source}: {subject}") as spinner:
        ref, facts = cluster.start(subject)
        more, sources = saved_facts(sight.facts)
        return look_closer(cluster, (ref, Snapshot((*facts, *more), now(), (cluster.source, *sources))), sight, after, reach, spinner)


def look_closer(
    cluster: Cluster, known: tuple[Ref, Snapshot], sight: Sight, after: float | None, reach: Reach | None, spinner: Spinner
) -> tuple[Snapshot, Diagnosis]:
    """The same about an object of which something is known: whom it is about, and the Snapshot."""
    ref, snap = known
    if not sight.node:
        return investigate(ref, snap, listed(), routed(cluster.collect, not_asked()), after)
    here = this_node(sight, deletion_asked(ref, snap))
    if here is not None and sight.touch and _on(here.node, ref, snap):
        snap = snap.plus(here.touch(ref.uid if ref.kind == "Pod" else None))
    ways = Ways(ref, snap, reach.ways, here, lambda: reach.offer(spinner)) if reach else Ways(ref, snap, here=here)
    asked = routed(lambda wants: ways.hear(cluster.collect(wants)), ways.collect)
    snap, diagnosis = investigate(ref, snap, listed(), asked, after)
    return (snap.plus((), ways.sources) if ways.sources else snap), diagnosis


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


def not_asked() -> Collect:
    """Answers every question with the fact that nobody asked it."""
    return nobody_asked


def _on(node: str, subject: Ref, snap: Snapshot) -> bool:
    """Whether the subject is this Node, or bound to it."""
    if subject.kind == "Node":
        return subject.name == node
    placed = node_of(subject, snap)
    return placed is not None and placed.name == node


def this_node(sight: Sight, since: datetime | None = None) -> Here | None:
    """The reader of this machine, None where it is not to be looked at. Errors: UsageError where it is no node.

    since: from when on its logs matter, besides the last hour.
    """
    if not sight.here:
        return None
    from unstuck.collect.node import NodeCollector  # noqa: PLC0415

    reader = NodeCollector(Path(sight.root), since=since, deadline=sight.seconds)
    if not reader.is_node:
        raise UsageError(
            Text(
                f"--here: no kubelet and no kubelet's directory below {sight.root}",
                f"--here：{sight.root} 之下既没有 kubelet，也没有 kubelet 的目录",
            ),
            Text("run it on the node, or leave --here out", "请在该节点上运行，或去掉 --here"),
        )
    return reader
