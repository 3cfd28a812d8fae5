"""Whether the selector of a policy, a budget, a class or a volume matches anything: without that it has no
effect, or is of no use.
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, list_names, who
from unstuck.facts.aspects.references import Selectors, Selects
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

SELECTING = ("NetworkPolicy", "PodDisruptionBudget", "RuntimeClass", "PersistentVolume", "StorageClass")


def find_empty_selection(ref: Ref, snap: Facts) -> Sign[Selects]:
    """Tell whether its selector matches nothing, not even Pods that are yet to come; unknown if it was not
    checked.
    """
    seen = tuple(f for f in snap.of(Selects, ref) if f.whole)
    empty = tuple(f for f in seen if not f.count and not f.templates and f.selector)
    return Sign(bool(empty), empty, seen) if seen else Sign(None)


def judge_selected(ref: Ref, snap: Facts, state: State) -> State:
    """Return the state of an object that says nothing of itself and is there to be selected by its labels.
    state: by itself.
    """
    if not state.unjudged or "." not in ref.kind:
        return state
    seen = next((f for f in snap.of(Selectors, ref) if f.whole), None)
    if seen is None:
        return replace(state, wants=(*state.wants, Want(Selectors, ref)))
    if taken := next((s for s in seen.items if s.takes), None):
        return add_headline(ref, "fine", say("{of} selects it", of=who(taken.of)), evidence=(seen,))
    if not seen.items:
        return state
    says = say(
        "no one selects it: {of} selects {selector}",
        of=who(seen.items[0].of),
        selector=seen.items[0].selector or "*",
    )
    return add_headline(ref, "unknown", says, evidence=(seen,))


def judge_selection(ref: Ref, snap: Facts, state: State) -> State:
    """Return the state of an object that is otherwise well, and selects something or nothing. state: by
    itself.
    """
    if ref.kind not in SELECTING or state.name != "fine":
        return state
    seen = next((f for f in snap.of(Selects, ref) if f.whole), None)
    if seen is None:
        return replace(state, wants=(*state.wants, Want(Selects, ref)))
    if find_empty_selection(ref, snap).value:
        says = say("selects no {of}: {selector}", of=seen.of, selector=seen.selector)
        return add_headline(ref, "unknown", says, evidence=(seen,))
    if not state.unjudged:
        return state
    many = say("selects {count} {count:Pod|Pods}", count=seen.count)
    says = many if seen.of == "Pod" else say("selects {count} {count:Node|Nodes}", count=seen.count)
    if seen.templates:
        says = say("selects no Pod now; {maker} makes such", maker=who(seen.templates[0]))
    elif seen.names:
        says += say(" ({names})", names=list_names(seen.names))
    return add_headline(ref, "fine", says, evidence=(seen,))
