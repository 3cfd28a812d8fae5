"""`python -m benchmarks.next_on_reports [DIRECTORY...]`: the causes named by the answers to real reports, and
the proposed commands.

A report is a directory with `input.txt` (its author's text) and `label.json` (the right causes). Without
DIRECTORY: the development sets, which not every checkout has beside it. Goals: at most five leads, one NEXT
and at most one alternative command in every undecided answer. `-v` prints a row for each undecided answer.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers_over_reports import LEADS, SETS

from unstuck.api.reading import TextQuestion, read_paths, report_read
from unstuck.diagnosis.answer import Diagnosis
from unstuck.errors import InputError


@dataclass(frozen=True)
class Open:
    """One undecided answer. accepted: the right ids for its report."""

    report: str
    diagnosis: Diagnosis
    accepted: frozenset[str]

    @property
    def still_right(self) -> bool:
        """Whether a right cause is still open, and so could be a lead."""
        return any(o.id in self.accepted for o in self.diagnosis.undecided)

    @property
    def leads_right(self) -> bool:
        """Whether a right cause is among the leads."""
        return not self.accepted.isdisjoint(self.diagnosis.leads)


def list_undecided(report: Path) -> list[Open]:
    """Return the answers of one report without a cause."""
    label = report / "label.json"
    accepted = (
        frozenset(json.loads(label.read_text("utf-8")).get("accepts") or ())
        if label.is_file()
        else frozenset()
    )
    snap, seen = read_paths((str(report / "input.txt"),))
    try:
        whole = report_read((), snap, seen, TextQuestion()).answer
    except InputError:
        return []
    open_ = (d for d in whole.diagnoses if d.state.name in ("stuck", "unknown") and not d.causes)
    return [Open(report.name, d, accepted) for d in open_]


def main(directories: Sequence[Path], rows: bool = False) -> int:
    """Print the figures and return the exit status, 1 if a goal is missed. rows: whether to print a row for
    each undecided answer.
    """
    reports = sorted(r for d in directories for r in d.iterdir() if (r / "input.txt").is_file())
    found = [one for report in reports for one in list_undecided(report)]
    if rows:
        for one in found:
            nexts = [f"{n.at}: {n.command.line or '-'} ({n.expected})" for n in one.diagnosis.next]
            right = "right" if one.leads_right else "open" if one.still_right else "-"
            print(
                f"{one.report} {one.diagnosis.subject} {right} [{', '.join(one.diagnosis.leads)}]\n    "
                + "\n    ".join(nexts)
            )
    print(f"{len(reports)} reports, {len(found)} undecided answers")
    print(
        f"leads: at most {max((len(o.diagnosis.leads) for o in found), default=0)}; none: "
        f"{sum(not o.diagnosis.leads for o in found)}"
    )
    told = [o for o in found if o.still_right and o.diagnosis.leads]
    print(
        f"a right cause is open and leads are told: {len(told)}, it is among them: "
        f"{sum(o.leads_right for o in told)}"
    )
    print(
        f"without a NEXT: {sum(not o.diagnosis.next for o in found)}; more than two: "
        f"{sum(len(o.diagnosis.next) > 2 for o in found)}"
    )
    where = Counter(o.diagnosis.next[0].at.partition(":")[0] for o in found if o.diagnosis.next)
    print("NEXT is run " + ", ".join(f"{at}: {n}" for at, n in where.most_common()))
    amiss = [o for o in found if not 1 <= len(o.diagnosis.next) <= 2 or len(o.diagnosis.leads) > LEADS]
    print(f"{len(found)} undecided answers looked at, {len(amiss)} of them not as they should be")
    return 1 if amiss else 0


if __name__ == "__main__":
    raise SystemExit(main([Path(p) for p in sys.argv[1:] if p != "-v"] or SETS, "-v" in sys.argv))
