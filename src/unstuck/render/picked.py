"""What every format shows of a scan: what is stuck or may be, the incidents among it, and what belongs to none."""

from __future__ import annotations

from collections import Counter

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, Incident, Report, StateName
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.page import Page, reach_words


@record()
class Picked(Record):
    """stuck, unknown: how many. urgent: incidents of these. without: what has no cause and is in no incident, what is stuck first.

    whole: whether all that was asked for could be seen. alike: how many that were not read look like members that were.
    """

    whole: bool
    alike: int
    stuck: int
    unknown: int
    urgent: tuple[Incident, ...]
    without: tuple[Diagnosis, ...]

    @property
    def mark(self) -> StateName:
        """The state of all of it: what was not seen is not known to be fine."""
        return "stuck" if self.stuck else "fine" if self.whole and not self.unknown else "unknown"


def picked(report: Report) -> Picked:
    """Of all that was looked at."""
    stuck = [d for d in report.diagnoses if d.state.name == "stuck"]
    unknown = [d for d in report.diagnoses if d.state.name == "unknown"]
    urgent = tuple(i for i in report.incidents if report.diagnoses[i.representative].state.name in ("stuck", "unknown"))
    held = {m for i in report.incidents for m in i.members}
    return Picked(
        whole=not report.not_seen,
        alike=len({m for i in urgent for m in i.alike}),
        stuck=len(stuck),
        unknown=len(unknown),
        urgent=urgent,
        without=tuple(d for d in (*stuck, *unknown) if not d.causes and d.subject not in held),
    )


def headline(shown: Picked, page: Page) -> str:
    """The first line."""
    if not shown.stuck and not shown.unknown:
        return page.word("scan_fine" if shown.whole else "scan_none_seen")
    counts = {"stuck": shown.stuck, "unknown": shown.unknown, "incidents": len(shown.urgent)}
    return page.word("scan_alike", alike=shown.alike, **counts) if shown.alike else page.word("scan_stuck", **counts)


def read_of(incident: Incident) -> tuple[Ref, ...]:
    """The members that were read."""
    alike = set(incident.alike)
    return tuple(m for m in incident.members if m not in alike)


def reach_of(incident: Incident, page: Page) -> str:
    """Whom it reaches, counted: what was read, and how many only look alike."""
    read = Counter(dict(incident.reach))
    read.subtract(m.kind for m in incident.alike if m != incident.culprit)
    words = reach_words((kind, n) for kind, n in read.items() if n > 0)
    return words + (page.word("and_alike", n=len(incident.alike)) if incident.alike else "")


def root_of(incident: Incident, report: Report) -> CauseMatch | None:
    """What the incident comes from, as its representative tells it; None where that is not known."""
    causes = report.diagnoses[incident.representative].causes
    return next((t for t in causes if t.id == incident.cause and t.consequence_of is None), None)
