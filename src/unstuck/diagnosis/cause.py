"""A cause: its fault, the subjects it applies to, and how it is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Protocol

from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.stages import StageId

# A sign that several causes share.
Need = Callable[[Ref, Facts], Sign[Any]]


class AskableCause(Protocol):
    """The interface that the engine needs: `Cause` itself, or a cause that is not imported yet. See
    `Cause`.
    """

    @property
    def id(self) -> str:
        """As in `Cause`."""

    @property
    def title(self) -> Text:
        """As in `Cause`."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """As in `Cause`."""

    @property
    def stages(self) -> tuple[StageId, ...]:
        """As in `Cause`."""

    @property
    def needs(self) -> Need | None:
        """As in `Cause`."""

    @property
    def rule(self) -> Callable[[Ref, Facts], Signs]:
        """As in `Cause`."""

    @property
    def fallback(self) -> bool:
        """As in `Cause`."""

    @property
    def intended(self) -> bool:
        """As in `Cause`."""


@record()
class Cause(Record):
    """The typed constant of a cause's module.

    id: `family.what-is-wrong`, final. subjects: the kinds that may be asked about it, `*` for every kind.
    stages: the stages that it blocks, none if the subject has no line of stages or the cause holds at any of
    them. needs: a sign shared with other causes: after a no the cause is ruled out; while it is unknown, the
    cause is open without support, and has only the sign's own questions; only a yes leaves it to the rule,
    and so does None. reads: the fact types its rule reads; the RBAC rules are generated from them. rule: the
    signs for one subject. fallback: reported only if no other cause explains its culprit. intended: it
    explains an intended state, such as a grace period: alone it reports no fault. aliases: older ids that
    still lead here.
    """

    id: str
    title: Text
    subjects: tuple[str, ...]
    reads: frozenset[type[Fact]]
    rule: Callable[[Ref, Facts], Signs] = field(repr=False)
    stages: tuple[StageId, ...] = ()
    needs: Need | None = field(default=None, repr=False)
    fallback: bool = False
    intended: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The id's prefix."""
        return self.id.partition(".")[0]
