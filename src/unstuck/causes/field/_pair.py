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

# How the two sides must fit: the same value; one is among those of the other; of the kind that is meant;
# served by the API server; an object of that name is there; written before the container started; of the form
# that its place takes; allowed by the other side; offered by it.
Meets = Literal[
    "equal", "contained", "of-kind", "served", "there", "written-before", "well-formed", "allowed", "offered"
]


@record()
class Misfit(Record):
    """One field that does not meet what it must meet.

    of: the object whose field it is. field: by its path in that object. says: the fault with both sides and
    both names. help: the field to change first. blocks: what it keeps from going on, beside the subject.
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

    check: yes if the field does not fit and words or the state of the subject concern it, no if nothing of it
    is concerned. proves: what was compared is all that there is to it; else it is likely.
    """

    name: str
    meets: Meets
    subjects: tuple[str, ...]
    check: Callable[[Ref, Facts], Sign[Misfit]]
    reads: frozenset[type[Fact]]
    proves: bool = True


_MOST = 4


def judge_pairs(pairs: Sequence[Pair], subject: Ref, snap: Facts) -> Signs:
    """Return the signs of a cause that these pairs make: each is one sign of it, and the first misfit its
    finding.
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
