"""A pair: a field, and its requirement. One check by value tells whether it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import place_of_containers
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

# The relation that the two sides must have: the same value; one among the other's values; of the intended
# kind; served by the API server; the name of an existing object; written before the container started; of the
# form that its place takes; allowed by the other side; offered by it.
Meets = Literal[
    "equal", "contained", "of-kind", "served", "there", "written-before", "well-formed", "allowed", "offered"
]


@record()
class Misfit(Record):
    """One field that does not match its counterpart.

    of: the object with the field. field: its path in that object. says: the fault with both sides and both
    names. help: the field to change first. blocks: further objects that it holds up, beside the subject.
    """

    of: Ref
    field: str
    says: Text
    help: tuple[Step, ...]
    blocks: tuple[Ref, ...] = ()
    notes: tuple[Text, ...] = ()
    do_not: tuple[DoNot, ...] = ()


@record()
class Pair(Record):
    """One row of the table. name: the sign of a misfit in plain words. subjects: the kinds it is asked about,
    `*` for all.

    check: yes if the field does not fit and a message or the state of the subject concerns it, no if neither
    does. proves: the comparison alone decides; else it is likely.
    """

    name: str
    meets: Meets
    subjects: tuple[str, ...]
    check: Callable[[Ref, Facts], Sign[Misfit]]
    reads: frozenset[type[Fact]]
    proves: bool = True


_MOST = 4


def judge_pairs(pairs: Sequence[Pair], subject: Ref, snap: Facts) -> Signs:
    """Return the signs of a cause made of these pairs: one sign for each, and the finding from the first
    misfit.
    """
    signs = [(p, p.check(subject, snap)) for p in pairs if subject.kind in p.subjects or "*" in p.subjects]
    found = unique(h for _, s in signs if s.value for h in s.hits)
    proven = {p.name: s for p, s in signs if p.proves}
    likely = {p.name: s for p, s in signs if not p.proves}
    return Signs(decisive=proven, supporting=likely, finding=lambda: _make_finding(subject, found))


def list_reads(pairs: Sequence[Pair]) -> frozenset[type[Fact]]:
    """Return every fact that the checks of these pairs look up."""
    return frozenset().union(*(p.reads for p in pairs))


def _make_finding(subject: Ref, found: tuple[Misfit, ...]) -> Finding:
    first = found[0]
    of = first.of
    # A field of the Pod is its template's: all its Pods have it.
    within = (
        place_of_containers(subject)
        if of == subject and of.kind == "Pod"
        else f"{of.within}/{of.name}"
        if of.within
        else of.name
    )
    return Finding(
        first.says,
        culprit=Ref("Field", within, first.field),
        blocks=unique((*first.blocks, subject)),
        notes=(*first.notes, *(m.says for m in found[1:_MOST])),
        help=first.help,
        do_not=first.do_not,
    )
