"""Turns signs into a line of stages: the first unfinished stage, the certain stages, the later stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from unstuck.diagnosis.answer import Stage, StageState
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Text
from unstuck.facts.aspects.objects import Conditions, Deletion, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.stages import StageId

# Facts about the object's progress that only the object itself has.
_OWN = frozenset({Deletion, Phase, Conditions, ContainerStatuses})


@record()
class StageStep(Record):
    """One stage before its place in the line is judged. done: yes, no or unknown.

    certain: a "no" alone proves that the subject is at this stage, even if earlier stages are unknown.
    first: no later stage can begin before this one is done, so a "no" rules out all later stages even if an
    earlier one is unknown. implies: if it is done, all earlier stages are done too; false for a stage that
    does not wait for them, or that has nothing to do (no finalizer, no init container).
    """

    id: StageId
    says: Text
    done: Sign[Any]
    since: datetime | None = None
    note: Text | None = None
    certain: bool = False
    first: bool = False
    implies: bool = False


def order_stages(steps: Sequence[StageStep]) -> tuple[Stage, ...]:
    """Order the stages. Up to the first unfinished stage, each has its sign's state; unfinished stages after
    it are `later`.

    After an unknown stage, an unfinished stage stays `unknown`, because either of the two may be the one that
    holds up the subject; a finished stage is `later` there, because it does not prove that the subject has
    got so far.
    """
    out: list[Stage] = []
    stopped = False
    open_ = False
    for step in _add_implied(steps):
        if step.done.value:
            state: StageState = "later" if open_ else "done"
        elif stopped:
            state = "later"
        elif step.done.value is None:
            state, open_ = "unknown", True
        elif open_ and not step.certain:
            state, stopped = "later" if step.id == "gone" else "unknown", step.first
        else:
            state, stopped = "not-done", True
        out.append(Stage(step.id, step.says, state, step.since, step.done.seen, step.done.wants, step.note))
    return tuple(out)


def _add_implied(steps: Sequence[StageStep]) -> list[StageStep]:
    """Return the steps, with each unknown one marked done if the next done one implies it."""
    out: list[StageStep] = []
    by: Sign[Any] | None = None
    for step in reversed(steps):
        out.append(replace(step, done=by) if by and step.done.value is None else step)
        if step.done.value and step.implies:
            by = step.done
    return out[::-1]


def gate(stages: Sequence[StageId], list_stages: Sequence[Stage]) -> Sign[Any]:
    """Tell whether the subject is at one of these stages. No stages named: always yes.

    Unknown if the object itself was not seen, because it may be past this stage, or in deletion, by now.
    """
    if not stages:
        return Sign(True)
    mine = [s for s in list_stages if s.id in stages]
    if here := [s for s in mine if s.state == "not-done"]:
        open_ = unique(w for s in here for w in s.wants if w.fact in _OWN)
        return Sign(None if open_ else True, seen=unique(f for s in here for f in s.evidence), wants=open_)
    if unsure := [s for s in mine if s.state == "unknown"]:
        before = [s for s in list_stages if s.state == "unknown"]
        wants = unique(w for s in before for w in s.wants)
        return Sign(None, seen=unique(f for s in unsure for f in s.evidence), wants=wants)
    return Sign(False, seen=unique(f for s in mine for f in s.evidence))
