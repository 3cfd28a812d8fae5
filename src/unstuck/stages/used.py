"""Judges an object that says nothing of itself by its users: the Pods that name it, the objects that it
applies to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, list_names, who
from unstuck.facts.aspects.objects import Below
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import is_terminal
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.kinds import APPLIED_TO_OTHERS, NAMED_BY_PODS
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)
_NAMED = 3


def judge_used(ref: Ref, snap: Facts, state: State, state_of_user: Callable[[Ref], State]) -> State:
    """Return the state of an object that says nothing of itself by the objects that use it. state: its state
    without them.
    """
    if ref.kind not in (*NAMED_BY_PODS, *APPLIED_TO_OTHERS) or state.name not in ("fine", "unknown"):
        return state
    lists = snap.of(Below, ref)
    if not lists:
        return replace(state, wants=(*state.wants, Want(Below, ref)))
    users = unique(snap.canon(r) for f in lists for r in f.refs)
    live = [user for user in users if not is_terminal(user, snap)]
    # Of a Job only its ended Pods may be left.
    states = [(user, state_of_user(user)) for user in live or users]
    if stuck := next(((user, one) for user, one in states if one.name == "stuck"), None):
        user, one = stuck
        why = one.says or one.headline
        says = (
            say("{user}, which uses it, is stuck: {why}", user=who(user), why=why)
            if ref.kind in NAMED_BY_PODS
            else say("{user}, which it applies to, is stuck: {why}", user=who(user), why=why)
        )
        return add_headline(ref, "stuck", says, one.since, unique((*lists, *one.evidence)))
    well = [user for user, one in states if one.name == "fine" and user in live]
    if not well or not state.unjudged or ref.kind not in NAMED_BY_PODS:
        return state
    names = list_names(user.name or "?" for user in well[:_NAMED])
    says = say("in use by {count} running {count:Pod|Pods} ({names})", count=len(well), names=names)
    if len(well) > _NAMED:
        says += say(" and {more} more", more=len(well) - _NAMED)
    return add_headline(ref, "fine", says, evidence=lists)
