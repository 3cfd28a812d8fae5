"""Judges an object without a status of its own by the Pods whose spec names it."""

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
from unstuck.facts.vocabulary.kinds import NAMED_BY_PODS
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)
_NAMED = 3


def judge_used(ref: Ref, snap: Facts, state: State, state_of_pod: Callable[[Ref], State]) -> State:
    """Return the state of an object that Pods use: as well as they are. state: its state without them."""
    if not state.unjudged or ref.kind not in NAMED_BY_PODS:
        return state
    lists = snap.of(Below, ref)
    if not lists:
        return replace(state, wants=(*state.wants, Want(Below, ref)))
    pods = unique(snap.canon(r) for f in lists for r in f.refs)
    states = [(pod, state_of_pod(pod)) for pod in pods if not is_terminal(pod, snap)]
    if stuck := next(((pod, one) for pod, one in states if one.name == "stuck"), None):
        pod, one = stuck
        says = say("{pod}, which uses it, is stuck: {why}", pod=who(pod), why=one.says or one.headline)
        return add_headline(ref, "stuck", says, one.since, unique((*lists, *one.evidence)))
    well = [pod for pod, one in states if one.name == "fine"]
    if not well:
        return state
    names = list_names(pod.name or "?" for pod in well[:_NAMED])
    says = say("in use by {count} running {count:Pod|Pods} ({names})", count=len(well), names=names)
    if len(well) > _NAMED:
        says += say(" and {more} more", more=len(well) - _NAMED)
    return add_headline(ref, "fine", says, evidence=lists)
