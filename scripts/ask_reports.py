"""`python -m scripts.ask_reports N [--only ID]`: give each report of tests/reports/N to `unstuck read`, and
keep the answer as printed.

Answers are written to tests/reports/N/answers/ID.txt, with the commit and the exit status; an answered report
is not asked again. Reports are asked once: their first answers are their figure.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml
from scripts.commit import read_head_commit

from unstuck_lab.asking import UNSTUCK

REPORTS = Path(__file__).parents[1] / "tests" / "reports"
_PATIENCE = 120


@dataclass(frozen=True)
class PublicReport:
    """A user's paste. determinable: whether an expert can determine the cause from it."""

    id: str
    text: str
    determinable: bool


def locate_reports(number: int) -> Path:
    """Return the directory of a set of reports."""
    return REPORTS / str(number)


def read_reports(number: int) -> tuple[PublicReport, ...]:
    """Read a set of reports, in their author's order."""
    written = yaml.safe_load((locate_reports(number) / "reports.yaml").read_text("utf-8"))["reports"]
    return tuple(
        PublicReport(one["id"], one["text"], one["determinable"] in (True, "yes")) for one in written
    )


def main() -> int:
    """Ask the unanswered reports. Return 0 if all of them were asked."""
    asked = argparse.ArgumentParser(prog="scripts.ask_reports", description=__doc__)
    asked.add_argument("number", type=int)
    asked.add_argument("--only", help="one report's id")
    chosen = asked.parse_args()
    answers = locate_reports(chosen.number) / "answers"
    answers.mkdir(exist_ok=True)
    commit = read_head_commit()[:12]
    for report in read_reports(chosen.number):
        file = answers / f"{report.id}.txt"
        if not file.exists() and chosen.only in (None, report.id):
            file.write_text(f"commit: {commit}\n{_save_answer(report)}", "utf-8")
    return 0


def _save_answer(report: PublicReport) -> str:
    printed = []
    for shape in ((), ("-o", "json")):
        argv = [UNSTUCK, "read", *shape, "-"]
        done = subprocess.run(
            argv, input=report.text, capture_output=True, text=True, check=False, timeout=_PATIENCE
        )
        printed.append(f"status: {done.returncode}\n\n{done.stdout}{done.stderr}")
    return "\n== json\n".join(printed)


if __name__ == "__main__":
    sys.exit(main())
