"""Pending approvals of an object: the field that records them, and the other object that has it."""

from __future__ import annotations

from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.reported import Switches
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.knowledge.standstills import APPROVALS, APPROVED
from unstuck.stages.switches import find_setting, quote_setting

say = Messages(__name__)


@record()
class Approval(Record):
    """says: the place for the approval, worded to follow the hold. wants: questions about named objects that
    were not read.
    """

    says: Text
    evidence: tuple[Fact, ...]
    wants: tuple[Want, ...]


def find_approval(ref: Ref, snap: Facts) -> Approval:
    """Find the fields that show a pending approval, the object's own and those of the objects it names."""
    says, evidence, wants = _quote_mode(ref, snap), [], []
    for to in unique(snap.canon(r.to) for f in snap.of(References, ref) for r in f.items if "." in r.to.kind):
        if not snap.of(Presence, to):
            wants.append(Want(Presence, to))
        for fact in find_setting(to, snap, APPROVED, "false"):
            says += say("; {other} is not approved", other=who(to)) + quote_setting(APPROVED, "false")
            says += _quote_mode(to, snap)
            evidence.append(fact)
    return Approval(says, tuple(evidence), tuple(wants))


def _quote_mode(ref: Ref, snap: Facts) -> Text:
    item = next((i for f in snap.of(Switches, ref) for i in f.items if i.field in APPROVALS), None)
    return quote_setting(item.field, item.value) if item else NO_TEXT
