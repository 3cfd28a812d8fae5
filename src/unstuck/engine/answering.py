"""Turns judged causes into the record that renderers read: chosen, linked and ranked."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from functools import cache

from unstuck.diagnosis.answer import (
    CauseMatch,
    Diagnosis,
    Evaluation,
    LazyEvaluations,
    OpenCause,
    Question,
    Stage,
)
from unstuck.diagnosis.cause import AskableCause
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.verdict import Match, Undecided
from unstuck.engine.assessment import Assessment, flatten
from unstuck.engine.beside import tell_beside
from unstuck.engine.circles import tell_circles
from unstuck.engine.ended_jobs import tell_ended_jobs
from unstuck.engine.evaluator import Evaluator
from unstuck.engine.holders import find_holders
from unstuck.engine.leads import leads
from unstuck.engine.link import Followed, link
from unstuck.engine.loops import tell_loops
from unstuck.engine.manual_commands import find_node_of_want, spell
from unstuck.engine.named_circles import tell_named_circles
from unstuck.engine.next import choose_next
from unstuck.engine.own_question import ask_otherwise
from unstuck.engine.parts import tell_of_others
from unstuck.engine.shortlist import make_shortlist
from unstuck.engine.sources import place_remedies
from unstuck.engine.unplaced import find_lazy_placing, list_placement_changes
from unstuck.engine.unread_parts import qualify_state
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Ref, Refused, Want
from unstuck.facts.derive.pods import find_node_of_pod, parse_replica_set, strip_generated_suffix
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot


def answer(
    asked: Assessment,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    evaluator: Evaluator,
    put: Collection[Want] = (),
) -> Diagnosis:
    """Turn judged causes into the record that renderers read. evaluator: the evaluator that judged them.
    put: the questions already put to the server.
    """
    named = evaluator.causes_by_id(causes)
    everyone = flatten(asked)
    told = tell_causes(asked, snap, named, put)
    undecided = [
        (
            _rank(a, named[e.id], e.verdict),
            OpenCause(
                e.id,
                named[e.id].title,
                e.verdict.possible,
                e.verdict.evidence,
                _make_questions(e.verdict.wants, snap, put),
                _find_stage(a, named[e.id]),
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
    owner = _find_controller(asked.subject, snap)
    explained = cache(lambda: [_list_all(a, snap, causes, evaluator) for a in everyone])
    found = Diagnosis(
        subject=asked.subject,
        state=asked.state,
        stages=asked.stages,
        causes=link_causes(told, asked, snap, causes, named),
        undecided=tuple(openly[i] for i in order),
        ruled_out=LazyEvaluations(lambda: tuple(e for e in explained()[0] if e.out)),
        explained=LazyEvaluations(lambda: tuple(e for of_one in explained() for e in of_one)),
        refused=tuple(r for r in snap.every(Refused)),
        unreached=snap.every(Unreached),
        whereto=find_lazy_placing(everyone, snap),
        changed=list_placement_changes(everyone, snap),
        node=find_node_of_pod(asked.subject, snap) if asked.subject.kind == "Pod" else None,
        owner=owner,
        group=_name_group(asked.subject, owner),
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


def tell_causes(
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
            ask_otherwise(place_remedies(e.verdict.finding, e.subject, snap), asked.subject),
            e.verdict.evidence,
            e.verdict.wants,
            via=_find_via(asked, e),
            questions=_make_questions(e.verdict.wants, snap, put),
            stage=_find_stage(a, named[e.id]),
            intended=named[e.id].intended,
            node=_find_node_name(e.subject, snap) if e.subject != asked.subject else "",
        )
        for a in flatten(asked)
        for e in (*_list_whole(a), *a.parts)
        if isinstance(e.verdict, Match)
    ]


def _list_whole(asked: Assessment) -> list[Evaluation]:
    """Return the open causes, without causes of the whole Pod that one of its containers has as well."""
    found = {part.id for part in asked.parts if isinstance(part.verdict, Match)}
    return [
        e
        for e in asked.open
        if not (e.id in found and isinstance(e.verdict, Match) and e.verdict.finding.culprit == asked.subject)
    ]


def link_causes(
    told: Sequence[CauseMatch],
    asked: Assessment,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    named: Mapping[str, AskableCause],
) -> tuple[CauseMatch, ...]:
    """Link the causes found, without the fallbacks that another cause explains, and name the containers
    without a cause.
    """
    kept = _drop_fallbacks(told, {t.id for t in told if named[t.id].fallback}, asked, snap)
    linked = link(
        kept,
        asked.subject,
        snap,
        place_causes(asked.stages, causes),
        _collect_paths(asked),
        _collect_below(asked),
    )
    ended = tell_ended_jobs(linked, asked.subject, snap)
    shown = tell_beside(_count_others(ended, asked, snap), snap)
    looped = tell_loops(shown, asked, snap)
    return tell_named_circles(tell_circles(looped, asked.subject, snap), asked, snap)


def _count_others(told: tuple[CauseMatch, ...], asked: Assessment, snap: Snapshot) -> tuple[CauseMatch, ...]:
    """Note the other unhealthy containers of each Pod on its first root."""
    for a in flatten(asked):
        about = [t for t in told if (t.via or asked.subject) == a.subject] if a.parts else []
        if about and (more := tell_of_others(about, a.subject, snap)):
            first = next((t for t in about if t.consequence_of is None), about[0])
            noted = replace(first, finding=replace(first.finding, notes=(more, *first.finding.notes)))
            told = tuple(noted if t is first else t for t in told)
    return told


def _drop_fallbacks(
    told: Sequence[CauseMatch], fallbacks: Container[str], asked: Assessment, snap: Snapshot
) -> list[CauseMatch]:
    """Leave out a fallback if another cause has the same culprit, or was found on that culprit or behind it,
    or if its subject is held.
    """
    specific = {snap.canon(t.finding.culprit) for t in told if t.id not in fallbacks}
    parts = {t.via for t in told if t.via}
    explaining = {t.via for t in told if t.via and t.id not in fallbacks}
    # A fallback does not explain the object that it was found on, which it is about itself.
    followed = {
        a.subject
        for a in flatten(asked)[1:]
        if a.subject != asked.subject
        and (a.subject in explaining or parts & {b.subject for b in flatten(a)[1:]})
    }
    explained = specific | followed
    # A held and otherwise healthy object needs the objects it names only after its release.
    held = {a.subject for a in flatten(asked) if a.state.name == "held"}
    return [
        t
        for t in told
        if t.id not in fallbacks
        or (snap.canon(t.finding.culprit) not in explained and (t.via or asked.subject) not in held)
    ]


def _list_all(
    asked: Assessment, snap: Snapshot, causes: Sequence[AskableCause], evaluator: Evaluator
) -> tuple[Evaluation, ...]:
    """Return all causes about the subject's kind, in their order, even behind a closed gate."""
    mine = {e.id: e for e in asked.explained}
    gate = cache(lambda held: evaluator.gate_of(asked.subject, held, asked.stages, snap))
    about = evaluator.causes_about(asked.subject, causes)
    return tuple(mine.get(c.id) or evaluator.judge(c, asked.subject, gate(c.stages), snap) for c in about)


def place_causes(stages: Sequence[Stage], causes: Sequence[AskableCause]) -> dict[str, int]:
    """Return, by cause, the number of unfinished stages before the first one that the cause holds, for a Pod
    whose containers are at different stages.
    """
    here = [s.id for s in stages if s.state == "not-done"]
    if len(here) < 2:
        return {}
    return {
        c.id: next((n for n, stage in enumerate(here) if not c.stages or stage in c.stages), 0)
        for c in causes
    }


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


def _list_paths(
    asked: Assessment, so_far: tuple[Followed, ...] = ()
) -> Iterator[tuple[Ref, tuple[Followed, ...]]]:
    """Yield the messages that led to each subject, and to the objects below it."""
    by = {n.to: n.by for n in asked.named}
    for child in asked.below:
        path = (*so_far, Followed(asked.subject, by[child.subject])) if child.subject in by else so_far
        if path:
            yield child.subject, path
        yield from _list_paths(child, path)


def _collect_paths(asked: Assessment) -> dict[Ref, tuple[Followed, ...]]:
    """Collect the messages on every path to each subject."""
    found: dict[Ref, tuple[Followed, ...]] = {}
    for subject, path in _list_paths(asked):
        found[subject] = unique((*found.get(subject, ()), *path))
    return found


def _collect_below(asked: Assessment) -> dict[Ref, frozenset[Ref]]:
    """Collect the objects that were reached from each subject."""
    found: dict[Ref, frozenset[Ref]] = {}
    for a in flatten(asked):
        reached = frozenset(b.subject for b in flatten(a)[1:]) - {a.subject}
        found[a.subject] = found.get(a.subject, frozenset()) | reached
    return found


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


def _find_stage(asked: Assessment, cause: AskableCause) -> str:
    """Return the cause's place on the subject's line; a cause without a fixed place is put at the first
    stage not known to be done.
    """
    open_ = [s.id for s in asked.stages if s.state in ("not-done", "unknown")]
    return next((s for s in open_ if not cause.stages or s in cause.stages), "")


def _make_questions(wants: Sequence[Want], snap: Snapshot, put: Collection[Want]) -> tuple[Question, ...]:
    return tuple(make_question(want, snap, put) for want in wants)


def make_question(want: Want, snap: Snapshot, put: Collection[Want] = ()) -> Question:
    """Return a Want as a question for a person: why it is open, and the command that answers it. put: as for
    `answer`.
    """
    refused = snap.refused(want)
    why, detail = (
        (refused.why, refused.detail) if refused else ("not-offered" if want in put else "not-asked", "")
    )
    return Question(want, why, spell(want, snap), detail, find_node_of_want(want, snap))


def _find_controller(subject: Ref, snap: Snapshot) -> Ref | None:
    owners = snap.one(Owners, subject)
    return snap.canon(owners.controller) if owners and owners.controller else None


def _name_group(subject: Ref, owner: Ref | None) -> str:
    if owner:
        return owner.name or ""
    if subject.kind != "Pod" or not subject.name:
        return ""
    made_from = strip_generated_suffix(subject.name)
    return parse_replica_set(subject) or (made_from if made_from != subject.name else "")
