"""One subject's whole answer from a Snapshot: pure, so that any answer replays."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis, Explained, Open, Question, Stage, State, Told
from unstuck.diagnosis.cause import Asking
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.verdict import Match, Undecided
from unstuck.engine.link import linked
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.objects import Below
from unstuck.facts.aspects.protection import Dependents, Users
from unstuck.facts.aspects.ways import Unreached
from unstuck.facts.core import Ref, Refused, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import gated, stage_line
from unstuck.stages.state import state_of

# What an object tells of itself, where its fact names no better way.
_ASK = "kubectl get {kind}/{name} -n {namespace} -o yaml"
DEPTH = 3
CHILDREN = 5
_HOLDERS = ("Namespace", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob")


@record()
class Asked(Record):
    """Every cause put to one subject, before anything is linked or left out."""

    subject: Ref
    state: State
    stages: tuple[Stage, ...]
    explained: tuple[Explained, ...]
    below: tuple[Asked, ...] = ()

    @property
    def open(self) -> tuple[Explained, ...]:
        """Those that are not ruled out."""
        return tuple(e for e in self.explained if not e.out)


def ask(subject: Ref, snap: Snapshot, causes: Sequence[Asking], after: float | None = None, depth: int = DEPTH) -> Asked:
    """Judges every cause of the subject's kind, and for what it holds the same, the first few that are not fine."""
    subject = snap.canon(subject)
    stages = stage_line(subject, snap)
    state = state_of(subject, snap, stages, after)
    explained = tuple(_asked(c, subject, stages, snap) for c in causes if asks(c, subject))
    return Asked(subject, state, stages, explained, _below(subject, snap, causes, after, depth))


def _asked(cause: Asking, subject: Ref, stages: Sequence[Stage], snap: Snapshot) -> Explained:
    return Explained(cause.id, subject, gated(subject, cause.stages, stages, snap), lambda: cause.rule(subject, snap))


def asks(cause: Asking, subject: Ref) -> bool:
    """Whether the cause is asked about this kind. `*` stands for every kind."""
    return subject.kind in cause.subjects or "*" in cause.subjects


def _below(subject: Ref, snap: Snapshot, causes: Sequence[Asking], after: float | None, depth: int) -> tuple[Asked, ...]:
    if depth == 0:
        return ()
    listed = (r for f in snap.of(Below, subject) for r in f.refs) if subject.kind in _HOLDERS else ()
    held = (ref for f in snap.of(Contents, subject) for i in f.items for ref, _ in i.held)
    users = (r for f in snap.of(Users, subject) for r in f.refs)
    dependents = (d.ref for f in snap.of(Dependents, subject) for d in f.items if d.blocks)
    children = unique(snap.canon(r) for r in (*listed, *held, *users, *dependents))
    asked = (ask(child, snap, causes, after, depth - 1) for child in sorted(children, key=lambda r: r.key))
    ill: list[Asked] = []
    for one in asked:
        if one.state.name in ("stuck", "unknown"):
            ill.append(one)
        if len(ill) == CHILDREN:
            break
    return tuple(ill)


def diagnose(subject: Ref, snap: Snapshot, causes: Sequence[Asking], after: float | None = None) -> Diagnosis:
    """The answer about one subject: the same facts always give the same answer, whatever their order."""
    return answer(ask(subject, snap, causes, after), snap, causes)


def answer(asked: Asked, snap: Snapshot, causes: Sequence[Asking]) -> Diagnosis:
    """From judged causes to the record that renderers read."""
    by_id = {c.id: c for c in causes}
    everyone = _flat(asked)
    told = [
        Told(
            e.id,
            by_id[e.id].title,
            e.verdict.confidence,
            e.verdict.finding,
            e.verdict.evidence,
            e.verdict.wants,
            via=_via(asked, e),
            questions=_questions(e.verdict.wants, snap),
        )
        for a in everyone
        for e in a.open
        if isinstance(e.verdict, Match)
    ]
    undecided = [
        (
            _rank(a, by_id[e.id], e.verdict),
            Open(
                e.id,
                by_id[e.id].title,
                e.verdict.possible,
                e.verdict.evidence,
                _questions(e.verdict.wants, snap),
                _stage(a, by_id[e.id]),
                e.verdict.do_not,
            ),
        )
        for a in everyone
        for e in a.open
        if isinstance(e.verdict, Undecided) and _raised(e, a, asked)
    ]
    ids = {t.id for t in told}
    openly = {o.id: o for _, o in sorted(undecided, key=lambda p: p[0], reverse=True) if o.id not in ids}
    order = unique(o.id for _, o in sorted(undecided, key=lambda p: p[0]) if o.id not in ids)
    ruled_out = tuple(e for e in asked.explained if e.out)
    return Diagnosis(
        subject=asked.subject,
        state=asked.state,
        stages=asked.stages,
        causes=linked(told, asked.subject, snap),
        undecided=tuple(openly[i] for i in order),
        ruled_out=ruled_out,
        explained=tuple(e for a in everyone for e in a.explained),
        refused=tuple(r for r in snap.every(Refused)),
        unreached=snap.every(Unreached),
    )


def _raised(explained: Explained, about: Asked, asked: Asked) -> bool:
    """Whether an undecided cause is worth telling: its question arises, or something speaks for it.

    Of what the subject holds and of which nothing is known but its name, nothing is told; it is asked about all the same.
    """
    if isinstance(explained.verdict, Undecided) and explained.verdict.possible:
        return True
    unknown = explained.gate is None and explained.signs.applies.value is None
    return not unknown and (about is asked or about.state.name != "unknown")


def _flat(asked: Asked) -> list[Asked]:
    return [asked, *(a for child in asked.below for a in _flat(child))]


def _via(asked: Asked, explained: Explained) -> Ref | None:
    return None if explained.subject == asked.subject else explained.subject


def _rank(asked: Asked, cause: Asking, verdict: Undecided) -> tuple[bool, int, str, tuple[str, ...]]:
    """What something speaks for comes first, then what would hold an earlier stage."""
    places = [i for i, s in enumerate(asked.stages) if s.id in cause.stages and s.state in ("not-done", "unknown")]
    return (not verdict.possible, places[0] if places else len(asked.stages), cause.id, asked.subject.key)


def _stage(asked: Asked, cause: Asking) -> str:
    """Where on the subject's line it would stand; what may stand anywhere, at the first that is not known to be done."""
    open_ = [s.id for s in asked.stages if s.state in ("not-done", "unknown")]
    return next((s for s in open_ if not cause.stages or s in cause.stages), "")


def _questions(wants: Sequence[Want], snap: Snapshot) -> tuple[Question, ...]:
    return tuple(question(want, snap) for want in wants)


def question(want: Want, snap: Snapshot) -> Question:
    """A Want as a person reads it: why it is open, and the command that answers it."""
    refused = snap.refused(want)
    why, detail = (refused.why, refused.detail) if refused else ("not-asked", "")
    return Question(want, why, spelled(want, snap), detail, node_of_want(want, snap))


def node_of_want(want: Want, snap: Snapshot) -> Ref | None:
    """Where to go for what only a node tells: the Node itself, the Pod's Node, or the node that a file or mount lies on."""
    about = snap.canon(want.about)
    if want.fact.cost == "api":
        return None
    if about.kind == "Node":
        return about
    if about.kind == "Pod":
        return node_of(about, snap)
    if about.kind == "Container":
        namespace, _, pod = (about.within or "").partition("/")
        return node_of(Ref("Pod", namespace, pod), snap)
    return Ref("Node", None, about.within) if about.within else None


def spelled(want: Want, snap: Snapshot) -> str:
    """The fact's `ask` with the subject's names filled in."""
    about = snap.canon(want.about)
    container = about.kind == "Container"
    node = node_of_want(want, snap)
    values = {
        "kind": about.kind.removesuffix("List").lower(),
        "name": about.name or "NAME",
        "namespace": (about.within or "").partition("/")[0] or "NAMESPACE",
        "pod": (about.within or "").partition("/")[2] if container else about.name or "POD",
        "uid": about.uid or "UID",
        "node": (node.name if node else None) or "NODE",
        "daemon": "kubelet",
        "component": "kubelet",
    }
    text = (want.fact.ask or _ASK).format_map(values)
    return text if about.within else text.replace(" -n NAMESPACE", "")
