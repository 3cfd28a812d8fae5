"""The one place where confidence arises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Literal

from unstuck.diagnosis.command import NO_COMMAND, Command
from unstuck.diagnosis.sign import YES, Sign, unique
from unstuck.diagnosis.text import Text
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.record import Record, record

Weight = Literal["decisive", "supporting", "against"]
Confidence = Literal["proven", "likely"]
Risk = Literal["none", "reversible", "loses-data", "disrupts"]


@record()
class Step(Record):
    """One thing to do. where: `cluster`, `node:NAME` or `source` (the owner's manifest). command:
    `NO_COMMAND` if there is none.

    undo: the command that reverts it. verify: how to see that it worked. A risk above `reversible` must be
    spelled out in `says`.
    """

    says: Text
    where: str = "cluster"
    command: Command = NO_COMMAND
    risk: Risk = "none"
    undo: Command = NO_COMMAND
    verify: Text | None = None


# Risks that an undo does not revert.
RISKY: tuple[Risk, ...] = ("disrupts", "loses-data")


def is_remedy(step: Step) -> bool:
    """Tell whether a step makes a change or has a verification; other steps only look."""
    return step.risk != "none" or step.where == "source" or step.verify is not None


@record()
class DoNot(Record):
    """The tempting act that loses data or hides the problem here, and its effect."""

    says: Text
    because: Text


@record()
class Finding(Record):
    """A known fault. says: the fault and nothing else. notes: facts that help to understand it.

    culprit: the faulty thing. blocks: the objects and stages that it holds up. enrich: Wants that would make
    the answer better. seen: facts behind its text that no sign needs; they are shown as support. apart: its
    words are about a matter of its own, so that no trouble of an object that the culprit holds explains it.
    """

    says: Text
    culprit: Ref
    blocks: tuple[Ref, ...]
    notes: tuple[Text, ...] = ()
    help: tuple[Step, ...] = ()
    do_not: tuple[DoNot, ...] = ()
    enrich: tuple[Want, ...] = ()
    seen: tuple[Fact, ...] = ()
    apart: bool = False


@record()
class Signs(Record):
    """The result of a cause's rule. Each sign has a name in plain words, shown by `--explain`.

    applies: whether the question arises at all (the stage is asked besides it). necessary: each must be yes
    for a match. decisive: any one, with all necessary, proves it. supporting: makes it likely. finding:
    called only for a match. do_not: harmful acts to warn of while the cause is still undecided but supported.
    notes: facts known meanwhile. of_well: the fault lies beside the subject and does not show on it, so the
    rule also runs for a healthy subject.
    """

    finding: Callable[[], Finding]
    decisive: Mapping[str, Sign[Any]]
    applies: Sign[Any] = YES
    necessary: Mapping[str, Sign[Any]] = field(default_factory=dict)
    supporting: Mapping[str, Sign[Any]] = field(default_factory=dict)
    do_not: tuple[DoNot, ...] = ()
    notes: tuple[Text, ...] = ()
    of_well: bool = False


@record()
class Evidence(Record):
    """A fact with its weight in this judgement."""

    weight: Weight
    fact: Fact


@record()
class Match(Record):
    """The cause matches. wants: facts that would turn likely into proven."""

    confidence: Confidence
    finding: Finding
    evidence: tuple[Evidence, ...]
    wants: tuple[Want, ...] = ()


@record()
class Undecided(Record):
    """The cause is open. possible: some evidence supports it. wants: facts that would decide. do_not:
    harmful acts. notes: known facts.
    """

    wants: tuple[Want, ...]
    evidence: tuple[Evidence, ...] = ()
    do_not: tuple[DoNot, ...] = ()
    notes: tuple[Text, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether any supporting or decisive fact was seen."""
        return bool(self.evidence)


@record()
class RuledOut(Record):
    """The cause is excluded; the evidence gives the reason."""

    evidence: tuple[Evidence, ...]


Verdict = Match | Undecided | RuledOut


def judge(signs: Signs, gate: Sign[Any]) -> Verdict:
    """Judge the signs and return a verdict.

    gate: whether the stage that this cause keeps from being done is not done. No → ruled out; unknown → at
    most likely.
    """
    if against := find_against(signs, gate):
        return RuledOut(_list_evidence(against, "against"))
    applies = (gate, signs.applies)
    decisive, supporting = tuple(signs.decisive.values()), tuple(signs.supporting.values())
    necessary = tuple(signs.necessary.values())
    shown = (
        *_list_evidence([s for s in (*decisive, *necessary) if s.value], "decisive"),
        *_list_evidence([s for s in supporting if s.value], "supporting"),
    )
    open_ = _list_questions(applies, necessary, decisive)
    yes = [s for s in decisive if s.value]
    if all(s.value for s in necessary):
        must = (*applies, *necessary)
        if all(s.value and s.sure for s in must) and any(s.sure for s in yes):
            finding = signs.finding()
            return Match("proven", finding, _add_seen(shown, finding))
        if yes or any(s.value for s in supporting):
            finding = signs.finding()
            return Match("likely", finding, _add_seen(shown, finding), open_)
    told = _list_evidence([s for s in (*decisive, *supporting) if s.value or s.hits], "supporting")
    return Undecided(open_, told, signs.do_not if told else (), signs.notes if told else ())


def find_against(signs: Signs, gate: Sign[Any]) -> list[Sign[Any]]:
    """Return the signs that rule the cause out: a shut gate, a necessary no, or the decisive signs if all are
    no.
    """
    if against := [s for s in (gate, signs.applies) if s.value is False]:
        return against
    if against := [s for s in signs.necessary.values() if s.value is False]:
        return against
    decisive = [*signs.decisive.values()]
    for sign in decisive:
        if sign.value is not False:
            return []
    return decisive


def leave_open(need: Sign[Any], gate: Sign[Any]) -> Undecided:
    """Return the verdict while a sign that the cause needs is unknown: its other signs do not matter yet."""
    return Undecided(_list_questions((gate,), (need,), ()))


def _list_evidence(signs: list[Sign[Any]] | tuple[Sign[Any], ...], weight: Weight) -> tuple[Evidence, ...]:
    return tuple([Evidence(weight, f) for f in unique([f for s in signs for f in s.seen])]) if signs else ()


def _add_seen(shown: tuple[Evidence, ...], finding: Finding) -> tuple[Evidence, ...]:
    """Return the evidence with the facts of a finding that no sign has shown."""
    known = [e.fact for e in shown]
    return (*shown, *(Evidence("supporting", fact) for fact in finding.seen if fact not in known))


def _list_questions(
    applies: tuple[Sign[Any], ...], necessary: tuple[Sign[Any], ...], decisive: tuple[Sign[Any], ...]
) -> tuple[Want, ...]:
    """Return the questions, cheapest first: while the stage or a necessary sign is open, a node is not asked
    the others.
    """
    first = [w for s in (*applies, *necessary) if s.value is None for w in s.wants]
    then = [w for s in decisive if s.value is None for w in s.wants if not first or w.fact.cost == "api"]
    return unique((*first, *then))
