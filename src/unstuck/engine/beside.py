"""Adds to each cause that rests on a reported error the line of the same text that shows its reason."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.beside import explain_beside
from unstuck.diagnosis.verdict import Evidence, is_remedy
from unstuck.facts.aspects.beside import ShownReason
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Fact
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot


def tell_beside(told: Sequence[CauseMatch], snap: Snapshot) -> tuple[CauseMatch, ...]:
    """Return the causes, each with the deciding line of its error; a line explains one cause."""
    out, left = list[CauseMatch](), [*snap.every(ShownReason)]
    for one in told:
        facts = [e.fact for e in one.evidence]
        found = next((b for b in left if any(_reports(f, b) for f in facts)), None)
        if found is not None:
            left.remove(found)
        out.append(_tell(one, found) if found else one)
    return tuple(out)


def _reports(fact: Fact, found: ShownReason) -> bool:
    """Tell whether a fact is the report that a line explains."""
    if isinstance(fact, ToldErrors):
        return any(item.complaint.line == found.line for item in fact.items)
    return fact.src.where == found.at


def _tell(one: CauseMatch, found: ShownReason) -> CauseMatch:
    told = explain_beside(found)
    finding = one.finding
    rest = [s for s in finding.help if not (told.alone if is_remedy(s) else told.seen)]
    finding = replace(finding, says=finding.says + told.says, help=(*told.steps, *rest))
    return replace(one, finding=finding, evidence=(*one.evidence, Evidence("supporting", found)))
