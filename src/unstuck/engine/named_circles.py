"""Finds objects of any kind whose own messages show that they wait for each other in a circle: none is the
root, and each holds up the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import Messages, join_texts, who
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.engine.assessment import Assessment
from unstuck.facts.core import Ref
from unstuck.facts.record import replace
from unstuck.facts.regex import regex
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.references import find_references
from unstuck.stages.reported_state import find_ill_words, find_waiting_words

say = Messages(__name__)
# Fields by which objects wait for each other (flux dependsOn, argo dependencies, crossplane dependsOn).
_OF_WAITING = regex(r"(?i)depend|\bneeds\b|\bafter\b|requires|wait")
_OWN_WORDS = "reported.own-words"


def tell_named_circles(
    told: Sequence[CauseMatch], asked: Assessment, snap: Snapshot
) -> tuple[CauseMatch, ...]:
    """Return the causes; if all of them rest on the messages of objects in a circle, the first one names the
    circle and the way to break it.
    """
    circle = next(_find_circles(asked, (), snap), ())
    at = [i for i, one in enumerate(told) if (one.via or asked.subject) in circle]
    # A cause that holds a member for another reason is the root.
    if not at or any(one.consequence_of is None and i not in at for i, one in enumerate(told)):
        return tuple(told)
    if any(told[i].id != _OWN_WORDS for i in at):
        return tuple(told)
    return tuple(_tell(one, circle) if i == at[0] else one for i, one in enumerate(told))


def _find_circles(asked: Assessment, above: tuple[Ref, ...], snap: Snapshot) -> Iterator[tuple[Ref, ...]]:
    way = (*above, asked.subject)
    for one in asked.named:
        if one.to in way:
            circle = way[way.index(one.to) :]
            if all(_waits(a, b, snap) for a, b in _pair(circle)):
                yield circle
    for child in asked.below:
        yield from _find_circles(child, way, snap)


def _pair(circle: tuple[Ref, ...]) -> Iterator[tuple[Ref, Ref]]:
    """Yield each member with the next one, and the last with the first."""
    return zip(circle, (*circle[1:], circle[0]), strict=True)


def _waits(one: Ref, other: Ref, snap: Snapshot) -> bool:
    """Tell whether an object refers to the other in its spec and waits for it: by the field, or by its own
    message.
    """
    fields = [
        r.field
        for r in find_references(one, snap)
        if r.field.startswith("spec.") and snap.canon(r.to) == snap.canon(other)
    ]
    words = (*find_ill_words(one, snap), *find_waiting_words(one, snap))
    name = rf"(?<![\w.-]){re.escape(other.name or '')}(?![\w-]|\.\w)"
    return bool(fields and words) and (
        any(_OF_WAITING.search(f) for f in fields) or any(re.search(name, w.message) for w in words)
    )


def _tell(one: CauseMatch, circle: tuple[Ref, ...]) -> CauseMatch:
    steps = [say("{one} waits for {other}", one=who(a), other=who(b)) for a, b in _pair(circle)]
    finding: Finding = replace(
        one.finding,
        says=one.finding.says
        + say("; this is a circle, in which each waits for another: {steps}", steps=join_texts(steps)),
        help=(
            Step(
                say(
                    "break the circle at one place: remove that reference from the one that can be there "
                    "first"
                ),
                where="source",
                verify=say("that one becomes ready, and the others follow"),
            ),
        ),
        do_not=(
            DoNot(
                say("delete and recreate them"),
                say("they would wait in the same circle"),
            ),
        ),
    )
    return replace(one, finding=finding)
