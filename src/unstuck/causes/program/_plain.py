"""A cause of this family that the words alone tell, or the words and one look at the Pod's own object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from unstuck.causes._path_volume import tell_place
from unstuck.causes.program._told import ProgramMessage, alone, program_messages
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

T = TypeVar("T")

_NEXT_RUN = say("the next run gets past this line")


def plain(
    pod: Ref,
    snap: Facts,
    errors: tuple[ProgramError, ...],
    found: Callable[[ProgramMessage], Finding],
    confirmed: dict[str, Sign[ProgramMessage]] | None = None,
) -> Signs:
    """Return the signs for words that are plain. confirmed: what else shows it; nothing of it takes back what the program wrote."""
    said = program_messages(pod, snap, *errors)
    lone = alone(pod, snap, *errors)
    return Signs(
        necessary={"the last lines of a run that ended badly say so": said},
        decisive={name: not_overcome(sign) for name, sign in (confirmed or {}).items()},
        supporting={"its words are plain": said if said.value else lone},
        finding=lambda: _with_place(pod, [*(h for s in (confirmed or {}).values() if s.value for h in s.hits), *said.hits][0], found, snap),
    )


def _with_place(pod: Ref, one: ProgramMessage, found: Callable[[ProgramMessage], Finding], snap: Facts) -> Finding:
    """Return the finding; where what the program wrote names a path in a volume, with the object that is mounted there."""
    finding = found(one)
    place = tell_place(pod, one.run.name or None, one.complaint.line, snap, one.complaint.path) if pod.kind == "Pod" else NO_TEXT
    return replace(finding, says=finding.says + place)


def plain_in_text(text: Ref, snap: Facts, error: ProgramError, found: Callable[[ProgramMessage], Finding]) -> Signs:
    """Return the signs for words of somebody whose log is nobody's last lines: a text alone holds them."""
    said = alone(text, snap, error)
    return Signs(decisive={}, supporting={"its words are plain": said}, finding=lambda: found(said.hits[0]))


def mend(says: Text) -> Step:
    """Return what is to be changed in the owner's source, and how one sees that it worked."""
    return Step(says, where="source", verify=_NEXT_RUN)


def not_overcome(sign: Sign[T]) -> Sign[T]:
    """Return a yes as it is, and a no as unknown: that all is well by now does not take back what the program met."""
    return sign if sign.value else Sign(None, wants=sign.wants)
