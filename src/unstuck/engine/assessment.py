"""Every cause judged for one subject, before anything is linked or left out."""

from __future__ import annotations

from unstuck.diagnosis.answer import Evaluation, Stage, State
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.stages.named import NamedObject


@record()
class Assessment(Record):
    """Every cause judged for one subject, before anything is linked or left out.

    explained: the causes whose gate is not closed. Most gates are closed: their causes are ruled out, and
    appear only in the full list (`_all`). named: the objects that messages about it name, some of them also
    among `below`. parts: causes judged for each container alone, if several containers of a Pod are
    unhealthy. depth: how many branchings below it are still followed; 0 if it is an end.
    """

    subject: Ref
    state: State
    stages: tuple[Stage, ...]
    explained: tuple[Evaluation, ...]
    below: tuple[Assessment, ...] = ()
    named: tuple[NamedObject, ...] = ()
    parts: tuple[Evaluation, ...] = ()
    depth: int = 0

    @property
    def open(self) -> tuple[Evaluation, ...]:
        """The open causes: not ruled out."""
        return tuple(e for e in self.explained if not e.out)


def flatten(asked: Assessment) -> list[Assessment]:
    """Return an assessment with all below it."""
    return [asked, *(a for child in asked.below for a in flatten(child))]
