"""Surveys a Namespace or the cluster for unhealthy objects: the server's own tables first, then ill-looking
objects in full.

See docs/why/scan.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from unstuck.collect.kube.questions.objects import kind_named, read_object
from unstuck.collect.kube.scan import full_lists, representatives, tables, triage
from unstuck.collect.kube.scan.deleting_objects import find_deleting
from unstuck.collect.kube.scan.finished_pods import FAILED, SUCCEEDED, FinishedPods
from unstuck.collect.kube.scan.full_lists import Found, no_list
from unstuck.collect.kube.scan.node_survey import find_reporting, survey_nodes
from unstuck.collect.kube.scan.representatives import LikeGroup, SuspectObject, group_alike
from unstuck.collect.kube.scan.suspicion import (
    NOT_ENDED,
    count_waiting,
    find_failed_namespaces,
    has_ill_pods,
    make_suspect,
)
from unstuck.collect.kube.transport.parallel import BackgroundCall, run_each
from unstuck.collect.kube.transport.session import CACHED, ApiRead, Session, cannot_ask
from unstuck.collect.objects.kinds import Kind
from unstuck.errors import AccessError
from unstuck.facts.aspects.alike import Alike, Counted, Stopped
from unstuck.facts.core import Fact, Ref, Refused
from unstuck.facts.derive.pods import strip_generated_suffix
from unstuck.facts.text import Messages

say = Messages(__name__)

T = TypeVar("T")

# Their tables show whether all is well; a StatefulSet's lacks the one thing that matters in a roll-out, so
# these are read.
_BY_TABLE = ("PersistentVolumeClaim", "Deployment", "DaemonSet", "Job", "ReplicationController")
_OF_CLUSTER = ("PersistentVolume",)
_IN_FULL = ("StatefulSet",)
# So many Pods are asked for before all are known that look ill: with more than representatives.READS of them
# these are not always the ones.
AHEAD = 200
# Workloads are read beside their own ill Pods while there are few.
FEW = 30
WORKERS = 6


def find_unhealthy(
    session: Session,
    namespace: str | None,
    tell: Callable[[int, int], None] = lambda *_: None,
    so_far: list[Fact] | None = None,
) -> Found:
    """Return the objects that are not plainly healthy, with all their facts; a list that may not be read is a
    `Refused` about `Ref("PodList", …)`.

    namespace: None for the whole cluster, including Nodes and Namespaces; else the Namespace, which is
    included itself. tell: receives the number of Pods looked at, and of Pods that look ill. so_far: results
    are added as they arrive. Errors: AccessError or Unreachable if nothing at all could be read.
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
        say("nothing may be listed: {said}", said=said),
        say("name one object: unstuck why KIND/NAME"),
    )


class _Scan:
    """One look at a Namespace or the cluster. refs: objects that were read and are not healthy. read_any:
    whether any list could be read.

    so_far: is filled as facts arrive, by several threads and so in any order. settled: Pods that looked ill
    and are well, or gone. done: Jobs that have completed.
    """

    def __init__(
        self, session: Session, namespace: str | None, tell: Callable[[int, int], None], so_far: list[Fact]
    ) -> None:
        self.session, self.namespace, self._tell, self._so_far = session, namespace, tell, so_far
        self._settled_pods: set[Ref] = set()
        self._completed_jobs: set[tuple[str, str]] = set()
        self._pod_count, self._ill_count = 0, 0
        self.refs: list[Ref] = []
        self.read_any = False
        self._reads_ahead = AHEAD
        # Only the judgement of Pods needs the Nodes; the first tables are fetched meanwhile.
        self._nodes = BackgroundCall(lambda: survey_nodes(session))

    def run(self) -> list[Fact]:
        """Return everything, each fact once, in an order that does not depend on which answer came first."""
        facts: list[Fact] = []
        spaces, (refs, more) = self._spaces()
        self._so_far.extend(more)
        self._add(refs, more, facts)
        self.read_any = not any(isinstance(f, Refused) for f in facts)
        if not self.read_any and not self._nodes.wait().table.ok and self.session.last is not None:
            whole = cannot_ask(self.session, self.session.last.reply)
            if whole is not None:
                raise whole
        if spaces is not None:
            self._pods_and_others(spaces, self.namespace, facts)
            return list(dict.fromkeys(facts))
        # Without the right to list Namespaces: the cluster as one, or else the chosen Namespace. Omissions
        # are reported.
        found = tables.table(self.session, kind_named("Pod"), None, objects=True)
        if found.ok:
            self._pods_and_others([], None, facts, found)
        else:
            self._pods_and_others([self.session.namespace], self.session.namespace, facts)
        return list(dict.fromkeys(facts))

    def _spaces(self) -> tuple[list[str] | None, Found]:
        if self.namespace is None:
            return full_lists.namespaces(self.session)
        return [self.namespace], full_lists.read_namespace(self.session, self.namespace)

    def _each(self, ask: Callable[[T], Found], items: Sequence[T]) -> list[Found]:
        """Call `ask` for all items, a few at a time; its facts are in `so_far` as soon as each answer has
        come.
        """

        def ask_and_keep(item: T) -> Found:
            found = ask(item)
            self._so_far.extend(found[1])
            return found

        return run_each(ask_and_keep, items, WORKERS)

    def _add(self, refs: Iterable[Ref], more: list[Fact], facts: list[Fact]) -> None:
        self.refs += refs
        facts += more

    # --- Nodes ----------------------------------------------------------------------------------------------

    @property
    def _down_nodes(self) -> frozenset[str] | None:
        return self._nodes.wait().down

    def _ill_nodes(self, ill: dict[Kind, list[SuspectObject]]) -> Found:
        """Return the Nodes that are down or being deleted; of a Namespace's scan only their names are
        kept.
        """
        kind, nodes = kind_named("Node"), self._nodes.wait()
        if nodes.down is None:
            return self._list_instead(kind, None, nodes.table) if self.namespace is None else ([], [])
        self.read_any = True
        if self.namespace is not None:
            return [], []
        every = tables.metas(self.session, kind, None, CACHED)
        leaving = {m.name for m in every.items if m.deletion_timestamp}
        reporting, unread = find_reporting(self.session, nodes.count)
        ill[kind] += [
            SuspectObject(Ref("Node", None, n), (n,)) for n in sorted(nodes.down | leaving | reporting)
        ]
        held = [
            *_stopped_fact(kind, None, [Ref("Node", None, n) for n in nodes.cordoned], nodes.table),
            *unread,
        ]
        return [], held if every.whole else [*held, no_list(kind, None, every.read)]

    # --- Pods and the rest ----------------------------------------------------------------------------------

    def _pods_and_others(
        self, spaces: list[str], everywhere: str | None, facts: list[Fact], whole: tables.Table | None = None
    ) -> None:
        """Read everything at once: a table of Pods for each Namespace, one of each other kind. whole: the
        cluster's Pods as one table.
        """
        pods = list(self._split_by_namespace(whole)) if whole else []
        self._finished_pods = FinishedPods(
            self.session, cluster=self.namespace is None, spaces=len(spaces), workers=WORKERS
        )
        ill: dict[Kind, list[SuspectObject]] = defaultdict(list)

        def of_pods(space: str) -> Found:
            if self.namespace is not None and self._down_nodes is None:
                # If the failed Nodes are unknown, only the Pods themselves show their readiness.
                return self._read_list(kind_named("Pod"), space)
            found = tables.table(self.session, kind_named("Pod"), space)
            if not found.ok:
                return self._list_instead(kind_named("Pod"), space, found)
            self.read_any = True
            rows = triage.pods(space, found.at, found.rows, self._down_nodes or frozenset())
            pods.append((space, rows, found.read))
            self._count(rows)
            self._look_ahead(space, rows)
            return [], []

        def of_table(kind: Kind) -> Found:
            found = tables.table(self.session, kind, everywhere if kind.namespaced else None, objects=True)
            if not found.ok:
                return self._list_instead(kind, everywhere, found)
            self.read_any = True
            if everywhere is None:
                self.session.saw_all(kind, (m.namespace for m in found.objects))
            held: list[Ref] = []
            for meta, state in zip(
                found.objects, triage.judge_rows(kind.name, found.at, found.rows), strict=True
            ):
                if state.stopped:
                    held.append(kind.ref(meta.namespace or None, meta.name))
                if state.done:
                    self._completed_jobs.add((meta.namespace, meta.name))
                if meta.deletion_timestamp or not state.fine:
                    ref = kind.ref(meta.namespace or None, meta.name)
                    ill[kind].append(
                        SuspectObject(ref, (*ref.key, "deleting" if meta.deletion_timestamp else ""))
                    )
            return [], _stopped_fact(kind, everywhere, held, found)

        work: list[Callable[[], Found]] = [partial(of_pods, s) for s in spaces]
        work.append(partial(self._ill_nodes, ill))
        work += [
            partial(of_table, kind_named(k))
            for k in (*_BY_TABLE, *(_OF_CLUSTER if self.namespace is None else ()))
        ]
        work += [partial(self._read_list, kind_named(k), everywhere) for k in _IN_FULL]
        work.append(partial(find_deleting, self.session, everywhere))
        # The long ones first, so that the last to end is a short one.
        for refs, more in self._each(lambda ask: ask(), work[::-1]):
            self._add(refs, more, facts)
        self._read_suspects(pods, ill, facts)

    def _count(self, rows: triage.TriageResult | None) -> None:
        if rows is not None:
            self._pod_count, self._ill_count = (
                self._pod_count + rows.count,
                self._ill_count + len(rows.suspicious),
            )
            self._tell(self._pod_count, self._ill_count)

    def _look_ahead(self, space: str, rows: triage.TriageResult | None) -> None:
        """Put a Namespace's questions early; the session and `Ended` remember the answers for when all
        Namespaces are known.
        """
        if rows is None:
            return
        phases = [SUCCEEDED] * bool(rows.ended) + [FAILED] * (space in find_failed_namespaces([rows]))
        leaving = self._finished_pods.ask_ahead(space, phases)
        here = [
            make_suspect(r, (r.namespace, r.name) in leaving, self._down_nodes)
            for r in rows.suspicious
            if r.node not in (self._down_nodes or ())
        ]
        groups = group_alike(kind_named("Pod"), here)[: max(0, self._reads_ahead)]
        self._reads_ahead -= len(groups)
        for group in groups:
            self._so_far.extend(representatives.read_representative(self.session, group, self._settle)[1])

    def _split_by_namespace(
        self, whole: tables.Table
    ) -> Iterator[tuple[str, triage.TriageResult | None, ApiRead]]:
        rows: dict[str, list[Sequence[object]]] = defaultdict(list)
        for meta, row in zip(whole.objects, whole.rows, strict=True):
            rows[meta.namespace].append(row)
        self.read_any = True
        for space, found in rows.items():
            yield space, triage.pods(space, whole.at, found, self._down_nodes or frozenset()), whole.read

    def _list_instead(self, kind: Kind, namespace: str | None, found: tables.Table) -> Found:
        """Return the list itself if the server offers no table; the refusal if it refuses or does not
        answer.
        """
        if found.read.reply.status in (200, 406):
            return self._read_list(kind, namespace)
        return [], [no_list(kind, namespace, found.read)]

    def _read_list(self, kind: Kind, namespace: str | None) -> Found:
        found = full_lists.read_kind(self.session, kind, namespace)
        self.read_any = self.read_any or not any(isinstance(f, Refused) for f in found[1])
        return found

    def _read_suspects(
        self,
        pods: list[tuple[str, triage.TriageResult | None, ApiRead]],
        ill: dict[Kind, list[SuspectObject]],
        facts: list[Fact],
    ) -> None:
        """Read ill objects in full; of the Pods that have ended or failed, those being deleted."""
        pod = kind_named("Pod")
        pods.sort(key=lambda p: p[0])
        odd = [space for space, t, _ in pods if t is None]
        for refs, more in self._each(partial(self._read_list, pod), odd):
            self._add(refs, more, facts)
        told = [(space, t) for space, t, _ in pods if t is not None]
        # A Pod that failed before its Job completed holds nothing up.
        past = {(r.namespace, r.name) for _, t in told for r in t.suspicious if self._is_past(r)}
        rows = [r for _, t in told for r in t.suspicious if (r.namespace, r.name) not in past]
        ended = {space: t.ended for space, t in told if t.ended}
        ends = self._finished_pods.find(
            ended, find_failed_namespaces(t for _, t in told) | {space for space, _ in past}
        )
        facts += ends.unseen
        sick = [make_suspect(r, (r.namespace, r.name) in ends.leaving, self._down_nodes) for r in rows]
        sick += [
            SuspectObject(Ref("Pod", s, n), (s, strip_generated_suffix(n), "ended")) for s, n in ends.running
        ]
        known = {i.ref for i in sick}
        sick += [
            SuspectObject(Ref("Pod", s, n), (s, strip_generated_suffix(n), "leaving"))
            for s, n in sorted(ends.leaving)
            if Ref("Pod", s, n) not in known
        ]
        own = {(i.ref.within, strip_generated_suffix(i.ref.name or "")) for i in sick}
        groups = [group_alike(pod, sick)]
        for kind, found in sorted(ill.items(), key=lambda i: i[0].name):
            few = len(found) <= FEW or kind.name not in ("Deployment", "DaemonSet", "ReplicationController")
            groups.append(
                group_alike(
                    kind,
                    found
                    if few
                    else [i for i in found if i.alike[-1] == "deleting" or not has_ill_pods(i.ref, own)],
                )
            )
        starving = sorted(
            n for n, count in count_waiting(rows).items() if count > 1 and n not in (self._down_nodes or ())
        )
        if self.namespace is None:
            groups.append(
                group_alike(
                    kind_named("Node"),
                    [SuspectObject(Ref("Node", None, n), (n,)) for n in starving],
                    keep=True,
                )
            )
        self._read(groups, facts)
        src = pods[0][2].src(f"{sum(t.count for _, t in told)} Pods") if pods else None
        if src:
            read = (
                sum(len(f.others) for f in facts if isinstance(f, Alike))
                + sum(r.kind == "Pod" for r in self.refs)
                + len(self._settled_pods)
            )
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

    def _is_past(self, row: triage.TableRow) -> bool:
        return (
            row.status not in NOT_ENDED
            and not row.status.startswith("Init:")
            and (row.namespace, strip_generated_suffix(row.name)) in self._completed_jobs
        )

    # --- in full --------------------------------------------------------------------------------------------

    def _read(self, wanted: Iterable[list[LikeGroup]], facts: list[Fact]) -> None:
        """Read one of each group in full, the largest groups of each kind first; and the Leases of the
        Nodes that are ill.
        """
        groups: list[LikeGroup] = []
        for of_kind in wanted:
            chosen, unread = representatives.choose_groups(of_kind, self.namespace)
            groups += chosen
            facts += unread
        late: list[Ref] = []
        read = self._each(
            lambda g: representatives.read_representative(self.session, g, self._settle), groups
        )
        for group, (refs, more) in zip(groups, read, strict=True):
            self._add(refs, more, facts)
            late += [
                Ref("Lease", "kube-node-lease", r.name) for r in refs if r.kind == "Node" and not group.keep
            ]
        lease = kind_named("Lease")
        for found, ref in zip(
            run_each(lambda r: self.session.object(lease, r), late, WORKERS), late, strict=True
        ):
            facts += read_object(self.session, found, ref)

    def _settle(self, ref: Ref) -> None:
        if ref.kind == "Pod":
            self._settled_pods.add(ref)


def _stopped_fact(kind: Kind, namespace: str | None, refs: Sequence[Ref], found: tables.Table) -> list[Fact]:
    about = Ref(f"{kind.name}List", namespace)
    return (
        [Stopped(about=about, src=found.read.src(f"{len(refs)} stopped"), refs=tuple(refs))] if refs else []
    )
