"""Everything in a Namespace or in the cluster that is not plainly healthy: the server's own tables first, then in full only what looks ill.

See docs/why/scan.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from unstuck.collect.kube import listed, tables, triage
from unstuck.collect.kube.ask_objects import kind_named, read_object
from unstuck.collect.kube.going import going
from unstuck.collect.kube.health import healthy
from unstuck.collect.kube.listed import Found, no_list
from unstuck.collect.kube.parallel import each
from unstuck.collect.kube.session import CACHED, Read, Session, cannot_ask
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.errors import AccessError
from unstuck.facts.aspects.alike import Alike, Counted, Other, Unread
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Fact, Ref, Refused, Source, Want
from unstuck.facts.record import Record, record
from unstuck.facts.text import Text

T = TypeVar("T")

# Their tables tell whether all is well; of a StatefulSet's the one thing that matters in a roll-out is missing, so these are read.
_BY_TABLE = ("PersistentVolumeClaim", "Deployment", "DaemonSet", "Job", "ReplicationController")
_OF_CLUSTER = ("PersistentVolume",)
_IN_FULL = ("StatefulSet",)
# node-monitor-grace-period is 40 s (50 s from 1.32): a lease older than its duration by then is what makes a Node NotReady.
_STALE = timedelta(seconds=40)
# At most so many of one kind are read in full, of the largest groups first; the others are counted.
READS = {"Pod": 400, "Node": 60}
OTHERS = 60
TRIES = 3
# With more Namespaces than that in which Pods have ended, one list of the cluster is cheaper than one of each.
APART = 40
# Workloads are read beside their own ill Pods while there are few.
FEW = 30
WORKERS = 6
# Waits for its sandbox; two of them on one Node that is Ready make it suspect.
_BEFORE_SANDBOX = ("ContainerCreating", "PodInitializing")
# In these a Pod has not ended, whatever else is wrong.
_NOT_ENDED = frozenset(
    (
        *("Running", "Pending", "Terminating", "ContainerCreating", "PodInitializing", "SchedulingGated", "NotReady"),
        *("CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError", "CreateContainerError", "InvalidImageName"),
    )
)


@record()
class Ill(Record):
    """One object that looks ill. alike: those with the same are told by one that is read. node: where it runs."""

    ref: Ref
    alike: tuple[str, ...]
    node: str = ""


def unhealthy(
    session: Session, namespace: str | None, tell: Callable[[int, int], None] = lambda *_: None, so_far: list[Fact] | None = None
) -> Found:
    """What is not plainly healthy, and all facts of it; a list that may not be read is a `Refused` about `Ref("PodList", …)`.

    namespace: None for the whole cluster, then Nodes and Namespaces are among it; else that Namespace itself is.
    tell: is told how many Pods were looked at, and how many of them look ill. so_far: what is found is put in as it comes.
    Errors: AccessError or Unreachable where nothing at all could be read.
    """
    session.cached = True
    scan = _Scan(session, namespace, tell, [] if so_far is None else so_far)
    facts = scan.run()
    if not scan.read_any:
        _raise(session, facts)
    return sorted(set(scan.refs), key=lambda r: r.key), facts


def _raise(session: Session, facts: list[Fact]) -> None:
    no = [f for f in facts if isinstance(f, Refused)]
    error = cannot_ask(session, session.last.reply) if session.last else None
    said = no[0].detail if no else ""
    raise error or AccessError(
        Text(f"nothing may be listed: {said}", f"什么都无权列出：{said}"),
        Text("name one object: unstuck why KIND/NAME", "请指定一个对象：unstuck why KIND/NAME"),
    )


class _Scan:
    """One look at a Namespace or the cluster. refs: what was read and is not healthy. read_any: whether any list could be read.

    so_far: is filled as facts come, by several threads and so in any order. settled: Pods that looked ill and are well, or gone.
    """

    def __init__(self, session: Session, namespace: str | None, tell: Callable[[int, int], None], so_far: list[Fact]) -> None:
        self.session, self.namespace, self._tell, self._so_far = session, namespace, tell, so_far
        self._settled: list[Ref] = []
        self._seen, self._ill = 0, 0
        self.refs: list[Ref] = []
        self.read_any = False
        self._down: frozenset[str] | None = None
        self._renewed: Mapping[str, datetime] = {}

    def run(self) -> list[Fact]:
        """Everything, each fact once, in an order that does not depend on which answer came first."""
        facts: list[Fact] = []
        spaces: list[str] | None = [self.namespace] if self.namespace else None

        def named() -> Found:
            nonlocal spaces
            if self.namespace is not None:
                return listed.itself(self.session, self.namespace)
            spaces, found = listed.namespaces(self.session)
            return found

        def renewed() -> Found:
            self._renewed = tables.renewals(self.session, kind_named("Lease"))
            return [], []

        nodes: list[tables.Table] = []

        def of_nodes() -> Found:
            nodes.append(tables.table(self.session, kind_named("Node"), None, objects=self.namespace is None))
            return [], []

        # What the Nodes are is needed before any Pod is judged.
        for refs, more in self._each(lambda ask: ask(), [of_nodes, renewed, named]):
            self._took(refs, more, facts)
        self.read_any = not any(isinstance(f, Refused) for f in facts)
        whole = None if self.read_any or nodes[0].ok or self.session.last is None else cannot_ask(self.session, self.session.last.reply)
        if whole is not None:
            raise whole
        self._took(*self._nodes(nodes[0]), facts)
        if spaces is not None:
            self._pods_and_others(spaces, self.namespace, facts)
            return list(dict.fromkeys(facts))
        # Without the right to list Namespaces: the cluster as one, or else the Namespace that is meant. What is not seen is told.
        found = tables.table(self.session, kind_named("Pod"), None, objects=True)
        if found.ok:
            self._pods_and_others([], None, facts, found)
        else:
            self._pods_and_others([self.session.namespace], self.session.namespace, facts)
        return list(dict.fromkeys(facts))

    def _each(self, ask: Callable[[T], Found], items: Sequence[T]) -> list[Found]:
        """All of them, a few at a time; what each tells is known as soon as it has come."""

        def told(item: T) -> Found:
            found = ask(item)
            self._so_far.extend(found[1])
            return found

        return each(told, items, WORKERS)

    def _took(self, refs: Iterable[Ref], more: list[Fact], facts: list[Fact]) -> None:
        self.refs += refs
        facts += more

    # --- Nodes ---------------------------------------------------------------------------------------------------------

    def _nodes(self, found: tables.Table) -> Found:
        """Nodes that are not Ready or whose lease says that they will not be for long; of a Namespace's scan only their names are kept."""
        kind = kind_named("Node")
        if not found.ok:
            return self._instead(kind, None, found) if self.namespace is None else ([], [])
        self.read_any = True
        leases = self._renewed
        at = found.at["NAME"]
        names = [str(row[at]) for row in found.rows]
        late = {n for n in names if n in leases and found.read.at - leases[n] > _STALE}
        down = [n for n, row in zip(names, found.rows, strict=True) if n in late or not triage.fine("Node", found.at, row)]
        self._down = frozenset(down)
        if self.namespace is not None:
            return [], []
        ill = down + [m.name for m in found.objects if m.deletion_timestamp]
        return self._read(kind, [Ill(Ref("Node", None, n), (n,)) for n in dict.fromkeys(ill)], leases=True)

    # --- Pods and the rest ---------------------------------------------------------------------------------------------

    def _pods_and_others(self, spaces: list[str], everywhere: str | None, facts: list[Fact], whole: tables.Table | None = None) -> None:
        """Everything at once: a table of Pods for each Namespace, one of each other kind. whole: the Pods of the cluster as one table."""
        pods = list(self._apart(whole)) if whole else []
        ill: dict[Kind, list[Ill]] = defaultdict(list)

        def of_pods(space: str) -> Found:
            if self._down is None and self.namespace is not None:
                # Which Nodes are down is not to be known: only the Pods themselves tell what is ready.
                return self._listed(kind_named("Pod"), space)
            found = tables.table(self.session, kind_named("Pod"), space)
            if not found.ok:
                return self._instead(kind_named("Pod"), space, found)
            self.read_any = True
            rows = triage.pods(space, found.at, found.rows, self._down or frozenset())
            pods.append((space, rows, found.read))
            self._count(rows)
            return [], []

        def of_table(kind: Kind) -> Found:
            found = tables.table(self.session, kind, everywhere if kind.namespaced else None, objects=True)
            if not found.ok:
                return self._instead(kind, everywhere, found)
            self.read_any = True
            for meta, row in zip(found.objects, found.rows, strict=True):
                if meta.deletion_timestamp or not triage.fine(kind.name, found.at, row):
                    ref = kind.ref(meta.namespace or None, meta.name)
                    ill[kind].append(Ill(ref, (*ref.key, "deleting" if meta.deletion_timestamp else "")))
            return [], []

        work: list[Callable[[], Found]] = [partial(of_pods, s) for s in spaces]
        work += [partial(of_table, kind_named(k)) for k in (*_BY_TABLE, *(_OF_CLUSTER if self.namespace is None else ()))]
        work += [partial(self._listed, kind_named(k), everywhere) for k in _IN_FULL]
        work.append(partial(going, self.session, everywhere))
        # The long ones first, so that the last to end is a short one.
        for refs, more in self._each(lambda ask: ask(), work[::-1]):
            self._took(refs, more, facts)
        self._second(pods, ill, facts)

    def _count(self, rows: triage.Triaged | None) -> None:
        if rows is not None:
            self._seen, self._ill = self._seen + rows.count, self._ill + len(rows.suspicious)
            self._tell(self._seen, self._ill)

    def _apart(self, whole: tables.Table) -> Iterator[tuple[str, triage.Triaged | None, Read]]:
        rows: dict[str, list[Sequence[object]]] = defaultdict(list)
        for meta, row in zip(whole.objects, whole.rows, strict=True):
            rows[meta.namespace].append(row)
        self.read_any = True
        for space, found in rows.items():
            yield space, triage.pods(space, whole.at, found, self._down or frozenset()), whole.read

    def _instead(self, kind: Kind, namespace: str | None, found: tables.Table) -> Found:
        """Where the server offers no table, the list itself; where it refuses or does not answer, that."""
        if found.read.reply.status in (200, 406):
            return self._listed(kind, namespace)
        return [], [no_list(kind, namespace, found.read)]

    def _listed(self, kind: Kind, namespace: str | None) -> Found:
        found = listed.of_kind(self.session, kind, namespace)
        self.read_any = self.read_any or not any(isinstance(f, Refused) for f in found[1])
        return found

    def _second(self, pods: list[tuple[str, triage.Triaged | None, Read]], ill: dict[Kind, list[Ill]], facts: list[Fact]) -> None:
        """What is ill, in full; of the Pods that have ended or failed, which are being deleted."""
        pod = kind_named("Pod")
        odd = [space for space, t, _ in pods if t is None]
        for refs, more in self._each(partial(self._listed, pod), odd):
            self._took(refs, more, facts)
        told = [(space, t) for space, t, _ in pods if t is not None]
        rows = [r for _, t in told for r in t.suspicious]
        ended = {space: t.ended for space, t in told if t.ended}
        failed: dict[str, list[triage.Row]] = defaultdict(list)
        for row in rows:
            if row.status not in _NOT_ENDED and not row.status.startswith("Init:"):
                failed[row.namespace].append(row)
        leaving, more_ended, unseen = self._ended(ended, {s for s, found in failed.items() if len(found) > 1})
        facts += unseen
        sick = [self._pod(r, (r.namespace, r.name) in leaving) for r in rows]
        sick += [Ill(Ref("Pod", s, n), (s, triage.owner(n), "ended")) for s, n in more_ended]
        known = {i.ref for i in sick}
        sick += [Ill(Ref("Pod", s, n), (s, triage.owner(n), "leaving")) for s, n in sorted(leaving) if Ref("Pod", s, n) not in known]
        own = {(i.ref.within, triage.owner(i.ref.name or "")) for i in sick}
        work: list[Callable[[], Found]] = [partial(self._read, pod, sick)]
        for kind, found in ill.items():
            few = len(found) <= FEW or kind.name not in ("Deployment", "DaemonSet", "ReplicationController")
            chosen = found if few else [i for i in found if i.alike[-1] == "deleting" or not _has_ill_pods(i.ref, own)]
            work.append(partial(self._read, kind, chosen))
        starving = sorted(n for n, count in _waiting(rows).items() if count > 1 and n not in (self._down or ()))
        if self.namespace is None:
            work.append(partial(self._read, kind_named("Node"), [Ill(Ref("Node", None, n), (n,)) for n in starving], keep=True))
        for refs, more in [ask() for ask in work]:
            self._took(refs, more, facts)
        src = pods[0][2].src(f"{sum(t.count for _, t in told)} Pods") if pods else None
        if src:
            read = sum(len(f.others) for f in facts if isinstance(f, Alike)) + sum(r.kind == "Pod" for r in self.refs) + len(self._settled)
            facts.append(
                Counted(
                    about=Ref("PodList", self.namespace),
                    src=src,
                    pods=sum(t.count for _, t in told),
                    unhealthy=len(sick),
                    namespaces=len(told),
                    unread=max(0, len(sick) - read),
                )
            )

    def _pod(self, row: triage.Row, leaving: bool) -> Ill:
        ref = Ref("Pod", row.namespace, row.name)
        if self._down and row.node in self._down:
            return Ill(ref, ("on a Node that is down", row.node, row.status if row.status == "Terminating" else ""), row.node)
        return Ill(ref, (*row.alike, "leaving" if leaving else ""), row.node)

    def _ended(self, ended: dict[str, tuple[str, ...]], failed: set[str]) -> tuple[set[tuple[str, str]], list[tuple[str, str]], list[Fact]]:
        """Of the Pods in a terminal phase those that are being deleted; and those whose row says Completed and whose phase does not."""
        pod = kind_named("Pod")

        def look(asked: tuple[str, str | None]) -> tuple[str, str | None, tables.Metas]:
            phase, space = asked
            found = tables.metas(self.session, pod, space, {"fieldSelector": f"status.phase={phase}", **CACHED})
            return phase, space, found

        asked: list[tuple[str, str | None]] = []
        for phase, spaces in (("Succeeded", sorted(ended)), ("Failed", sorted(failed))):
            together = self.namespace is None and len(spaces) > APART
            asked += [(phase, None)] if together else [(phase, s) for s in spaces]
        leaving: set[tuple[str, str]] = set()
        seen: set[tuple[str, str]] = set()
        unseen: list[Fact] = []
        for phase, space, found in each(look, asked, WORKERS):
            if not found.whole:
                unseen.append(no_list(pod, space, found.read))
            leaving |= {(m.namespace, m.name) for m in found.items if m.deletion_timestamp}
            if phase == "Succeeded":
                seen |= {(m.namespace, m.name) for m in found.items}
        odd = [(s, n) for s, names in ended.items() for n in names if (s, n) not in seen] if not unseen else []
        return leaving, odd, unseen

    # --- in full -------------------------------------------------------------------------------------------------------

    def _read(self, kind: Kind, found: list[Ill], *, leases: bool = False, keep: bool = False) -> Found:
        """One of each group in full, the largest groups first; the others of the group are told as like it. keep: also what is healthy."""
        groups: dict[tuple[str, ...], list[Ill]] = defaultdict(list)
        for one in found:
            groups[one.alike].append(one)
        ranked = sorted(groups.values(), key=lambda g: (-len(g), g[0].ref.key))
        most = READS.get(kind.name, OTHERS)
        order, rest = ranked[:most], sum(len(g) for g in ranked[most:])
        refs: list[Ref] = []
        facts: list[Fact] = []
        if rest and kind.name != "Pod":
            src = Source(kind.path(self.namespace if kind.namespaced else None), f"{len(found)} look ill")
            facts.append(Unread(about=Ref(f"{kind.name}List", self.namespace if kind.namespaced else None), src=src, count=rest))
        for got, more in self._each(lambda group: self._one(kind, group, keep), order):
            refs += got
            facts += more
        if leases:
            lease = kind_named("Lease")
            asked = [Ref("Lease", "kube-node-lease", r.name) for r in refs]
            for read_, ref in zip(each(lambda r: self.session.object(lease, r), asked, WORKERS), asked, strict=True):
                facts += read_object(read_, ref)
        return refs, facts

    def _settle(self, ref: Ref) -> None:
        if ref.kind == "Pod":
            self._settled.append(ref)

    def _one(self, kind: Kind, group: list[Ill], keep: bool) -> Found:
        group = sorted(group, key=lambda i: i.ref.key)
        for tried, one in enumerate(group[:TRIES]):
            read = self.session.object(kind, one.ref)
            if not read.reply.ok:
                if read.reply.object_missing:
                    self._settle(one.ref)
                    continue
                facts = read_object(read, one.ref, Want(Presence, one.ref))
                return [one.ref], facts
            ref = ref_of(read.reply.doc)
            if ref is None or (healthy(read.reply.doc, read.at) and not keep):
                self._settle(one.ref)
                continue
            facts = read_object(read, ref)
            others = tuple(Other(i.ref, i.node) for i in group[tried + 1 :])
            if others:
                facts.append(Alike(about=ref, src=read.src(f"and {len(others)} like it"), others=others, whole=False))
            return [ref], facts
        return [], []


def _waiting(rows: Iterable[triage.Row]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        if row.node and (row.status in _BEFORE_SANDBOX or row.status.startswith("Init:0/")):
            counts[row.node] += 1
    return counts


def _has_ill_pods(workload: Ref, own: set[tuple[str | None, str]]) -> bool:
    """Whether one of its Pods is ill by its name: a Deployment's Pods carry its ReplicaSet's hash behind its name."""
    return any(key in own for key in _owners(workload, own))


def _owners(workload: Ref, own: set[tuple[str | None, str]]) -> Iterator[tuple[str | None, str]]:
    yield workload.within, workload.name or ""
    for within, name in own:
        if within == workload.within and name.rpartition("-")[0] == workload.name:
            yield within, name
