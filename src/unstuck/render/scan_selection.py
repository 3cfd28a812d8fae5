"""The content of a scan in every format: stuck and possibly stuck objects, their incidents, and the rest."""

from __future__ import annotations

from collections import Counter

from unstuck.diagnosis.answer import Answer, CauseMatch, Diagnosis, Incident, StateName, is_urgent
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.page import Page
from unstuck.render.visible import visible

_HELD = {"Deployment": "held_scaled", "Job": "held_suspended", "Node": "held_cordoned"}


@record()
class ScanSelection(Record):
    """stuck, unknown: the numbers of such objects. urgent: their incidents. without: objects without a cause
    or an incident, stuck ones first.

    ignored: whether known troubles were left out. whole: whether all requested objects could be seen. alike:
    the number of unread objects that look like examined members.
    """

    whole: bool
    alike: int
    stuck: int
    unknown: int
    urgent: tuple[Incident, ...]
    without: tuple[Diagnosis, ...]
    ignored: bool = False

    @property
    def mark(self) -> StateName:
        """The state of the whole scan: unseen objects do not count as fine."""
        return "stuck" if self.stuck else "fine" if self.whole and not self.unknown else "unknown"


def select_incidents(report: Answer) -> ScanSelection:
    """Select the visible parts of a scan."""
    # A proven obstacle does not resolve itself within the expected time.
    stuck = [d for d in report.diagnoses if d.urgent and d.state.name != "unknown"]
    unknown = [d for d in report.diagnoses if d.state.name == "unknown"]
    urgent_ = tuple(i for i in report.incidents if is_urgent(i, report.diagnoses))
    held = {m for i in report.incidents for m in i.members}
    return ScanSelection(
        whole=not report.not_seen,
        alike=len({m for i in urgent_ for m in i.alike}),
        stuck=len(stuck),
        unknown=len(unknown),
        urgent=urgent_,
        ignored=bool(report.ignored),
        without=tuple(d for d in (*stuck, *unknown) if not d.causes and d.subject not in held),
    )


def list_head_parts(shown: ScanSelection, report: Answer, page: Page) -> list[str]:
    """Return the parts of the first line: scope, counts, confidence, objects within their expected time, and
    the time.
    """
    where = ", ".join(s.removeprefix("live:") for s in report.sources[:1])
    head = where + page.word("colon") if where else ""
    late = Counter(
        any(s.id == "gone" for s in d.stages)
        for d in report.diagnoses
        if d.state.name == "progressing" and not d.urgent
    )
    waiting = [
        page.word(word, n=late[going])
        for going, word in ((False, "scan_starting"), (True, "scan_going"))
        if late[going]
    ]
    at = [f"{report.at:%H:%M:%S}Z"]
    if not shown.stuck and not shown.unknown:
        fine = "nothing_else" if shown.ignored else "scan_fine"
        return [visible(head) + page.word(fine if shown.whole else "scan_none_seen"), *waiting, *at]
    told = Counter(root.confidence if (root := find_root(i, report)) else "open" for i in shown.urgent)
    sure = [f"{told[word]} {page.word(word)}" for word in ("proven", "likely", "open") if told[word]]
    alike = page.word("alike_count", n=shown.alike) if shown.alike else ""
    objects = shown.stuck + shown.unknown
    incidents = len(shown.urgent) + len(shown.without)
    count = page.word("scan_incident" if incidents == 1 else "scan_incidents", n=incidents)
    those = page.word("scan_object" if objects == 1 else "scan_objects", n=objects)
    return [visible(head) + count + page.word("comma") + those + alike, "  ".join(sure), *waiting, *at]


def write_headline(shown: ScanSelection, report: Answer, page: Page) -> str:
    """Return the first line."""
    return page.word("dot").join(part for part in list_head_parts(shown, report, page) if part)


def name_hold(ref: Ref, page: Page) -> str:
    """Name an object's hold: a scan's tables show one way for each kind."""
    return page.word(_HELD.get(ref.kind, "held"))


def list_examined(incident: Incident) -> tuple[Ref, ...]:
    """Return the examined members."""
    alike = set(incident.alike)
    return tuple(m for m in incident.members if m not in alike)


def find_root(incident: Incident, report: Answer) -> CauseMatch | None:
    """Return the incident's root cause, from its representative's answer; None if none is known."""
    causes = report.diagnoses[incident.representative].causes
    return next((t for t in causes if t.id == incident.cause and t.consequence_of is None), None)
