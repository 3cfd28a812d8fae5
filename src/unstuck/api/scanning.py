"""All unhealthy objects of a Namespace or the cluster, as incidents."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, zip_longest
from typing import Protocol

from unstuck.api.investigation import now, route
from unstuck.api.node_access import answer_unasked
from unstuck.api.ranking import SCAN, find_unwell, rank_diagnoses
from unstuck.api.reader import ClusterReader, Survey
from unstuck.api.report import Report, report_of
from unstuck.diagnosis.cause import AskableCause
from unstuck.diagnosis.sign import unique
from unstuck.engine import list_causes
from unstuck.engine.assessment import Assessment
from unstuck.engine.batch import DEEP, FEW, choose_representatives, group_alike, make_model, match_model
from unstuck.engine.diagnose import DEPTH, ask, find_causes
from unstuck.engine.evaluator import Evaluator, is_asked_about
from unstuck.engine.investigate import Collect, open_wants
from unstuck.facts.aspects.alike import Counted, Hurried
from unstuck.facts.aspects.cluster import Lease, NodeNames, Workload
from unstuck.facts.aspects.history import History
from unstuck.facts.aspects.objects import Below, Conditions, Events, Presence
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.codec import Saved
from unstuck.facts.core import Fact, Ref, Source, Want
from unstuck.facts.derive.events import is_from_events
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.unasked import make_unasked

# The questions of all subjects are asked together: subjects of one incident share many.
ROUNDS = 12
QUESTIONS = 300
PASSES = 3
# The maximum number of questions of one scan, so that it ends in any cluster. One request answers several.
BUDGET = 5000
# Kinds with more information in Events than in the object.
TOLD_BY_EVENTS = ("Pod", "PersistentVolumeClaim", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
OF_NODE: tuple[type[Fact], ...] = (Presence, Conditions, Lease)
SUBJECTS = 150
# Subjects from which the objects that they name are followed, as `why` does.
FOLLOWED = 24
# Above this many Pods a scan does not ask for facts that need all Pods or Nodes in full; `why` on one of its
# incidents does.
LARGE = 5000
HURRIED = 8
_ANY_POD = Ref("Pod")
HEAVY: frozenset[type[Fact]] = frozenset((PlacingInputs, History, NodeNames, SchedulerWork))


class ScanProgress(Protocol):
    """Receives the progress of a scan's lists."""

    def __call__(self, pods: int, ill: int, /) -> None:
        """Take note of the progress. pods: the number of Pods read. ill: the number of ill-looking ones.
        Called from any thread.
        """


class CauseImporter:
    """Imports the causes about Pods while the server prepares the lists: if many Pods are ill, nearly all
    causes are judged. Of a cause with preconditions only these are imported: few Pods meet them.
    """

    def __init__(self, causes: Sequence[AskableCause]) -> None:
        self._causes = causes
        self._started = False

    def begin(self) -> None:
        """Begin the import once, in a separate thread."""
        if not self._started:
            self._started = True
            threading.Thread(target=self._import, daemon=True).start()

    def _import(self) -> None:
        # An import error is raised by the later judgement.
        with suppress(Exception):
            for cause in self._causes:
                if is_asked_about(cause, _ANY_POD):
                    _ = cause.needs or cause.rule


class Scan:
    """A scan in progress: its first requests are already sent. Any thread may ask for partial results.

    source: the cluster's name in Snapshots. within: the Namespace, None for the whole cluster.
    """

    def __init__(self, survey: Survey, after: float | None = None) -> None:
        """Store the parameters. survey: the first look. after: seconds; None: the usual times."""
        self._survey, self._after = survey, after
        self.source, self.within = survey.reader.source, survey.within
        self._evaluator = Evaluator()
        # The Snapshot so far; None during the lists.
        self._snap: Snapshot | None = None

    def report(self, progress: ScanProgress | None = None) -> Report:
        """Wait for the answer and return it. progress: informed of the number of Pods read and of ill-looking
        ones.

        Errors: those of `unstuck.errors`.
        """
        reader, within = self._survey.reader, self.within
        ahead = CauseImporter(list_causes())

        def note_counts(pods: int, ill: int) -> None:
            if progress is not None:
                progress(pods, ill)
            if ill > FEW:
                ahead.begin()

        reader.on_progress(note_counts)
        self._snap = _snapshot(reader, self._survey.facts())
        snap = self._snap = deepen(
            reader, self._snap, within, JudgingOptions(list_causes(), self._after, self._evaluator)
        )
        return self._report_of(snap)

    def so_far(self) -> Report | None:
        """Return the answer so far, None if nothing is known. Only a few causes are judged, since judging
        takes seconds.
        """
        reader = self._survey.reader
        facts = reader.so_far()
        snap = self._snap or (_snapshot(reader, facts) if facts else None)
        return None if snap is None else self._report_of(snap, HURRIED)

    def _report_of(self, snap: Snapshot, most: int | None = None) -> Report:
        refs = find_unwell(snap, self._after, self.within, self._evaluator)
        found = rank_diagnoses(refs, snap, list_causes(), self._after, most, self._evaluator)
        return report_of(Saved(snap, Ref(SCAN, self.within), self._after), found, "scan")


def survey(reader: ClusterReader, namespace: str | None) -> Snapshot:
    """List possibly stuck objects without a closer look. namespace: None for all."""
    _, facts = reader.list_unhealthy(namespace)
    return _snapshot(reader, facts)


def _snapshot(reader: ClusterReader, facts: Iterable[Fact]) -> Snapshot:
    """Return a cluster's facts, as of now."""
    return Snapshot(facts, now(), (reader.source,))


@record()
class JudgingOptions(Record):
    """The options of a scan's judgement. causes: the causes to judge. after: `--after`. evaluator: the scan's
    judgements so far.
    """

    causes: Sequence[AskableCause]
    after: float | None
    evaluator: Evaluator


def deepen(reader: ClusterReader, snap: Snapshot, within: str | None, manner: JudgingOptions) -> Snapshot:
    """Ask the API for facts beyond the lists, for all subjects at once; nodes are not asked in a scan.

    For similar objects, one is asked about first, and the others only for the facts of its causes; then the
    remaining questions follow. Questions beyond the limit are reported.
    """
    refs = find_unwell(snap, manner.after, within, manner.evaluator)
    large = any(f.pods > LARGE for f in snap.every(Counted))
    turn = QuestionBudget(route(reader.collect, answer_unasked), HEAVY if large else frozenset[type[Fact]]())
    leaders = choose_representatives(refs, snap)
    first = leaders[: SUBJECTS * PASSES]
    for some in cut_slices(first, SUBJECTS):
        snap = ask_about(some, snap, turn, manner)
    # The objects that they name may have the root cause without appearing in any list.
    led = [*islice((r for r in first if manner.evaluator.named_by(r, snap)), FOLLOWED)]
    snap = ask_about(led, snap, turn, manner, depth=DEPTH) if led else snap
    rest = set(refs).difference(first)
    for _ in range(PASSES - 1):
        todo = dict(find_unexplained(refs, rest, snap, manner)[:SUBJECTS])
        if not todo:
            break
        rest.difference_update(todo)
        if alike := [r for r, likely in todo.items() if likely.ids]:
            snap = ask_about(alike, snap, turn, manner, todo)
        others = [r for r, _ in find_unexplained(refs, todo, snap, manner)]
        snap = ask_about(others, snap, turn, manner) if others else snap
    else:
        turn.skipped.update((r, 0) for r, _ in find_unexplained(refs, rest, snap, manner))
    hurried = turn.skipped | dict.fromkeys(rest.intersection(leaders[SUBJECTS * PASSES :]), 0)
    hurried_facts = (
        Hurried(about=r, src=Source("scan"), whole=False, questions=n)
        for r, n in sorted(hurried.items(), key=lambda i: i[0].key)
    )
    return snap.plus([*_refuse_heavy({w.fact for w in turn.asked if large} & HEAVY, within), *hurried_facts])


def cut_slices(refs: Sequence[Ref], size: int) -> Iterator[Sequence[Ref]]:
    """Cut a list into consecutive slices."""
    return (refs[i : i + size] for i in range(0, len(refs), size))


def _refuse_heavy(heavy: Iterable[type[Fact]], within: str | None) -> list[Fact]:
    """Return a `Refused` for each of these wanted but unasked facts."""
    return [make_unasked(fact, Ref("PodList", within), "scan") for fact in heavy]


@record()
class LikelyCauses(Record):
    """The causes to judge for a subject that looks like others. ids: the others' causes. from_events: whether
    Events gave these causes.
    """

    ids: frozenset[str]
    from_events: bool


def find_unexplained(
    refs: Sequence[Ref], meant: Collection[Ref], snap: Snapshot, manner: JudgingOptions
) -> list[tuple[Ref, LikelyCauses]]:
    """Return subjects that look like others without showing their causes so far, each with these causes.

    refs: all unhealthy objects. meant: the ones in question.
    """
    out = []
    causes, after, evaluator = manner.causes, manner.after, manner.evaluator
    for group in group_alike(refs, snap):
        # With more facts an object may no longer look like the one that was asked about for it.
        out += [(r, LikelyCauses(frozenset(), from_events=False)) for r in group[:DEEP] if r in meant]
        alike = [r for r in group[DEEP:] if r in meant]
        if not alike:
            continue
        found = [
            (snap.canon(r), t) for r in group[:DEEP] for t in find_causes(r, snap, causes, after, evaluator)
        ]
        own = [t for _, t in found if t.via is None]
        told = any(is_from_events(e.fact, snap) for t in own for e in t.evidence)
        likely = LikelyCauses(frozenset(t.id for t in own), told)
        model = make_model(found, snap)
        out += [(r, likely) for r in alike if match_model(r, model, snap, causes, after, evaluator) is None]
    return out


def choose_questions(asked: Assessment, snap: Snapshot) -> list[Want]:
    """Choose the questions about one subject; for a stuck Node not about all its Pods: the ill-looking ones
    are already known.
    """
    known = asked.subject.kind == "Node" and asked.state.name == "stuck"
    return [w for w in open_wants(asked, snap) if not (known and w == Want(Below, asked.subject))]


class QuestionBudget:
    """The questions of a scan, within its budget. asked: the questions so far. skipped: the number of
    questions beyond the budget, by subject.

    collect: answers questions. heavy: the facts never asked for.
    """

    def __init__(self, collect: Collect, heavy: frozenset[type[Fact]], budget: int | None = None) -> None:
        self._collect, self.heavy = collect, heavy
        self._left = BUDGET if budget is None else budget
        self.asked: set[Want] = set()
        self.skipped: dict[Ref, int] = {}

    def ask(self, wants: Sequence[Want], snap: Snapshot) -> Snapshot:
        """Ask these questions and return the Snapshot with the answers."""
        self.asked.update(wants)
        self._left -= len(wants)
        return snap.plus(self._collect(wants)) if wants else snap

    def choose(self, asked: Mapping[Ref, Sequence[Want]]) -> list[Want]:
        """Choose the first question of each subject, then the second of each, up to the limit of one
        batch.
        """
        light = {r: [w for w in ws if w.fact not in self.heavy] for r, ws in asked.items()}
        in_turn = list(unique(w for row in zip_longest(*light.values()) for w in row if w is not None))
        out = in_turn[: max(0, min(QUESTIONS, self._left))]
        if self._left <= len(out) and len(out) < len(in_turn):
            over = set(in_turn[len(out) :])
            self.skipped.update({r: n for r, ws in light.items() if (n := sum(w in over for w in ws))})
        return out


def _made_none(ref: Ref, snap: Snapshot) -> bool:
    """Tell whether a Deployment has created nothing yet: then only its own Events show the reason."""
    return ref.kind == "Deployment" and any(not f.created for f in snap.of(Workload, ref))


def ask_about(
    refs: Sequence[Ref],
    snap: Snapshot,
    turn: QuestionBudget,
    manner: JudgingOptions,
    only: Mapping[Ref, LikelyCauses] | None = None,
    depth: int = 0,
) -> Snapshot:
    """Ask all questions of the subjects together, repeatedly while answers raise new ones.

    only: for each subject the causes to ask about, if not all; its Events are read only if Events supported
    these causes. depth: as for `ask`.
    """
    causes, after = manner.causes, manner.after
    those = {r: causes if only is None else tuple(c for c in causes if c.id in only[r].ids) for r in refs}
    heard = [
        r
        for r in refs
        if (r.kind in TOLD_BY_EVENTS or _made_none(r, snap)) and (only is None or only[r].from_events)
    ]
    told = [w for r in heard if (w := Want(Events, r)) not in turn.asked]
    # Nearly every cause of a Pod reads its Node: without the Node, verdicts would have to be judged again.
    nodes = unique(
        node for r in refs if r.kind == "Pod" and only is None and (node := find_node_of_pod(r, snap))
    )
    told += [
        w
        for node in nodes
        for fact in OF_NODE
        if (w := Want(fact, node)) not in turn.asked and not snap.answered(w)
    ]
    snap = turn.ask(told, snap)
    closely = list(refs)
    for _ in range(ROUNDS):
        asked = {
            r: [
                w
                for w in choose_questions(ask(r, snap, those[r], after, depth, manner.evaluator), snap)
                if w not in turn.asked
            ]
            for r in closely
        }
        turn.asked.update(w for ws in asked.values() for w in ws if w.fact in turn.heavy)
        wants = turn.choose(asked)
        if not wants:
            break
        snap = turn.ask(wants, snap)
        # Only facts requested for a subject change its answer.
        closely = [r for r, ws in asked.items() if any(w.fact not in turn.heavy for w in ws)]
    return snap
