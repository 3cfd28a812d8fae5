"""One subject's whole answer from a Snapshot: pure, so that any answer replays."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from unstuck.diagnosis.answer import (
    CauseMatch,
    Diagnosis,
    Evaluation,
    LazyEvaluations,
    OpenCause,
    Question,
    Stage,
    State,
)
from unstuck.diagnosis.cause import AskableCause
from unstuck.diagnosis.placing import LazyPlacing
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Match, Undecided
from unstuck.engine.circles import tell_circles
from unstuck.engine.evaluator import Evaluator, Judged
from unstuck.engine.holders import find_holders
from unstuck.engine.leads import leads
from unstuck.engine.link import Followed, link
from unstuck.engine.loops import tell_loops
from unstuck.engine.manual_commands import find_node_of_want, spell
from unstuck.engine.next import choose_next
from unstuck.engine.parts import find_ill_containers, tell_of_others
from unstuck.engine.shortlist import make_shortlist
from unstuck.engine.sources import place_remedies
from unstuck.engine.unfinished import judge_unfinished
from unstuck.engine.unread_parts import qualify_state
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.history import History
from unstuck.facts.aspects.objects import Below, Conditions, Owners, Presence
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.protection import Dependents, Users
from unstuck.facts.aspects.references import Owned
from unstuck.facts.aspects.reported import TypeStatus
from unstuck.facts.aspects.services import ServicePods, ServiceWorkloads
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Ref, Refused, Want
from unstuck.facts.derive.pods import find_node_of_pod, is_terminal, parse_replica_set, strip_generated_suffix
from unstuck.facts.record import Record, record, replace
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.consumers import find_waiting_consumers
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.named import NamedObject
from unstuck.stages.node_state import find_lost_daemons
from unstuck.stages.references import find_serving_targets
from unstuck.stages.unwritten import find_stopped_controllers

DEPTH = 3
CHILDREN = 5
# Pods of one Service are mostly of one template.
BEHIND = 2
_MAKERS = ("ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_ILL = ("stuck", "unknown")
_NOT_WELL = (*_ILL, "progressing")
_CLAIMS = ("PersistentVolumeClaim", "ResourceClaim")
# A budget holds nothing itself; the Pods that it selects are to blame if it falls short.
_HOLDERS = (
    "Namespace",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "PodDisruptionBudget",
)


@record()
class Assessment(Record):
    """Every cause judged for one subject, before anything is linked or left out.

    explained: the causes whose gate is not shut. Most are behind a shut gate: they are ruled out, and appear
    only in the full list (`_all`). named: the objects that messages about it name, some of them also among
    `below`. parts: causes put to each container of a Pod by itself, where several are not well.
    """

    subject: Ref
    state: State
    stages: tuple[Stage, ...]
    explained: tuple[Evaluation, ...]
    below: tuple[Assessment, ...] = ()
    named: tuple[NamedObject, ...] = ()
    parts: tuple[Evaluation, ...] = ()

    @property
    def open(self) -> tuple[Evaluation, ...]:
        """Open causes: not ruled out."""
        return tuple(e for e in self.explained if not e.out)


def ask(
    subject: Ref,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None = None,
    depth: int = DEPTH,
    evaluator: Evaluator | None = None,
    above: tuple[Ref, ...] = (),
) -> Assessment:
    """Judge every cause of the subject's kind, then those of its parts and of the objects that messages about
    it name, unless these are fine.

    evaluator: the session's, or None if nothing has been judged yet. above: the subjects that led here.
    """
    evaluator = evaluator or Evaluator()
    subject = snap.canon(subject)
    stages, state = evaluator.line_of(subject, snap, after)
    judged = evaluator.recall(subject, causes, stages, snap)
    if judged is None:
        fresh: list[Judged] = []
        for cause, gate in evaluator.find_open(subject, causes, stages, snap):
            fresh.append((cause, gate, evaluator.judge(cause, subject, gate, snap)))
        evaluator.keep(subject, causes, stages, fresh, snap)
        judged = fresh
    explained = [evaluation for _, _, evaluation in judged]
    if not any(s.startswith("live:") for s in snap.sources):
        explained = _conclude(explained, evaluator.causes_by_id(causes), snap)
    parts = [
        part
        for name in find_ill_containers(subject, snap)
        for cause, gate, _ in judged
        if (part := evaluator.judge_part(cause, subject, gate, snap, name)) and not part.out
    ]
    held = _held_objects(subject, snap) if depth else ()
    if _done(subject, snap):
        held = tuple(r for r in held if is_being_deleted(r, snap))
    if state.name not in _NOT_WELL:
        held = tuple(r for r in held if not _was_replaced(r, snap))
    named = evaluator.named_by(subject, snap) if depth and state.name in _NOT_WELL else ()
    children = [*islice(_ill(held, snap, after, evaluator, well=state.name not in _NOT_WELL), CHILDREN)]
    there = [
        n.to
        for n in named
        if n.to not in (*children, *above) and any(f.exists for f in snap.of(Presence, n.to))
    ]
    # A named object that is healthy plays no part.
    children += [r for r in there if evaluator.line_of(r, snap, after)[1].name != "fine"]
    below = tuple(
        ask(child, snap, causes, after, depth - 1, evaluator, (*above, subject)) for child in children
    )
    return Assessment(subject, state, stages, tuple(explained), below, named, tuple(parts))


def _conclude(
    judged: list[Evaluation], named: Mapping[str, AskableCause], snap: Snapshot
) -> list[Evaluation]:
    """Conclude from a text what its words mostly come from. named: the causes by id."""
    from unstuck.engine.commonest import conclude_commonest  # with counts that a live cluster needs none of

    return [*conclude_commonest(judged, lambda id_: named[id_].title, snap)]


def _ill(
    held: Sequence[Ref], snap: Snapshot, after: float | None, evaluator: Evaluator, *, well: bool
) -> Iterator[Ref]:
    """Yield the stuck or unknown objects that it holds, then those within their time; for a healthy
    subject only the former.
    """
    groups: tuple[tuple[str, ...], ...] = (_ILL,) if well else (_ILL, ("progressing",))
    for states in groups:
        yield from (r for r in held if evaluator.line_of(r, snap, after)[1].name in states)


def _done(job: Ref, snap: Snapshot) -> bool:
    """Tell whether a Job has completed: Pods that failed on the way hold nothing up."""
    complete = (
        c for f in snap.of(Conditions, job) for c in f.items if c.type == "Complete" and c.status == "True"
    )
    return job.kind == "Job" and next(complete, None) is not None


def _was_replaced(ref: Ref, snap: Snapshot) -> bool:
    """Tell whether it is an ended Pod that its controller has replaced: a healthy controller lacks
    nothing.
    """
    return is_terminal(ref, snap) and any(f.controller for f in snap.of(Owners, ref))


def _held_objects(subject: Ref, snap: Snapshot) -> tuple[Ref, ...]:
    """Return the objects that the subject holds or waits for, in a fixed order."""
    listed = (r for f in snap.of(Below, subject) for r in f.refs) if subject.kind in _HOLDERS else ()
    held = (ref for f in snap.of(Contents, subject) for i in f.items for ref, _ in i.held)
    users = (r for f in snap.of(Users, subject) for r in f.refs)
    consumers = find_waiting_consumers(subject, snap) if subject.kind in _CLAIMS else ()
    dependents = (d.ref for f in snap.of(Dependents, subject) for d in f.items if d.blocks)
    behind = (
        _pods_behind(subject, snap)
        if subject.kind == "Service"
        else [p for p, _ in find_lost_daemons(subject, snap)]
    )
    referred = (r.to for r in find_serving_targets(subject, snap))
    makers = (m.workload for f in snap.of(ServiceWorkloads, subject) for m in f.items if m.wanted)
    made = (r for f in snap.of(Owned, subject) for r in f.refs)
    children = unique(
        snap.canon(r)
        for r in (*listed, *held, *users, *consumers, *dependents, *behind, *referred, *makers, *made)
    )
    # A possible controller runs in a Namespace of its own, and is asked last.
    stopped = (c.ref for f in snap.of(TypeStatus, subject) for c in find_stopped_controllers(f))
    return unique((*sorted(children, key=lambda r: r.key), *map(snap.canon, stopped)))


def _pods_behind(service: Ref, snap: Snapshot) -> list[Ref]:
    """Return the first few Pods of a Service without ready Pods."""
    matched = [b for f in snap.of(ServicePods, service) for b in f.matched]
    return (
        []
        if any(b.ready for b in matched)
        else [Ref("Pod", service.within, b.name) for b in matched[:BEHIND]]
    )


def diagnose(
    subject: Ref,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None = None,
    evaluator: Evaluator | None = None,
) -> Diagnosis:
    """Return the answer about one subject: the same facts always give the same answer, whatever their
    order. evaluator: as for `ask`.
    """
    evaluator = evaluator or Evaluator()
    asked = ask(subject, snap, causes, after, evaluator=evaluator)
    return judge_unfinished(answer(asked, snap, causes, evaluator), trace_chain(asked), snap, after)


def trace_chain(asked: Assessment) -> tuple[tuple[Ref, State], ...]:
    """Follow the subject to an unhealthy object that it waits for, and on from there; return the chain with
    their states.

    Unknown objects come last: mostly only their names are known.
    """
    ill = next(
        (
            child
            for name in ("stuck", "progressing", "held", "unknown")
            for child in asked.below
            if child.state.name == name
        ),
        None,
    )
    return ((asked.subject, asked.state), *(trace_chain(ill) if ill else ()))


def answer(
    asked: Assessment,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    evaluator: Evaluator,
    put: Collection[Want] = (),
) -> Diagnosis:
    """Turn judged causes into the record that renderers read. evaluator: the one that judged them. put:
    the server's questions for it.
    """
    named = evaluator.causes_by_id(causes)
    everyone = _flat(asked)
    told = _tell(asked, snap, named, put)
    undecided = [
        (
            _rank(a, named[e.id], e.verdict),
            OpenCause(
                e.id,
                named[e.id].title,
                e.verdict.possible,
                e.verdict.evidence,
                _questions(e.verdict.wants, snap, put),
                _stage(a, named[e.id]),
                e.verdict.do_not,
                e.verdict.notes,
            ),
        )
        for a in everyone
        for e in a.open
        if isinstance(e.verdict, Undecided)
        and (_is_worth_telling(e, a, asked) or (a is asked and _blocks_current_stage(a, named[e.id])))
    ]
    ids = {t.id for t in told}
    openly = {o.id: o for _, o in sorted(undecided, key=lambda p: p[0], reverse=True) if o.id not in ids}
    order = unique(o.id for _, o in sorted(undecided, key=lambda p: p[0]) if o.id not in ids)
    owner = _owner(asked.subject, snap)
    explained = cache(lambda: [_all(a, snap, causes, evaluator) for a in everyone])
    found = Diagnosis(
        subject=asked.subject,
        state=asked.state,
        stages=asked.stages,
        causes=_link(told, asked, snap, causes, named),
        undecided=tuple(openly[i] for i in order),
        ruled_out=LazyEvaluations(lambda: tuple(e for e in explained()[0] if e.out)),
        explained=LazyEvaluations(lambda: tuple(e for of_one in explained() for e in of_one)),
        refused=tuple(r for r in snap.every(Refused)),
        unreached=snap.every(Unreached),
        whereto=_lazy_placing(everyone, snap),
        changed=_placement_changes(everyone, snap),
        node=find_node_of_pod(asked.subject, snap) if asked.subject.kind == "Pod" else None,
        owner=owner,
        group=_group(asked.subject, owner),
        held_by=find_holders(asked.subject, snap),
    )
    lead = leads(found)
    found = replace(
        found,
        shortlist=make_shortlist(found, lead),
        leads=tuple(o.id for o in lead),
        next=choose_next(found, lead, snap),
    )
    return replace(found, state=qualify_state(found, snap))


def find_causes(
    subject: Ref, snap: Snapshot, causes: Sequence[AskableCause], after: float | None, evaluator: Evaluator
) -> tuple[CauseMatch, ...]:
    """Find the causes as `diagnose` does, without the rest of the answer."""
    asked, named = ask(subject, snap, causes, after, evaluator=evaluator), evaluator.causes_by_id(causes)
    return _link(_tell(asked, snap, named), asked, snap, causes, named)


def _tell(
    asked: Assessment, snap: Snapshot, named: Mapping[str, AskableCause], put: Collection[Want] = ()
) -> list[CauseMatch]:
    """Return the causes that match the subject or its parts. named: the causes by id. put: as for
    `answer`.
    """
    return [
        CauseMatch(
            e.id,
            named[e.id].title,
            e.verdict.confidence,
            place_remedies(e.verdict.finding, e.subject, snap),
            e.verdict.evidence,
            e.verdict.wants,
            via=_find_via(asked, e),
            questions=_questions(e.verdict.wants, snap, put),
            stage=_stage(a, named[e.id]),
            intended=named[e.id].intended,
            node=_find_node_name(e.subject, snap) if e.subject != asked.subject else "",
        )
        for a in _flat(asked)
        for e in (*_list_whole(a), *a.parts)
        if isinstance(e.verdict, Match)
    ]


def _list_whole(asked: Assessment) -> list[Evaluation]:
    """Return the open causes, without one found on the Pod as a whole that was found on a container by
    itself.
    """
    found = {part.id for part in asked.parts if isinstance(part.verdict, Match)}
    return [
        e
        for e in asked.open
        if not (e.id in found and isinstance(e.verdict, Match) and e.verdict.finding.culprit == asked.subject)
    ]


def _link(
    told: Sequence[CauseMatch],
    asked: Assessment,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    named: Mapping[str, AskableCause],
) -> tuple[CauseMatch, ...]:
    """Link the causes found, without the fallbacks that another cause explains, and with the containers
    that none of them is about.
    """
    kept = _drop_fallbacks(told, {t.id for t in told if named[t.id].fallback}, asked, snap)
    linked = link(kept, asked.subject, snap, place_causes(asked.stages, causes), _all_paths(asked))
    looped = tell_loops(_count_others(linked, asked, snap), asked, snap)
    return tell_circles(looped, asked.subject, snap)


def _count_others(told: tuple[CauseMatch, ...], asked: Assessment, snap: Snapshot) -> tuple[CauseMatch, ...]:
    """Note on the first root of each Pod which of its containers are not well besides."""
    for a in _flat(asked):
        about = [t for t in told if (t.via or asked.subject) == a.subject] if a.parts else []
        if about and (more := tell_of_others(about, a.subject, snap)):
            first = next((t for t in about if t.consequence_of is None), about[0])
            noted = replace(first, finding=replace(first.finding, notes=(more, *first.finding.notes)))
            told = tuple(noted if t is first else t for t in told)
    return told


def _drop_fallbacks(
    told: Sequence[CauseMatch], fallbacks: Container[str], asked: Assessment, snap: Snapshot
) -> list[CauseMatch]:
    """Leave out a fallback where another cause has the same culprit, or was found on that culprit or
    behind it, or its subject is held.
    """
    specific = {snap.canon(t.finding.culprit) for t in told if t.id not in fallbacks}
    parts = {t.via for t in told if t.via}
    followed = {
        a.subject
        for a in _flat(asked)[1:]
        if parts & {b.subject for b in _flat(a)} and a.subject != asked.subject
    }
    explained = specific | followed
    # An object held on purpose, and otherwise healthy, needs the objects it names only once it is released.
    held = {a.subject for a in _flat(asked) if a.state.name == "held"}
    return [
        t
        for t in told
        if t.id not in fallbacks
        or (snap.canon(t.finding.culprit) not in explained and (t.via or asked.subject) not in held)
    ]


def _all(
    asked: Assessment, snap: Snapshot, causes: Sequence[AskableCause], evaluator: Evaluator
) -> tuple[Evaluation, ...]:
    """Return all causes that are asked about its kind, also those behind a gate that is shut, in their
    order.
    """
    mine = {e.id: e for e in asked.explained}
    gate = cache(lambda held: evaluator.gate_of(asked.subject, held, asked.stages, snap))
    about = evaluator.causes_about(asked.subject, causes)
    return tuple(mine.get(c.id) or evaluator.judge(c, asked.subject, gate(c.stages), snap) for c in about)


def place_causes(stages: Sequence[Stage], causes: Sequence[AskableCause]) -> dict[str, int]:
    """Count by cause how many containers' stages precede the first one that it holds, for a Pod whose
    containers are at different stages.
    """
    here = [s.id for s in stages if s.state == "not-done"]
    if len(here) < 2:
        return {}
    return {
        c.id: next((n for n, stage in enumerate(here) if not c.stages or stage in c.stages), 0)
        for c in causes
    }


def _lazy_placing(everyone: Sequence[Assessment], snap: Snapshot) -> LazyPlacing | None:
    """Work out where the first subject that waits for a Node might go. The scheduler's filters are imported
    only if the objects were read.
    """
    if not snap.every(PlacingInputs):
        return None
    from unstuck.engine.placing import make_lazy_placing  # with all of the scheduler's filters

    return next((w for a in everyone if (w := make_lazy_placing(a.subject, a.stages, snap))), None)


def find_waiting_controller(asked: Assessment, snap: Snapshot) -> Ref | None:
    """Find the controller of a Pod that waits for a Node: it helps to know what has changed since its Pods
    last got one.
    """
    if (
        asked.subject.kind != "Pod"
        or asked.state.name != "stuck"
        or not any(s.id == "scheduled" and s.state == "not-done" for s in asked.stages)
    ):
        return None
    return next(
        (
            f.controller
            for f in snap.of(Owners, asked.subject)
            if f.controller and f.controller.kind in _MAKERS
        ),
        None,
    )


def _owner(subject: Ref, snap: Snapshot) -> Ref | None:
    owners = snap.one(Owners, subject)
    return snap.canon(owners.controller) if owners and owners.controller else None


def _group(subject: Ref, owner: Ref | None) -> str:
    if owner:
        return owner.name or ""
    if subject.kind != "Pod" or not subject.name:
        return ""
    made_from = strip_generated_suffix(subject.name)
    return parse_replica_set(subject) or (made_from if made_from != subject.name else "")


def _placement_changes(everyone: Sequence[Assessment], snap: Snapshot) -> tuple[Text, ...]:
    """Return the changes that concern the first subject that waits for a Node."""
    told = (
        h for a in everyone if (owner := find_waiting_controller(a, snap)) for h in snap.of(History, owner)
    )
    if (history := next(told, None)) is None:
        return ()
    from unstuck.scheduling.history import describe_changes

    labels = {n.name: dict(n.labels) for f in snap.every(PlacingInputs) for n in f.nodes}
    return describe_changes(history, labels)


def _is_worth_telling(explained: Evaluation, about: Assessment, asked: Assessment) -> bool:
    """Tell whether an undecided cause is worth reporting: its question arises, or something supports it.

    Nothing is reported about a held object if only its name is known; it is asked about all the same.
    """
    if isinstance(explained.verdict, Undecided) and explained.verdict.possible:
        return True
    unknown = explained.gate is None and explained.signs.applies.value is None
    return not unknown and (about is asked or about.state.name != "unknown")


def _blocks_current_stage(asked: Assessment, cause: AskableCause) -> bool:
    """Tell whether the subject is known to be at a stage that the cause holds, so that only the cause's
    own question is open.
    """
    return any(s.state == "not-done" and s.id in cause.stages for s in asked.stages)


def _paths(
    asked: Assessment, so_far: tuple[Followed, ...] = ()
) -> Iterator[tuple[Ref, tuple[Followed, ...]]]:
    """Yield the words that led to each subject, and to the objects below it."""
    by = {n.to: n.by for n in asked.named}
    for child in asked.below:
        path = (*so_far, Followed(asked.subject, by[child.subject])) if child.subject in by else so_far
        if path:
            yield child.subject, path
        yield from _paths(child, path)


def _all_paths(asked: Assessment) -> dict[Ref, tuple[Followed, ...]]:
    """Collect the words on every path to each subject."""
    found: dict[Ref, tuple[Followed, ...]] = {}
    for subject, path in _paths(asked):
        found[subject] = unique((*found.get(subject, ()), *path))
    return found


def _flat(asked: Assessment) -> list[Assessment]:
    return [asked, *(a for child in asked.below for a in _flat(child))]


def _find_node_name(pod: Ref, snap: Snapshot) -> str:
    node = find_node_of_pod(pod, snap) if pod.kind == "Pod" else None
    return (node.name or "") if node else ""


def _find_via(asked: Assessment, explained: Evaluation) -> Ref | None:
    return None if explained.subject == asked.subject else explained.subject


def _rank(
    asked: Assessment, cause: AskableCause, verdict: Undecided
) -> tuple[bool, int, str, tuple[str, ...]]:
    """Return a sort key: causes with support first, then causes that would hold an earlier stage."""
    places = [
        i for i, s in enumerate(asked.stages) if s.id in cause.stages and s.state in ("not-done", "unknown")
    ]
    return (not verdict.possible, places[0] if places else len(asked.stages), cause.id, asked.subject.key)


def _stage(asked: Assessment, cause: AskableCause) -> str:
    """Return the cause's place on the subject's line; a cause without a fixed place is put at the first
    stage not known to be done.
    """
    open_ = [s.id for s in asked.stages if s.state in ("not-done", "unknown")]
    return next((s for s in open_ if not cause.stages or s in cause.stages), "")


def _questions(wants: Sequence[Want], snap: Snapshot, put: Collection[Want]) -> tuple[Question, ...]:
    return tuple(make_question(want, snap, put) for want in wants)


def make_question(want: Want, snap: Snapshot, put: Collection[Want] = ()) -> Question:
    """Return a Want as a person reads it: why it is open, and the command that answers it. put: as for
    `answer`.
    """
    refused = snap.refused(want)
    why, detail = (
        (refused.why, refused.detail) if refused else ("not-offered" if want in put else "not-asked", "")
    )
    return Question(want, why, spell(want, snap), detail, find_node_of_want(want, snap))
