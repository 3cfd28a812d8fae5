"""Finds the smallest set of facts that leads to a cause, and the loss without each (delta debugging)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from unstuck.diagnosis.answer import CauseMatch, Diagnosis
from unstuck.diagnosis.cause import AskableCause
from unstuck.diagnosis.proof import Left, NeededFact
from unstuck.engine.diagnose import diagnose
from unstuck.facts.core import Fact, Ref, find_refs
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

HOPS = 4


@record()
class ProofQuestion(Record):
    """The claim for which the facts are judged. cause: the id. after: `--after`, in seconds."""

    subject: Ref
    cause: str
    after: float | None = None


def minimise_facts(
    told: CauseMatch, question: ProofQuestion, snap: Snapshot, causes: Sequence[AskableCause]
) -> Snapshot:
    """Reduce the facts until none can be left out: the same cause still follows first, with the same
    confidence and words.
    """
    own = tuple(c for c in causes if c.id == question.cause)

    def make_check(asked: Sequence[AskableCause]) -> Callable[[Sequence[Fact]], bool]:
        return lambda facts: _follows_from(
            told, diagnose(question.subject, _make_snapshot(facts, snap), asked, question.after)
        )

    quick, whole = make_check(own), make_check(causes)
    kept = _reduce(_list_facts_near(snap, question.subject, quick), quick)
    # Without the facts that rule out other causes, one of those may come first.
    return _make_snapshot(
        kept if whole(kept) else _reduce(_list_facts_near(snap, question.subject, whole), whole), snap
    )


def find_needed_facts(
    question: ProofQuestion, candidates: Iterable[Fact], snap: Snapshot, causes: Sequence[AskableCause]
) -> tuple[NeededFact, ...]:
    """Return each of these facts without which less, or nothing, of the cause is left. The Snapshot is
    judged as a whole each time.
    """
    asked = tuple(c for c in causes if c.id == question.cause)
    before = judge_remainder(question, snap, asked)
    found = []
    for fact in sorted(candidates, key=repr):
        left = judge_remainder(question, _make_snapshot(snap.facts - {fact}, snap), asked)
        if left != before:
            found.append(NeededFact(fact, left))
    return tuple(found)


def judge_remainder(question: ProofQuestion, snap: Snapshot, causes: Sequence[AskableCause]) -> Left:
    """Return the cause's verdict from the facts."""
    d = diagnose(question.subject, snap, causes, question.after)
    told = next((t for t in d.causes if t.id == question.cause), None)
    if told:
        return told.confidence
    return "undecided" if any(o.id == question.cause for o in d.undecided) else "ruled-out"


def _follows_from(told: CauseMatch, d: Diagnosis) -> bool:
    if not d.causes:
        return False
    first = d.causes[0]
    return (first.id, first.confidence, first.finding.says, first.finding.culprit) == (
        told.id,
        told.confidence,
        told.finding.says,
        told.finding.culprit,
    )


def _make_snapshot(facts: Iterable[Fact], snap: Snapshot) -> Snapshot:
    return Snapshot(facts, snap.now, snap.sources)


def _list_facts_near(snap: Snapshot, subject: Ref, follows: Callable[[Sequence[Fact]], bool]) -> list[Fact]:
    """Return the facts about the subject and the objects they refer to, as far as needed; in a cluster's
    Snapshot these are few.
    """
    mentions = {fact: {snap.canon(ref) for ref in find_refs(fact)} for fact in snap.facts}
    reached = {snap.canon(subject)}
    for _ in range(HOPS):
        facts = sorted((f for f, refs in mentions.items() if snap.canon(f.about) in reached), key=repr)
        if follows(facts):
            return facts
        reached |= {ref for f in facts for ref in mentions[f]}
    return sorted(snap.facts, key=repr)


def _reduce(facts: list[Fact], follows: Callable[[Sequence[Fact]], bool]) -> list[Fact]:
    """Leave out larger parts first, then single facts until none of them can be spared."""
    kept, size = facts, max(1, len(facts) // 2)
    while True:
        before, at = len(kept), 0
        while at < len(kept):
            rest = kept[:at] + kept[at + size :]
            if rest != kept and follows(rest):
                kept = rest
            else:
                at += size
        if size == 1 and len(kept) == before:
            return kept
        size = max(1, size // 2)
