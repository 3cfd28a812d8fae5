"""Detects mutual waits: an object waits for another one, which needs an object that the first must create."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.objects import Conditions, Presence
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot
from unstuck.knowledge.conditions import names_wait

if TYPE_CHECKING:
    from unstuck.engine.assessment import Assessment

say = Messages(__name__)


def tell_loops(told: Sequence[CauseMatch], asked: Assessment, snap: Snapshot) -> tuple[CauseMatch, ...]:
    """Return the causes; if the creator of a missing object is itself waiting, the cause names the loop and
    the way out.
    """
    return tuple(_tell(one, asked, snap) for one in told)


def _tell(one: CauseMatch, asked: Assessment, snap: Snapshot) -> CauseMatch:
    missing = snap.canon(one.finding.culprit)
    if one.via is None or not any(not f.exists for f in snap.of(Presence, missing)):
        return one
    for maker, waited in _list_steps_to(asked, one.via):
        if _makes(maker, missing, snap) and _waits(maker, waited, snap):
            loop = say(
                (
                    "{maker} is to make {missing}, and waits for {waited} meanwhile, which needs it: each "
                    "waits for the other"
                ),
                maker=who(maker),
                missing=who(missing),
                waited=who(waited),
            )
            step = Step(
                say(
                    "let {missing} be made before {waited}, or let {waited} not need it",
                    missing=who(missing),
                    waited=who(waited),
                ),
                where="source",
                verify=say("{waited} ends, and {maker} goes on", waited=who(waited), maker=who(maker)),
            )
            finding = replace(
                one.finding, says=one.finding.says + say("; ") + loop, help=(step, *one.finding.help[1:])
            )
            return replace(one, finding=finding)
    return one


def _makes(maker: Ref, missing: Ref, snap: Snapshot) -> bool:
    """Tell whether an object's status names another object that it does not require itself: its product."""
    named = (
        r
        for f in snap.of(References, maker)
        for r in f.items
        if not r.needed and r.field.startswith("status.")
    )
    return any(snap.canon(r.to) == missing for r in named)


def _waits(maker: Ref, waited: Ref, snap: Snapshot) -> bool:
    """Tell whether an object's own status reports that it waits for another one."""
    words = [w.message for f in snap.of(Reported, maker) for w in (*f.words, *f.rows)]
    words += [c.message for f in snap.of(Conditions, maker) for c in f.items]
    return any(names_wait(text) and (waited.name or "?") in text for text in words)


def _list_steps_to(asked: Assessment, target: Ref) -> Iterator[tuple[Ref, Ref]]:
    """Yield each object on the way to a subject with the next one after it."""
    for child in asked.below:
        if child.subject == target or any(True for _ in _list_steps_to(child, target)):
            yield asked.subject, child.subject
            yield from _list_steps_to(child, target)
