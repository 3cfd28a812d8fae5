"""Judges whether an answer about a fault is right. Pure: the answer is the command's JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from unstuck_lab.fault import Answer, Fault

Outcome = Literal["proven", "likely", "undecided", "fine", "wrong", "missed", "no answer", "not taken hold"]
OUTCOMES: tuple[Outcome, ...] = (
    "proven",
    "likely",
    "undecided",
    "fine",
    "wrong",
    "missed",
    "no answer",
    "not taken hold",
)
RANK: dict[str, int] = {"undecided": 1, "likely": 2, "proven": 3}
MOST_UNDECIDED = 3


@dataclass(frozen=True)
class Judgement:
    """outcome: the grade of the answer. ok: whether the fault accepts the answer. why: one line on the reason
    if not.
    """

    outcome: Outcome
    ok: bool
    named: str  # the named ids, in order
    why: str = ""


def judge(fault: Fault, least: Answer, answer: dict[str, Any]) -> Judgement:
    """Judge the first diagnosis of a report. least: the least acceptable answer.

    Wrong is an id at likely or proven that is neither accepted nor a consequence of the accepted root, and
    any certainty beyond `at_most`.
    """
    diagnosis = answer["diagnoses"][0]
    causes = [cause for cause in diagnosis["causes"] if cause["confidence"] in ("likely", "proven")]
    named = ", ".join(f"{cause['id']} {cause['confidence']}" for cause in causes)
    wrong = _find_wrong(fault, diagnosis["state"], causes)
    if wrong:
        return Judgement("wrong", False, named, wrong)
    if not fault.accepts:
        return Judgement("fine", True, named)
    if causes and causes[0]["id"] in fault.accepts:
        reached: Outcome = causes[0]["confidence"]
        enough = RANK[reached] >= RANK.get(least, 0)
        return Judgement(reached, enough, named, "" if enough else f"at least {least} was wanted")
    return _judge_undecided(fault, least, diagnosis["undecided"], diagnosis["leads"], named)


def _find_wrong(fault: Fault, state: str, causes: Sequence[dict[str, Any]]) -> str:
    if not fault.accepts and state not in ("fine", "progressing"):
        return f"nothing is wrong with it, and it is called {state}"
    roots = [at for at, cause in enumerate(causes) if cause["id"] in fault.accepts]
    for at, cause in enumerate(causes):
        if cause["id"] in fault.accepts:
            if RANK[cause["confidence"]] > RANK.get(fault.at_most, 3):
                return f"{cause['id']} is {cause['confidence']}, which nobody can know"
        elif cause["id"] not in fault.consequences:
            return f"{cause['id']} is not so"
        elif roots and (at < roots[0] or cause["consequence_of"] is None):
            return f"{cause['id']} does not stand below its root"
    return ""


def _judge_undecided(
    fault: Fault, least: Answer, undecided: Sequence[dict[str, Any]], leads: Sequence[str], named: str
) -> Judgement:
    """Judge an answer without an accepted cause: whether an accepted cause is among the few undecided ones,
    each with its deciding question. leads: the visible ids.
    """
    # As in the text: causes with support, or all if there are none.
    undecided = [cause for cause in undecided if cause["possible"]] or undecided
    right = [cause for cause in undecided if cause["id"] in fault.accepts]
    if least == "fine":
        return Judgement("undecided" if right else "fine", True, named)
    ids = ", ".join(cause["id"] for cause in undecided)
    if not right:
        return Judgement("missed", False, named or ids, "no accepted cause is named")
    undecisive = [
        cause["id"]
        for cause in undecided
        if cause["id"] in leads and not any(want["ask"] for want in cause["wants"])
    ]
    # As in the text: by the blocked stage (docs/why/undecided.md).
    places = {cause.get("stage") or cause["id"] for cause in undecided}
    if len(places) > MOST_UNDECIDED or undecisive:
        said_nothing = f"nothing is said that would decide {', '.join(undecisive)}"
        why = said_nothing if undecisive else f"{len(undecided)} are left open at {len(places)} places"
        return Judgement("missed", False, named or ids, why)
    enough = least == "undecided"
    return Judgement("undecided", enough, named or ids, "" if enough else f"at least {least} was wanted")
