"""`python -m benchmarks.answers_over_reports [DIRECTORY...]`: how much a person has to read of the answers to
real reports, at 80 columns.

A report is a directory with `input.txt` (its author's text). Without DIRECTORY: the development sets, which
not every checkout has beside it. Goals: no answer about one object beyond 24 lines, five leads at most, a
NEXT in every undecided answer, one for a whole report, and no object named after the lines of its text.
`--longest N` prints the N longest answers. The exit status is 1 if one of the first four is not met.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unstuck.api.reading import TextQuestion, read_paths, report_read
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.errors import InputError
from unstuck.render.cells import count_cells
from unstuck.render.text import write_text

_SHARED = next(
    (found for up in Path(__file__).resolve().parents if (found := up / "shared").is_dir()), Path("shared")
)
SETS = (_SHARED / "cases", _SHARED / "cases2")
WIDTH = 80
LINES = 24
LEADS = 5
_BY_LINES = re.compile(r"input\.txt(?::|, lines? )\d")
_NEXT = re.compile(r"^\s*(?:NEXT|PROVE|decide)\b", re.M)
_ONE_NEXT = re.compile(r"^NEXT\b", re.M)
_ID = re.compile(r"\b[a-z]+\.[a-z]+(?:-[a-z0-9]+)+\b")


@dataclass(frozen=True)
class Told:
    """The printed answer about one object. leads: the number of named open causes."""

    report: str
    text: str
    decided: bool
    leads: int

    @property
    def lines(self) -> int:
        """Rows on the terminal: a long command takes several."""
        return sum(max(1, -(-count_cells(one) // WIDTH)) for one in self.text.splitlines())


@dataclass(frozen=True)
class Whole:
    """The whole printed answer to one report. objects: the answers about each of its objects, worst first."""

    report: str
    text: str
    objects: tuple[Told, ...]

    @property
    def open(self) -> bool:
        """Whether any part of the answer is undecided."""
        return any(not one.decided for one in self.objects)

    @property
    def asks(self) -> int:
        """The number of next commands, without alternatives."""
        return len(_ONE_NEXT.findall(self.text))


def list_answers(report: Path) -> Whole:
    """Return the answer to one report."""
    snap, seen = read_paths((str(report / "input.txt"),))
    try:
        whole = report_read((), snap, seen, TextQuestion()).answer
    except InputError:
        return Whole(report.name, "", ())
    return Whole(
        report.name,
        write_text(whole, "en", WIDTH, colour=False),
        tuple(_list_printed_answers(report.name, whole)),
    )


def _list_printed_answers(report: str, whole: Answer) -> Iterator[Told]:
    for d in whole.diagnoses:
        shown = write_text(
            replace(whole, diagnoses=(d,), incidents=(), left_out=()), "en", WIDTH, colour=False
        )
        told = {t.id for t in d.causes}
        yield Told(
            report, shown, _is_decided(d), len({i for i in _ID.findall(shown) if _is_open(i, d)} - told)
        )


def _is_decided(d: Diagnosis) -> bool:
    return bool(d.causes) or d.state.name in ("fine", "progressing")


def _is_open(id_: str, d: Diagnosis) -> bool:
    return any(o.id == id_ for o in d.undecided)


def main(directories: Sequence[Path], longest: int = 0) -> int:
    """Print the figures, and the longest answers in full; return the exit status."""
    reports = sorted(r for d in directories for r in d.iterdir() if (r / "input.txt").is_file())
    found = [list_answers(r) for r in reports]
    told = sorted((one for of in found for one in of.objects), key=lambda one: -one.lines)
    if not told:
        raise SystemExit("no report in any of these directories")
    print(
        f"{len(reports)} reports, {sum(bool(of.objects) for of in found)} of them with an answer, "
        f"{len(told)} objects"
    )
    print(
        f"longest answer about one object: {told[0].lines} lines ({told[0].report}); of a whole report: "
        f"{_find_longest(found)}"
    )
    print(f"over {LINES} lines: {sum(one.lines > LINES for one in told)}")
    print(
        "headed by the lines it was read from: "
        f"{sum(bool(_BY_LINES.search(one.text.splitlines()[0])) for one in told)}"
    )
    print(
        f"over {LEADS} leads: {sum(one.leads > LEADS for one in told)}, at most "
        f"{max(one.leads for one in told)}"
    )
    open_ = [one for one in told if not one.decided]
    without = [one for one in open_ if not _NEXT.search(one.text)]
    print(f"undecided: {len(open_)}, without a NEXT: {len(without)}")
    asked = [of for of in found if of.open]
    astray = [of for of in asked if of.asks != 1]
    print(
        f"reports with something undecided: {len(asked)}, without exactly one NEXT for the whole: "
        f"{len(astray)}"
    )
    for one in told[:longest]:
        print(f"\n── {one.report}, {one.lines} lines\n{one.text}", end="")
    amiss = [one for one in told if one.lines > LINES or one.leads > LEADS or one in without]
    print(f"{len(told)} answers looked at, {len(amiss)} of them not as they should be")
    return 1 if amiss or astray else 0


def _find_longest(found: Sequence[Whole]) -> int:
    return max(sum(one.lines for one in of.objects) for of in found)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    most = int(wanted.pop(wanted.index("--longest") + 1)) if "--longest" in wanted else 0
    raise SystemExit(main([Path(w) for w in wanted if w != "--longest"] or SETS, most))
