"""Today's answers to public reports, compared with their labels (tests/reports/labels.toml).

All of them have been seen by the developers since: these figures show weaknesses and the cost of a change,
not the accuracy at first sight.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.ask_reports import REPORTS, PublicReport, read_reports

from unstuck import api
from unstuck.api import Diagnosis
from unstuck.errors import UnstuckError

_LABELS = REPORTS / "labels.toml"
_AMONG = 3
NO_CAUSE = "not in the catalogue"


@dataclass(frozen=True)
class ToldCause:
    """A cause in an answer, by its id. confidence: "possible" for a lead of an undecided answer, too."""

    id: str
    confidence: str


@dataclass(frozen=True)
class AnsweredReport:
    """A report with the causes reported today, in order, and the catalogue's ids of its thread's root cause,
    none if it is not in the catalogue.
    """

    report: PublicReport
    told: tuple[ToldCause, ...]
    label: tuple[str, ...]

    @property
    def claimed(self) -> ToldCause | None:
        """The first cause, if reported as likely or proven."""
        return self.told[0] if self.told and self.told[0].confidence != "possible" else None

    @property
    def is_right(self) -> bool:
        """Whether the first cause is claimed and equals the thread's."""
        return self.claimed is not None and self.claimed.id in self.label

    @property
    def is_among_first(self) -> bool:
        """Whether the thread's cause is among the first three, at least as possible."""
        return any(cause.id in self.label for cause in self.told[:_AMONG])


def read_labels() -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the root cause of each report."""
    return {id_: tuple(causes) for id_, causes in tomllib.loads(_LABELS.read_text("utf-8")).items()}


def list_sets() -> tuple[int, ...]:
    """Return the numbers of the asked sets, in order."""
    return tuple(sorted(int(answers.parent.name) for answers in REPORTS.glob("*/answers")))


def answer_reports(sets: Iterable[int]) -> list[AnsweredReport]:
    """Answer every report of these sets with the current product."""
    labels = read_labels()
    with tempfile.TemporaryDirectory() as directory:
        pasted = Path(directory) / "pasted.txt"
        return [
            AnsweredReport(report, _list_causes(report, pasted), labels[report.id])
            for number in sets
            for report in read_reports(number)
        ]


def _list_causes(report: PublicReport, pasted: Path) -> tuple[ToldCause, ...]:
    """Return the causes of the first answer, then of the others. pasted: a file to write the text to."""
    pasted.write_text(report.text, "utf-8")
    try:
        answer = api.read(str(pasted))
    except UnstuckError:  # no line of it is recognised
        return ()
    return tuple(cause for diagnosis in answer.diagnoses for cause in _list_reported_causes(diagnosis))


def _list_reported_causes(diagnosis: Diagnosis) -> Iterator[ToldCause]:
    for cause in diagnosis.causes:
        yield ToldCause(cause.id, cause.confidence)
    for place in diagnosis.shortlist.places:
        yield from (ToldCause(lead, "possible") for lead in place.causes)


def name_family(cause: str) -> str:
    """Return the family of a cause, by its id."""
    return cause.partition(".")[0]
