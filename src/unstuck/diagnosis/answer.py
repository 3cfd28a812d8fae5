"""The record of an answer, as every renderer reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from unstuck.diagnosis.command import Command
from unstuck.diagnosis.holder import Holder
from unstuck.diagnosis.next import Next
from unstuck.diagnosis.placing import LazyPlacing
from unstuck.diagnosis.shortlist import NONE, Shortlist
from unstuck.diagnosis.sign import YES, Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import (
    Confidence,
    DoNot,
    Evidence,
    Finding,
    RuledOut,
    Signs,
    Verdict,
    find_against,
    judge,
    leave_open,
)
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Refused, Want, WhyOpen
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.stages import StageId

StateName = Literal["fine", "progressing", "held", "stuck", "unknown"]
StageState = Literal["done", "not-done", "unknown", "later"]
# The kinds of trouble of its members: the parts of a scan.
Trouble = Literal["not-starting", "crashing", "not-going-away", "nodes", "other"]


@record()
class OwnWords(Record):
    """A fault that an object reports about itself. field: its place (`condition Ready`). value: its value.

    by: the field manager that wrote it, "" if unknown. fact: its source.
    """

    field: str
    value: str
    reason: str
    message: str
    since: datetime | None
    by: str
    fact: Fact


@record()
class State(Record):
    """The state of the subject. since: when it began. headline: one line, the subject first, without a mark
    in front.

    says: the same without the subject. word: the STATUS that kubectl prints (`Terminating`,
    `CrashLoopBackOff`), or "". own: the subject's own complaints. wants: facts that would change the state
    itself. granted: the wait is known to be intended: its class waits for a consumer, its controller reports
    work in progress. unjudged: it is fine as far as it exists, and only its existence was judged. passed: the
    reported trouble is over, and the current state was not seen.
    """

    name: StateName
    headline: Text
    since: datetime | None = None
    evidence: tuple[Fact, ...] = ()
    says: Text | None = None
    word: str = ""
    own: tuple[OwnWords, ...] = ()
    wants: tuple[Want, ...] = ()
    granted: bool = False
    unjudged: bool = False
    passed: bool = False


@record()
class Stage(Record):
    """One stage of the subject's line. says: its name for people. note: the part of it that is not done."""

    id: StageId
    says: Text
    state: StageState
    since: datetime | None = None
    evidence: tuple[Fact, ...] = ()
    wants: tuple[Want, ...] = ()
    note: Text | None = None


@record()
class Question(Record):
    """One Want of an undecided cause, and why it is open. node: the Node that has the answer, if only a
    node shows it.
    """

    want: Want
    why_open: WhyOpen
    ask: Command
    detail: str = ""
    node: Ref | None = None


@record()
class CauseMatch(Record):
    """One cause that matched.

    consequence_of: index of its root among the diagnosis' causes. via: the part of the subject it was found
    on, also: the equal parts with the same cause. wants, questions: facts that would turn likely into proven,
    as Wants and as questions for a reader. stage: as of an `OpenCause`. intended: as of a `Cause`. node:
    where the Pod of `via` runs, "" if it is none or that is unknown.
    """

    id: str
    title: Text
    confidence: Confidence
    finding: Finding
    evidence: tuple[Evidence, ...]
    wants: tuple[Want, ...] = ()
    consequence_of: int | None = None
    reach: tuple[tuple[str, int], ...] = ()
    via: Ref | None = None
    also: tuple[Ref, ...] = ()
    questions: tuple[Question, ...] = ()
    stage: str = ""
    intended: bool = False
    node: str = ""


@record()
class OpenCause(Record):
    """One undecided cause. stage: the first stage that it would block and that is not known to be done, or
    "".

    do_not: tempting acts that would do harm if this is the cause. notes: facts known meanwhile.
    """

    id: str
    title: Text
    possible: bool
    evidence: tuple[Evidence, ...]
    questions: tuple[Question, ...]
    stage: str = ""
    do_not: tuple[DoNot, ...] = ()
    notes: tuple[Text, ...] = ()


class Evaluation:
    """One cause asked about one subject: its gate, its signs and its verdict.

    out: whether it is ruled out, judged on construction. Behind a shut gate it is, regardless of its signs:
    they are read only for display (`--explain`, JSON), and its module is not even imported before. A no of
    the need rules it out as well; an unknown need leaves it open. rule: gives the signs, the same ones on
    every call. originals: maps a fact that was narrowed for the rule to the original that evidence shows.
    need: the sign of the cause's `needs`.
    """

    def __init__(
        self,
        id_: str,
        subject: Ref,
        gate: Sign[Any],
        rule: Callable[[], Signs],
        originals: Mapping[Fact, Fact] | None = None,
        need: Sign[Any] = YES,
    ) -> None:
        self.id = id_
        self._originals = originals or {}
        self.subject = subject
        # Whether the stage that this cause blocks is not done.
        self.gate = gate.value
        self._gate = gate
        self._rule = rule
        self._verdict: Verdict | None = None
        self.out = self.shut or need.value is False
        if self.out:
            return
        if need.value:
            # As the property below would keep them, without the lock that it takes.
            signs = vars(self)["signs"] = rule()
            self.out = bool(find_against(signs, gate))
            if not self.out:
                # A finding looks things up: with the rule, not later.
                self._verdict = self._judge()
        else:
            self._verdict = leave_open(need, gate)

    @cached_property
    def signs(self) -> Signs:
        """The result of the cause's rule."""
        return self._rule()

    @property
    def verdict(self) -> Verdict:
        """The judgement of the signs behind this gate. Lazy, since few answers show the evidence of a cause
        that is ruled out.
        """
        if self._verdict is None:
            self._verdict = self._judge()
        return self._verdict

    def _judge(self) -> Verdict:
        found = judge(self.signs, self._gate)
        if not self._originals:
            return found
        return replace(
            found,
            evidence=tuple(Evidence(e.weight, self._originals.get(e.fact, e.fact)) for e in found.evidence),
        )

    def concluded(self, verdict: Verdict) -> Evaluation:
        """Return the same with a verdict that rests on more than this cause's own signs."""
        one = copy(self)
        one._verdict, one.out = verdict, isinstance(verdict, RuledOut)
        return one

    @property
    def shut(self) -> bool:
        """Whether its gate rules it out, regardless of its signs."""
        return self.gate is False


class LazyEvaluations(Sequence[Evaluation]):
    """Evaluations that are made at their first use: a scan's text shows none. make: is called once."""

    def __init__(self, make: Callable[[], tuple[Evaluation, ...]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Evaluation, ...]:
        return self._make()

    def __getitem__(self, index: Any) -> Any:
        """Return as a tuple does."""
        return self._made[index]

    def __iter__(self) -> Iterator[Evaluation]:
        """Return as a tuple does."""
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


@record()
class Diagnosis(Record):
    """The whole answer about one subject. causes: roots first, then their consequences. unreached: nodes,
    each with the reason why it was not reached.

    whereto: the Nodes that would fit a waiting Pod (the subject or one it holds). changed: the differences
    since it last did. node, owner: of a Pod, its Node and its controller. group: the owner's name, reported
    or taken from a Pod's generated name; "" for an object that stands alone. leads: ids of the open causes
    worth showing, in the order shown, at most five. next: what to run next: one command, and at most one
    alternative. shortlist: the leads by stage, and all looks that decide between them. held_by: finalizers of
    an object that is being deleted.
    """

    subject: Ref
    state: State
    stages: tuple[Stage, ...]
    causes: tuple[CauseMatch, ...]
    undecided: tuple[OpenCause, ...]
    ruled_out: Sequence[Evaluation]
    explained: Sequence[Evaluation] = ()
    refused: tuple[Refused, ...] = ()
    unreached: tuple[Unreached, ...] = ()
    whereto: LazyPlacing | None = None
    changed: tuple[Text, ...] = ()
    shortlist: Shortlist = NONE
    node: Ref | None = None
    owner: Ref | None = None
    group: str = ""
    leads: tuple[str, ...] = ()
    next: tuple[Next, ...] = ()
    held_by: tuple[Holder, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether there is or may be a fault: by its own state, or by a cause reported in spite of that
        state.

        An object may still have time, be held or be ready itself while a part of it, or an object that it
        depends on, is known to be broken.
        """
        return self.state.name in ("stuck", "unknown") or not all(t.intended for t in self.causes)

    @property
    def urgent(self) -> bool:
        """Whether a scan has to report it: it is stuck, or may be, or its cause is proven although it is
        within its time.
        """
        return self.state.name in ("stuck", "unknown") or (
            self.state.name == "progressing"
            and any(t.confidence == "proven" and not t.intended for t in self.causes)
        )


def find_messages(d: Diagnosis) -> Iterator[Failure | Events]:
    """Yield the messages of the subject's current stage; without a line of stages, those of its state."""
    for fact in (*(f for s in d.stages for f in s.evidence), *d.state.evidence):
        if isinstance(fact, Failure | Events):
            yield fact


@record()
class Incident(Record):
    """Diagnoses with one root: the same cause with the same culprit. representative: index into the report's
    diagnoses.

    cause: "" if unknown although the members belong together (a Node and its Pods, Pods of one controller).
    alike: members that were not read, because their rows of the server's table equal the row of a member that
    was. trouble: the part of their life that is stuck.
    """

    id: int
    cause: str
    says: Text
    culprit: Ref
    representative: int
    members: tuple[Ref, ...]
    reach: tuple[tuple[str, int], ...]
    since: datetime | None
    alike: tuple[Ref, ...] = ()
    trouble: Trouble = "other"


def is_urgent(incident: Incident, diagnoses: Sequence[Diagnosis]) -> bool:
    """Tell whether any of its members is urgent; the others are still within their time."""
    members = set(incident.members)
    first = diagnoses[incident.representative]
    return any(d.urgent for d in (first, *diagnoses) if d is first or d.subject in members)


@record()
class Ignored(Record):
    """Troubles that the settings leave out of an answer. cause: "" for a whole Namespace. until: the
    entry's last day, "" for none.
    """

    subject: Ref
    cause: str
    reason: Text
    until: str


@record()
class Answer(Record):
    """The answer of a command. at: the Snapshot's time.

    not_seen: a scan's unanswered questions. left_out: questions that a scan did not ask; and a sentence about
    ignored objects. ignored: known troubles, left out by the user's settings. held: objects stopped on
    purpose, for a scan that lists them.
    """

    at: datetime
    sources: tuple[str, ...]
    diagnoses: tuple[Diagnosis, ...]
    incidents: tuple[Incident, ...] = ()
    tool: str = ""
    not_seen: tuple[Refused, ...] = ()
    left_out: tuple[Text, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    held: tuple[Ref, ...] = ()
