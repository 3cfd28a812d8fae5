"""Chooses the command that is expected to decide most of the open questions, for its cost
(docs/why/next.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from unstuck.diagnosis.answer import Diagnosis, OpenCause, Question
from unstuck.diagnosis.next import PRICE, Next
from unstuck.engine.leads import find_families, leads_to_ask, weigh_cause
from unstuck.engine.offers import CommandOffer, make_offers
from unstuck.engine.outputs import find_read_outputs, has_messages
from unstuck.engine.unread_parts import find_questions_of_healthy, find_unread_pods
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# The weight of an answer from somewhere other than the place of the fault.
BESIDE = 0.25


def choose_next(d: Diagnosis, told: Sequence[OpenCause], snap: Snapshot) -> tuple[Next, ...]:
    """Return what to run next and, if there is one, an alternative command.

    An undecided answer always has a command; a likely cause has the command that would prove it, a proven
    cause has none. For a described object that looks healthy, the command shows the parts missing from the
    description. told: the leads.
    """
    ill = d.state.name in ("stuck", "unknown")
    well = {} if ill else find_questions_of_healthy(d, snap)
    roots = [t for t in d.causes if t.consequence_of is None]
    # A consequence of a likely root may be proven, and yet says nothing about the root.
    if not (ill or well) or any(t.confidence == "proven" for t in roots):
        return ()
    open_ = _OpenQuestions(
        {t.id: t.questions for t in roots}
        if d.causes
        else well or {o.id: o.questions for o in leads_to_ask(d, told)},
        find_families(d),
        d.subject,
        # If a Node reports that it is healthy, only the node itself can tell more.
        frozenset(o.id for o in told if o.possible) | frozenset(well if d.subject.kind == "Node" else ()),
        silent=not d.causes and _is_unheard(d.subject, snap),
    )
    questions = tuple(dict.fromkeys(q for of_one in open_.questions.values() for q in of_one))
    if not questions and not ill:
        return ()
    best = sorted(
        (_rate_command(o, open_) for o in make_offers(d, told, questions, snap)),
        key=lambda one: (not one.next.named, 0.0 if one.next.named else -one.worth),
    )
    first = best[0]
    # An alternative way to the same command, not a further step.
    second = next((one for one in best if one.next.at != first.next.at and one.worth), None)
    # For a likely cause without open questions: the checks of its own help.
    chosen = tuple(one.next for one in (first, second) if one and (not d.causes or _proves(one.next)))
    return chosen if first.next in chosen else ()


def _is_unheard(subject: Ref, snap: Snapshot) -> bool:
    """Tell whether the components' messages about the subject were not read: its events, or a workload's
    Pods.
    """
    return find_unread_pods(subject, snap) or not (
        has_messages(subject, snap) or "events" in find_read_outputs(subject, snap)
    )


def _proves(n: Next) -> bool:
    """Tell whether the command by itself looks at the place of a likely cause, or would prove it."""
    return n.named or (bool(n.expected) and n.cost != "person")


@record()
class _ValuedCommand(Record):
    """A command and its worth."""

    next: Next
    worth: float


def _rate_command(offer: CommandOffer, open_: _OpenQuestions) -> _ValuedCommand:
    decides, expected = open_.decided(offer)
    return _ValuedCommand(
        Next(offer.command, offer.at, offer.says, decides, round(expected, 2), offer.cost, offer.names),
        expected / (PRICE[offer.cost] * offer.needs),
    )


class _OpenQuestions:
    """The open questions: each cause with its own, and for a subject without any messages one more for
    each: its messages.
    """

    def __init__(
        self,
        questions: Mapping[str, Sequence[Question]],
        families: Sequence[str],
        subject: Ref,
        spoken: frozenset[str],
        *,
        silent: bool,
    ) -> None:
        self.questions = questions
        self._subject = subject
        # Leads with support whose remaining questions only the node answers.
        self._on_node = {c for c in spoken if any(q.want.fact.cost != "api" for q in questions.get(c, ()))}
        self._silent = silent
        self._weights = {cause: weigh_cause(cause, families) for cause in questions}
        # Cached: every offer is compared with them.
        self._asked = {cause: frozenset(asked) for cause, asked in questions.items()}
        self._every = {
            cause: self._counted(asked, cause) + self._silent for cause, asked in self._asked.items()
        }

    def decided(self, offer: CommandOffer) -> tuple[tuple[str, ...], float]:
        """Return the causes that an output can decide, the most common first, and the share of the open
        questions that it should decide.
        """
        shares = {cause: self._share(offer, cause) for cause in self.questions}
        speaks = sorted(
            (cause for cause, share in shares.items() if share), key=lambda c: (-self._weights[c], c)
        )
        whole = sum(self._weights.values())
        return tuple(speaks), sum(
            self._weights[c] * share for c, share in shares.items()
        ) / whole if whole else 0.0

    def _share(self, offer: CommandOffer, cause: str) -> float:
        answered = self._counted(offer.answers & self._asked[cause], cause)
        every = self._every[cause]
        return (answered + (self._silent and offer.hears)) / every if every else 0.0

    def _counted(self, some: Iterable[Question], cause: str) -> float:
        return sum(self._counts(q, cause) for q in some)

    def _counts(self, question: Question, cause: str) -> float:
        """Return the weight of an answer: less about a bystander, and less from the server for facts that
        only a node has.
        """
        stands_by = question.want.about.kind == "Pod" and self._subject.kind != "Pod"
        elsewhere = cause in self._on_node and question.want.fact.cost == "api"
        return BESIDE if stands_by or elsewhere else 1.0
