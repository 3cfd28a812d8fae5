"""Several objects at once: named objects, or troubled objects that match a selector."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.api.investigation import Means, look_closer, now, read_saved_facts
from unstuck.api.ranking import make_ranking_key
from unstuck.api.reader import ClusterReader
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose
from unstuck.engine.evaluator import Evaluator
from unstuck.errors import AccessError, NotFound, Unreachable, UnstuckError, join_sentences
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

# The maximum number of closely examined objects; a scan is faster for more.
CLOSELY = 20


@record()
class SeveralAnswers(Record):
    """The answers and their basis. failed: the objects of failed questions, with the errors. more: objects
    beyond the limit.
    """

    snapshot: Snapshot
    diagnoses: tuple[Diagnosis, ...]
    failed: tuple[UnstuckError, ...] = ()
    more: tuple[Text, ...] = ()


@record()
class SelectedObjects(Record):
    """The scope of a selector. kinds: as typed. namespace: None for all."""

    kinds: tuple[str, ...]
    labels: str = ""
    fields: str = ""
    namespace: str | None = None


def ask_named(
    reader: ClusterReader, refs: Sequence[Ref], means: Means, after: float | None
) -> SeveralAnswers:
    """Ask about each of these objects in order. Errors: those of the questions, if all of them failed."""
    found, facts, failed = list[Ref](), list[Fact](), list[UnstuckError]()
    for ref in refs:
        try:
            full, more = reader.start(ref)
        except (NotFound, AccessError, Unreachable) as e:
            failed.append(e)
            continue
        found.append(full)
        facts += more
    if failed and not found:
        raise _joint_error(failed)
    snap, diagnoses = _look_closer(reader, found, _snapshot(reader, facts, means), means, after)
    return SeveralAnswers(snap, diagnoses, tuple(failed))


def ask_selected(
    reader: ClusterReader, chosen: SelectedObjects, means: Means, after: float | None
) -> SeveralAnswers:
    """Ask about the troubled objects, worst first, at most `CLOSELY`. Errors: NotFound if the selector
    matches nothing.
    """
    refs, facts = list[Ref](), list[Fact]()
    for kind in chosen.kinds:
        found, more = reader.select(kind, chosen.labels, chosen.fields, chosen.namespace)
        refs += found
        facts += more
    if not refs:
        raise _make_nothing_selected_error(chosen)
    snap, evaluator = _snapshot(reader, facts, means), Evaluator()
    lines = {ref: evaluator.line_of(ref, snap, after)[1] for ref in refs}
    ill = [ref for ref in refs if lines[ref].name not in ("fine", "held")]
    if not ill:
        fine = tuple(diagnose(ref, snap, (), after, evaluator) for ref in refs[:CLOSELY])
        return SeveralAnswers(snap, fine, more=_describe_all_fine(len(refs)) if len(refs) > CLOSELY else ())
    worst = sorted(
        (diagnose(ref, snap, (), after, evaluator) for ref in ill), key=lambda d: make_ranking_key(d, snap)
    )
    snap, diagnoses = _look_closer(
        reader, [d.subject for d in worst[:CLOSELY]], snap, means, after, evaluator
    )
    return SeveralAnswers(snap, diagnoses, more=_count_texts(len(refs), len(ill)))


def _look_closer(
    reader: ClusterReader,
    refs: Sequence[Ref],
    snap: Snapshot,
    means: Means,
    after: float | None,
    evaluator: Evaluator | None = None,
) -> tuple[Snapshot, tuple[Diagnosis, ...]]:
    """Look closely at one object after the other; facts about one are kept for the next."""
    evaluator, diagnoses = evaluator or Evaluator(), list[Diagnosis]()
    for ref in refs:
        snap, diagnosis = look_closer(reader, ref, snap, means, after, evaluator)
        diagnoses.append(diagnosis)
    return snap, tuple(diagnoses)


def _snapshot(reader: ClusterReader, facts: Sequence[Fact], means: Means) -> Snapshot:
    more, sources = read_saved_facts(means.facts)
    return Snapshot((*facts, *more), now(), (reader.source, *sources))


def _joint_error(failed: Sequence[UnstuckError]) -> UnstuckError:
    """Join the errors into one of the first one's type; a common obstacle is stated once."""
    first, *others = failed
    said = dict.fromkeys(e.message for e in failed)
    return type(first)(
        join_sentences(*said) or first.message, first.hint if len(said) == 1 or not others else None
    )


def _make_nothing_selected_error(chosen: SelectedObjects) -> NotFound:
    kinds, by = ", ".join(chosen.kinds), " ".join(filter(None, (chosen.labels, chosen.fields)))
    where = say("in Namespace {namespace!r}", namespace=chosen.namespace) if chosen.namespace else say("here")
    if not by:
        return NotFound(say("there are no {kinds} {where}", kinds=kinds, where=where))
    return NotFound(say("no {kinds} {where} match {by!r}", kinds=kinds, where=where, by=by))


def _describe_all_fine(many: int) -> tuple[Text, ...]:
    return (say("{many} match, all of them fine; the first {n} are shown", many=many, n=CLOSELY),)


def _count_texts(matched: int, ill: int) -> tuple[Text, ...]:
    told = [say("{matched} match, {ill} of them not fine", matched=matched, ill=ill)] if matched > 1 else []
    if ill > CLOSELY:
        told.append(say("the worst {n} were looked at; all of them: unstuck scan", n=CLOSELY))
    return tuple(told)
