"""Troubles one by one, for a pipeline: each with the other objects that it affects, and its answer as
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.text import told_apart
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.cells import paint
from unstuck.render.page import Page
from unstuck.render.scan_selection import list_examined, select_incidents
from unstuck.render.text import answer_lines
from unstuck.render.undecided import describe_unseen
from unstuck.render.visible import visible


@record()
class Trouble(Record):
    """diagnosis: the answer. members: other examined members of its incidents. alike: unread members that
    look like an examined one.
    """

    diagnosis: Diagnosis
    members: tuple[Ref, ...] = ()
    alike: tuple[Ref, ...] = ()


def list_troubles(report: Answer) -> tuple[Trouble, ...]:
    """Return one trouble for each incident, the widest first; incidents with one representative are merged;
    then the diagnoses without an incident.
    """
    shown = select_incidents(report)
    found: dict[int, tuple[list[Ref], list[Ref]]] = {}
    for incident in shown.urgent:
        members, alike = found.setdefault(incident.representative, ([], []))
        members += list_examined(incident)
        alike += incident.alike
    told = [_trouble(report.diagnoses[i], members, alike) for i, (members, alike) in found.items()]
    return (*told, *(Trouble(d) for d in shown.without))


def _trouble(d: Diagnosis, members: Iterable[Ref], alike: Iterable[Ref]) -> Trouble:
    return Trouble(d, tuple(m for m in dict.fromkeys(members) if m != d.subject), tuple(dict.fromkeys(alike)))


def find_stuck(report: Answer) -> Iterator[Ref]:
    """Yield the objects that are stuck, or that have a cause without a visible state, worst first; then
    unread objects that look like them.
    """
    yield from (d.subject for d in report.diagnoses if _is_stuck(d))
    for trouble in list_troubles(report):
        if _is_stuck(trouble.diagnosis):
            yield from trouble.alike


def _is_stuck(d: Diagnosis) -> bool:
    return d.state.name == "stuck" or (d.state.name == "unknown" and bool(d.causes))


def answer_text(d: Diagnosis, page: Page) -> str:
    """Return the answer in the text format, without colour, at the extent of a page."""
    return paint(answer_lines((d,), page, "page"), colour=False)


def list_members(trouble: Trouble, page: Page) -> str:
    """List the other affected objects, one per line below a heading; "" if there are none."""
    told = (("members", trouble.members), ("alike", trouble.alike))
    parts = [
        f"{page.word(key)} ({len(refs)})\n" + "".join(f"  {visible(told_apart(r))}\n" for r in refs)
        for key, refs in told
        if refs
    ]
    return "".join(f"\n{part}" for part in parts)


def list_unseen(report: Answer, page: Page) -> tuple[str, ...]:
    """Return one row for each object or question that a scan missed."""
    return tuple(describe_unseen(report.not_seen, page))
