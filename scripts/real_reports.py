"""Prints the answers of `unstuck read` to the real reports of a directory, one line each, compared with their
labels.

    .venv/bin/python -m scripts.real_reports [DIRECTORY] [REPORT...]

A report is a directory with `input.txt` (its author's text) and `label.json`: `accepts` lists the ids that
are right, `determinable` whether the text alone decides: `yes`: right, first, and at least likely; `partly`:
right among three, or the deciding fact is asked for; `no`: nothing matches. A reported cause that is not
right is wrong everywhere, unless it is shown as a consequence of one that is. Without DIRECTORY: that of the
development set, which not every checkout has beside it.
"""

from __future__ import annotations

import fnmatch
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unstuck.api.ranking import rank_diagnoses_of_text
from unstuck.api.reading import read_paths
from unstuck.diagnosis.answer import CauseMatch, Diagnosis
from unstuck.engine import list_causes

REPORTS = Path(__file__).resolve().parents[2] / "shared" / "cases"
_AMONG = 3


@dataclass(frozen=True)
class JudgedReport:
    """The comparison of one report's answer with its label. how: a short description. wrong: reported ids
    that are not accepted.
    """

    name: str
    determinable: str
    accepts: tuple[str, ...]
    right: bool
    how: str
    told: tuple[str, ...]
    wrong: tuple[str, ...]


def judge_report(folder: Path) -> JudgedReport:
    """Answer the text of one report, and judge the answer by its label."""
    label = json.loads((folder / "label.json").read_text("utf-8"))
    accepts = tuple(label["accepts"])
    snap, _ = read_paths((str(folder / "input.txt"),))
    diagnoses = rank_diagnoses_of_text(snap, list_causes()) if snap.facts else []
    told = tuple(dict.fromkeys(c.id for d in diagnoses for c in _list_roots(d)))
    right, how = _judge(label["determinable"], accepts, told, diagnoses)
    wrong = tuple(dict.fromkeys(c.id for d in diagnoses for c in d.causes if not _is_excused(c, d, accepts)))
    shown = tuple(dict.fromkeys(f"{c.id} {c.confidence}" for d in diagnoses for c in _list_roots(d)))
    return JudgedReport(folder.name, label["determinable"], accepts, right, how, shown, wrong)


def _list_roots(diagnosis: Diagnosis) -> list[CauseMatch]:
    return [c for c in diagnosis.causes if c.consequence_of is None]


def _is(id_: str, accepts: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(id_, a) for a in accepts)


def _is_excused(cause: CauseMatch, diagnosis: Diagnosis, accepts: Sequence[str]) -> bool:
    """Tell whether a cause is accepted, or shown as a consequence of an accepted one."""
    return _is(cause.id, accepts) or (
        cause.consequence_of is not None
        and _is_excused(diagnosis.causes[cause.consequence_of], diagnosis, accepts)
    )


def _judge(
    determinable: str, accepts: Sequence[str], told: Sequence[str], diagnoses: Sequence[Diagnosis]
) -> tuple[bool, str]:
    if determinable == "no":
        return (True, "nothing told") if not told else (False, "told, though the text does not decide")
    if told and _is(told[0], accepts):
        return True, "first"
    if determinable == "yes":
        return False, "not first" if any(_is(id_, accepts) for id_ in told) else "not told"
    possible = [o.id for d in diagnoses for o in d.undecided if o.possible]
    if any(_is(id_, accepts) for id_ in [*told, *dict.fromkeys(possible)][:_AMONG]):
        return True, "among three"
    if any(_is(o.id, accepts) and o.questions for d in diagnoses for o in d.undecided):
        return True, "asks for what decides"
    return False, "neither told nor asked for"


def list_reports(root: Path = REPORTS) -> Iterator[Path]:
    """List the directories of the reports, in order; none if the root does not exist."""
    return iter(sorted(p.parent for p in root.glob("*/label.json")))


def format_table(all_: Sequence[JudgedReport]) -> str:
    """Format a line for each report, and the number of right ones of each kind."""
    lines = [_format_line(j) for j in all_]
    of, good = Counter(j.determinable for j in all_), Counter(j.determinable for j in all_ if j.right)
    counts = ", ".join(f"{kind}: {good[kind]} of {of[kind]}" for kind in ("yes", "partly", "no"))
    return "\n".join([*lines, f"right: {counts}; wrong told in {sum(bool(j.wrong) for j in all_)}"])


def _format_line(j: JudgedReport) -> str:
    mark = "ok " if j.right and not j.wrong else "NO "
    wrong = f"wrong {', '.join(j.wrong)}; " if j.wrong else ""
    told = ", ".join(j.told) or "nothing"
    return f"{mark} {j.name} {j.determinable:6} {j.how:36} {wrong}wants {', '.join(j.accepts)}; told {told}"


def main(args: Sequence[str]) -> int:
    """Print the table. Return 1 if a label disagrees."""
    root = Path(args[0]) if args and Path(args[0]).is_dir() else REPORTS
    names = [a for a in args if not Path(a).is_dir()]
    found = [folder for folder in list_reports(root) if not names or folder.name in names]
    if not found:
        sys.stderr.write(f"no report in {root}\n")
        return 3
    all_ = [judge_report(folder) for folder in found]
    sys.stdout.write(format_table(all_) + "\n")
    return int(not all(j.right and not j.wrong for j in all_))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
