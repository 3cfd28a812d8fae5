"""One next command for a whole text: of all answers' commands, the one with the best expected result for its
cost.

In an answer from a cluster each object is a separate question and keeps its own command.
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.next import estimate_worth
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.placeholders import find_placeholders
from unstuck.render.similar_diagnoses import group_similar


def find_first_question(report: Answer) -> Diagnosis | None:
    """Return the answer with the command to run first; None if there is no command, or for a cluster's
    answers.
    """
    if any(s.startswith("live:") for s in report.sources):
        return None
    asking = [group[0] for group in group_similar(report.diagnoses) if group[0].next]
    return min(asking, key=_rank, default=None)


@record()
class OneNext(Record):
    """An answer with commands for one diagnosis only. first: that diagnosis. before: undecided diagnoses
    above it, which point to it.
    """

    report: Answer
    first: Diagnosis | None = None
    before: tuple[Ref, ...] = ()

    def pointed_from(self, d: Diagnosis) -> Ref | None:
        """Return the subject of the diagnosis with the command, if this undecided answer stands above it."""
        return self.first.subject if self.first and d.subject in self.before else None


def find_first_index(report: Answer) -> int | None:
    """Return the index of the diagnosis with the first command, if there is a choice."""
    first = find_first_question(report) if sum(bool(d.next) for d in report.diagnoses) > 1 else None
    return next((i for i, d in enumerate(report.diagnoses) if d is first), None)


def keep_one_next(report: Answer) -> OneNext:
    """Remove the commands from all answers except the first one to ask about."""
    first = find_first_question(report)
    if first is None:
        return OneNext(report)
    told = tuple(d if d is first else replace(d, next=()) for d in report.diagnoses)
    before = report.diagnoses[: next(i for i, d in enumerate(report.diagnoses) if d is first)]
    return OneNext(replace(report, diagnoses=told), first, tuple(d.subject for d in before if _open(d)))


def _open(d: Diagnosis) -> bool:
    return d.state.name in ("stuck", "unknown") and not d.causes


def _rank(d: Diagnosis) -> tuple[bool, bool, bool, bool, bool, float, int]:
    """Return a sort key by the reader's gain: open questions before confirmation, then commands without
    placeholders.

    Further criteria, in order: causes with evidence, objects known to be stuck, looks at named things, the
    command's worth, and least progress of the object.
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
