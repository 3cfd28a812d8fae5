"""The combined bounds of all LimitRanges of a Namespace."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused
from unstuck.collect.objects import doc
from unstuck.collect.objects.limits import bounds_of
from unstuck.facts.aspects.limits import Limits
from unstuck.facts.core import Fact, Ref, Want


def limit_ranges(session: Session, want: Want) -> list[Fact]:
    """Return one Limits with the bounds of every LimitRange of the Namespace."""
    found = session.listing(kind_named("LimitRange"), want.about.within)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    bounds = tuple(b for item in found.items for b in bounds_of(item))
    shown = ", ".join(f"{doc.text(i, 'metadata', 'name')}" for i in found.items[:5])
    return [
        Limits(
            about=Ref("LimitRangeList", want.about.within),
            src=found.read.src(shown or "none"),
            bounds=bounds,
            whole=found.whole,
        )
    ]
