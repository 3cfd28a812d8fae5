"""`scan`: everything in a Namespace or in the cluster that is not fine, as incidents."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from unstuck.cli import terminal
from unstuck.cli.answers import Shape, answer, printed, report_of
from unstuck.cli.ask import not_asked, now, routed
from unstuck.cli.connecting import Cluster, Connection, Surveying
from unstuck.cli.files import write_saved
from unstuck.cli.leaving import tidied
from unstuck.cli.progress import progress
from unstuck.cli.subjects import SCAN, diagnoses_of, not_fine
from unstuck.diagnosis.answer import Report
from unstuck.diagnosis.cause import Asking
from unstuck.diagnosis.sign import unique
from unstuck.engine import listed
from unstuck.engine.diagnose import Asked, ask, diagnose
from unstuck.engine.investigate import Collect, wanted
from unstuck.engine.left_out import SCAN as LEFT_OUT
from unstuck.engine.many import DEEP, FEW, groups, leading, like, model_of
from unstuck.facts.aspects.alike import Counted
from unstuck.facts.aspects.cluster import Lease, NodeNames
from unstuck.facts.aspects.history import History
from unstuck.facts.aspects.objects import Below, Conditions, Events, Presence
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.codec import Saved
from unstuck.facts.core import Fact, Ref, Refused, Source, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text
from unstuck.render.words import in_lang

# Each subject's questions are put together with all others'; many subjects of one incident ask the same.
ROUNDS = 4
QUESTIONS = 300
PASSES = 3
# Of these the Events tell what the object does not; beyond the first ones an incident's other members tell the same.
TOLD_BY_EVENTS = ("Pod", "PersistentVolumeClaim", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
EVENTS = 100
OF_NODE: tuple[type[Fact], ...] = (Presence, Conditions, Lease)
SUBJECTS = 150
# In a cluster of so many Pods, a scan does not ask for what needs them or the Nodes all in full; `why` on one of its incidents does.
LARGE = 5000
HURRIED = 8
HEAVY: frozenset[type[Fact]] = frozenset((PlacingInputs, History, NodeNames, SchedulerWork))
ALL = Text("all", "全部")
UNFINISHED = Text("interrupted: this is what was known so far", "已中断：以上为目前所知")


FailOn = Literal["stuck", "proven", "never"]
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


@record()
class Scan(Record):
    """The question as it was typed.

    fail_on: what exit status 1 is kept for. every: seconds between two scans, None for one.
    """

    shape: Shape
    after: float | None = None
    save: str | None = None
    fail_on: FailOn | None = None
    every: float | None = None


def scan(to: Connection, begun: Surveying, asked: Scan) -> int:
    """Prints the incidents and returns the exit status; with `every` again and again, until it is interrupted.

    begun: the first look, which is under way.
    """
    status = _once(begun, asked)
    while asked.every is not None:
        time.sleep(asked.every)
        status = _once(Surveying(to.fresh(), begun.within), asked)
    return status


def _once(begun: Surveying, asked: Scan) -> int:
    cluster, within = begun.cluster, begun.within
    known = Known(cluster, asked.after, within)
    with tidied(lambda: known.show(asked.shape)), progress(f"{cluster.source}: {within or in_lang(ALL, asked.shape.lang)}") as spinner:
        ahead = Ahead(listed())

        def counted(pods: int, ill: int) -> None:
            spinner.say(in_lang(_counts(pods, ill), asked.shape.lang))
            if ill > FEW:
                ahead.begin()

        cluster.on_progress(counted)
        known.snap = _told(cluster, begun.facts())
        snap = deepen(cluster, known.snap, within, asked.after, listed())
        found = diagnoses_of(not_fine(snap, asked.after, within), snap, listed(), asked.after)
    if asked.save:
        write_saved(asked.save, Saved(snap, Ref(SCAN, within), asked.after))
    report = report_of(snap, found, "scan")
    if asked.every is not None and terminal.moving() and asked.shape.output == "text":
        terminal.emit(_CLEAR)
    status = answer(report, asked.shape, "scan")
    return status if asked.fail_on is None else failing(report, asked.fail_on)


def failing(report: Report, on: FailOn) -> int:
    """1 where there is what a pipeline wants to fail on, else 0."""
    bad = [d for d in report.diagnoses if d.state.name == "stuck"]
    if on == "proven":
        bad = [d for d in bad if any(t.confidence == "proven" for t in d.causes)]
    return int(bool(bad) and on != "never")


def _counts(pods: int, ill: int) -> Text:
    return Text(f"{pods} Pods, {ill} look ill", f"{pods} 个 Pod，其中 {ill} 个看似异常")


class Ahead:
    """Imports the causes while the server is at work on the lists: where much is ill nearly all of them are asked."""

    def __init__(self, causes: Sequence[Asking]) -> None:
        self._causes = causes
        self._begun = False

    def begin(self) -> None:
        """Once, in a thread of its own."""
        if not self._begun:
            self._begun = True
            threading.Thread(target=self._import, daemon=True).start()

    def _import(self) -> None:
        # What does not import says so where it is asked.
        with suppress(Exception):
            for cause in self._causes:
                _ = cause.title


class Known:
    """What is known when somebody has had enough. snap: as far as it is, None while only lists are read."""

    def __init__(self, cluster: Cluster, after: float | None, within: str | None) -> None:
        self._cluster, self._after, self._within = cluster, after, within
        self.snap: Snapshot | None = None

    def show(self, shape: Shape) -> None:
        """Prints it, and that it is not all."""
        facts = self._cluster.so_far()
        snap = self.snap or (_told(self._cluster, facts) if facts else None)
        if snap is None:
            return
        # Whoever waits has a few seconds: the widest few are diagnosed, of the others their state is told.
        found = diagnoses_of(not_fine(snap, self._after, self._within), snap, listed(), self._after, HURRIED)
        terminal.emit(printed(report_of(snap, found, "scan"), shape, "scan"))
        sys.stderr.write("\r" + in_lang(UNFINISHED, shape.lang) + "\n")
        sys.stderr.flush()


def survey(cluster: Cluster, namespace: str | None) -> Snapshot:
    """The lists of what can be stuck, without looking closer. namespace: None for all."""
    _, facts = cluster.list_unhealthy(namespace)
    return _told(cluster, facts)


def _told(cluster: Cluster, facts: Iterable[Fact]) -> Snapshot:
    """What a cluster has told, as of now."""
    return Snapshot(facts, now(), (cluster.source,))


def deepen(cluster: Cluster, snap: Snapshot, within: str | None, after: float | None, causes: Sequence[Asking]) -> Snapshot:
    """What the API tells beyond the lists, asked for all subjects at once; nodes are not asked in a scan.

    One of those that look the same is asked about first; of the others what its causes look at; then those of which these do not hold.
    """
    collect = routed(cluster.collect, not_asked())
    refs = not_fine(snap, after, within)
    large = any(f.pods > LARGE for f in snap.every(Counted))
    put: set[Want] = set()
    how = (causes, after, HEAVY if large else frozenset[type[Fact]]())
    first = leading(refs, snap)[:SUBJECTS]
    snap = ask_about(first, snap, collect, put, how)
    rest = set(refs).difference(first)
    for _ in range(PASSES - 1):
        todo = dict(unexplained(refs, rest, snap, causes, after)[:SUBJECTS])
        if not todo:
            break
        rest.difference_update(todo)
        if alike := [r for r, likely in todo.items() if likely.ids]:
            snap = ask_about(alike, snap, collect, put, how, todo)
        others = [r for r, _ in unexplained(refs, todo, snap, causes, after)]
        snap = ask_about(others, snap, collect, put, how) if others else snap
    return snap.plus(_not_asked_for({w.fact for w in put if large} & HEAVY, within))


def _not_asked_for(heavy: Iterable[type[Fact]], within: str | None) -> list[Fact]:
    """That these were wanted, and not asked for."""
    about, src = Ref("PodList", within), Source(LEFT_OUT, "")
    return [Refused(about=about, src=src, want=fact.__name__, why="not-asked") for fact in heavy]


@record()
class Likely(Record):
    """What is asked of one that looks like others. ids: the causes of these. told: whether Events told them."""

    ids: frozenset[str]
    told: bool


def unexplained(
    refs: Sequence[Ref], meant: Collection[Ref], snap: Snapshot, causes: Sequence[Asking], after: float | None
) -> list[tuple[Ref, Likely]]:
    """Those that look like others and of which the causes of these do not hold, as far as is known; with what these are.

    refs: all that are not fine. meant: the ones of them that the question is about.
    """
    out = []
    for group in groups(refs, snap):
        alike = [r for r in group[DEEP:] if r in meant]
        if not alike:
            continue
        models = [diagnose(r, snap, causes, after) for r in group[:DEEP]]
        found = [t for m in models for t in m.causes if t.via is None]
        told = any(e.fact.src.where.endswith("/events") for t in found for e in t.evidence)
        likely = Likely(frozenset(t.id for t in found), told)
        model = model_of(models, snap)
        out += [(r, likely) for r in alike if like(r, model, snap, causes, after) is None]
    return out


def questions(asked: Asked, snap: Snapshot) -> list[Want]:
    """What to ask about one subject; of a Node that is known to be stuck not all its Pods: those that look ill are known already."""
    known = asked.subject.kind == "Node" and asked.state.name == "stuck"
    return [w for w in wanted(asked, snap) if not (known and w == Want(Below, asked.subject))]


def ask_about(
    refs: Sequence[Ref],
    snap: Snapshot,
    collect: Collect,
    put: set[Want],
    how: tuple[Sequence[Asking], float | None, frozenset[type[Fact]]],
    only: Mapping[Ref, Likely] | None = None,
) -> Snapshot:
    """Puts all their questions together, again where answers raise new ones.

    put: what was put already. how: the causes, `--after`, and the facts that are not asked for. only: of each subject the causes that
    are asked of it, where not all are; its Events are read only where they told these.
    """
    causes, after, heavy = how
    those = {r: causes if only is None else tuple(c for c in causes if c.id in only[r].ids) for r in refs}
    heard = [r for r in refs if r.kind in TOLD_BY_EVENTS and (only is None or only[r].told)]
    told = [w for r in heard if (w := Want(Events, r)) not in put][:EVENTS]
    # Nearly every cause of a Pod looks at its Node: what is judged without it is judged again.
    nodes = unique(node for r in refs if r.kind == "Pod" and only is None and (node := node_of(r, snap)))
    told += [w for node in nodes for fact in OF_NODE if (w := Want(fact, node)) not in put and not snap.answered(w)]
    put.update(told)
    snap = snap.plus(collect(told)) if told else snap
    closely = list(refs)
    for _ in range(ROUNDS):
        asked = {r: [w for w in questions(ask(r, snap, those[r], after, depth=0), snap) if w not in put] for r in closely}
        open_ = list(unique(w for ws in asked.values() for w in ws))
        put.update(w for w in open_ if w.fact in heavy)
        wants = [w for w in open_ if w.fact not in heavy][:QUESTIONS]
        if not wants:
            break
        put.update(wants)
        snap = snap.plus(collect(wants))
        # The answer about a subject changes only by what was asked for it.
        closely = [r for r, ws in asked.items() if any(w.fact not in heavy for w in ws)]
    return snap
