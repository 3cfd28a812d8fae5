"""One command to run next for a whole text: the command, of all answers, that is expected to decide most for
its cost.

If a cluster was asked, each object was a separate question, and keeps its own command.
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.next import estimate_worth
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.placeholders import find_placeholders
from unstuck.render.similar_diagnoses import group_similar


def find_first_asked(report: Answer) -> Diagnosis | None:
    """Return the answer whose command is run first; None if there is no command, or if a cluster was
    asked.
    """
    if any(s.startswith("live:") for s in report.sources):
        return None
    asking = [group[0] for group in group_similar(report.diagnoses) if group[0].next]
    return min(asking, key=_rank, default=None)


@record()
class OneNext(Record):
    """An answer with the commands of one diagnosis alone. first: that diagnosis. before: undecided ones
    above it, which point to it.
    """

    report: Answer
    first: Diagnosis | None = None
    before: tuple[Ref, ...] = ()

    def pointed_from(self, d: Diagnosis) -> Ref | None:
        """Return the diagnosis that an undecided answer points to; None if the command is in that answer
        or above it.
        """
        return self.first.subject if self.first and d.subject in self.before else None


def place_of_first(report: Answer) -> int | None:
    """Return the index of the diagnosis that is asked about first, if there is a choice."""
    first = find_first_asked(report) if sum(bool(d.next) for d in report.diagnoses) > 1 else None
    return next((i for i, d in enumerate(report.diagnoses) if d is first), None)


def keep_one_next(report: Answer) -> OneNext:
    """Remove the commands from all answers but the one that is asked about first."""
    first = find_first_asked(report)
    if first is None:
        return OneNext(report)
    told = tuple(d if d is first else replace(d, next=()) for d in report.diagnoses)
    before = report.diagnoses[: next(i for i, d in enumerate(report.diagnoses) if d is first)]
    return OneNext(replace(report, diagnoses=told), first, tuple(d.subject for d in before if _open(d)))


def _open(d: Diagnosis) -> bool:
    return d.state.name in ("stuck", "unknown") and not d.causes


def _rank(d: Diagnosis) -> tuple[bool, bool, bool, bool, bool, float, int]:
    """Order by the reader's gain: open questions before confirmation, then commands that can be run verbatim.

    Of these, causes with support, objects known to be ill, and looks at named things; of commands of about
    the same worth the one of the object that has made the least progress.
    """
    n = d.next[0]
    spoken = any(o.possible for o in d.undecided)
    done = sum(s.state == "done" for s in d.stages)
    return (
        not _open(d),
        bool(find_placeholders(n.command.argv)),
        not spoken,
        d.state.name != "stuck",
        not n.named,
        -round(estimate_worth(n), 1),
        done,
    )
