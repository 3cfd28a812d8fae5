"""Writes docs/accuracy.md from the first answers to fresh batches (docs/accuracy/first-sight.toml), or
with `--check` compares it.
"""

from __future__ import annotations

import math
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts import generated
from scripts.report_accuracy import NO_CAUSE, AnsweredReport, answer_reports, list_sets, name_family

TOP = Path(__file__).parents[1]
FIRST_SIGHT = TOP / "docs" / "accuracy" / "first-sight.toml"
PAGE = TOP / "docs" / "accuracy.md"
# The possible grades of an answer; the counts of a batch add up to the number of questions.
OUTCOMES = {
    "right": "the accepted cause is first, likely or proven, with every required "
    "name and no forbidden statement;"
    " a healthy object is reported as well, or held",
    "half": "one of two troubles, or the right cause not first or not whole",
    "open": "undecided, nothing false, and an expert finds everything needed",
    "unhelpful": "undecided, or a true step that leads no further",
    "wrong": "a cause above possible that is not the root, or a claim or advice that must not be given",
    "false_fine": "✓ for something broken, or exit status 0 and no cause",
    "not_held": "the fault did not take hold, so its answer says nothing",
}
_NORMAL = 1.96  # of the 95 % interval
_HEAD = """<!-- written by `make docs` -->
# How often the first answer is right

A batch is forty faults with the right answer for each, written by an author who had read neither causes nor
code, before anything was asked (`tests/batches/N/questions.yaml`). Each is applied to a lab of its own and
asked about once; the answers are kept as they were printed (`answers/`) and graded by a person who has not
changed the product (`grades.toml`, `grades.md`). No question is dropped after asking: a fault that did not
take hold is counted as that. Once asked, a batch is a test and no longer a measure. *Determinable* questions
are those that, according to their author, the visible evidence can decide; the interval is Wilson's, 95 %.
"""
_REPORTS = """## Public reports

Fifty texts from public threads, with the cause that the thread confirms, collected and labelled before
anything was asked (`tests/reports/N`). Each is given to `unstuck read` once. If the text does not decide, an
answer without claims whose next command leads further is right, too.
"""
_TODAY = """## The same public reports today

Not a measure: whoever changed the product has seen these texts. All sets above are answered again by the
product as it is and held against the ids that the thread's cause has in the catalogue
(`tests/reports/labels.toml`, labelled without a look at answers). *Silent*: no cause is told as likely or
proven. *Among three*: the first three causes, with the leads of an undecided answer.
"""
_LIKELY = """### How often *likely* is right today

By the first cause of each answer. *Undecidable*: those of them about a text that does not decide by its
author's judgement, whether or not the claim is the thread's cause.
"""


def read_counts(batch: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of answers per grade, 0 for a grade missing from the row."""
    return {outcome: batch.get(outcome, 0) for outcome in OUTCOMES}


def read_batches() -> list[dict[str, Any]]:
    """Read all asked batches of faults, in order."""
    return list(tomllib.loads(FIRST_SIGHT.read_text("utf-8"))["asked"])


def read_report_sets() -> list[dict[str, Any]]:
    """Read all asked sets of public reports, in order."""
    return list(tomllib.loads(FIRST_SIGHT.read_text("utf-8")).get("reports", []))


def make_page() -> str:
    """Return the page's text. It reads every public report, which takes seconds."""
    graded = "\n".join(f"- *{word.replace('_', '-')}*: {meaning}." for word, meaning in OUTCOMES.items())
    return (
        f"{_HEAD}\n{_make_table('batch', ('asked', 'held', 'determinable'), read_batches())}\n{_REPORTS}\n"
        f"{_make_table('reports', ('asked', 'determinable'), read_report_sets())}\n## How an answer is "
        f"graded\n\n{graded}\n\n{_make_todays_tables()}"
    )


def _make_todays_tables() -> str:
    answered = answer_reports(list_sets())
    return f"{_TODAY}\n{_make_family_table(answered)}\n{_LIKELY}\n{_make_likely_table(answered)}"


def _make_family_table(answered: Sequence[AnsweredReport]) -> str:
    """Return a table of the determinable reports by the family of the thread's cause."""
    families: dict[str, list[AnsweredReport]] = defaultdict(list)
    for one in answered:
        if one.report.determinable:
            families[name_family(one.label[0]) if one.label else NO_CAUSE].append(one)
    heads = ["family of the cause", "reports", "right and first", "right among three", "silent", "wrong"]
    return _lay_out_families(heads, families, _make_family_row)


def _make_family_row(family: str, answered: Sequence[AnsweredReport]) -> list[str]:
    silent = sum(one.claimed is None for one in answered)
    right = sum(one.is_right for one in answered)
    among = sum(one.is_among_first for one in answered)
    return [family, *map(str, (len(answered), right, among, silent, len(answered) - right - silent))]


def _make_likely_table(answered: Sequence[AnsweredReport]) -> str:
    """Return a table of the causes reported first as likely, by their family."""
    families: dict[str, list[AnsweredReport]] = defaultdict(list)
    for one in answered:
        if one.claimed is not None and one.claimed.confidence == "likely":
            families[name_family(one.claimed.id)].append(one)
    heads = ["family of the told cause", "told as likely", "right", "undecidable"]
    return _lay_out_families(heads, families, _make_likely_row)


def _make_likely_row(family: str, claims: Sequence[AnsweredReport]) -> list[str]:
    right = sum(one.is_right for one in claims)
    undecidable = sum(not one.report.determinable for one in claims)
    return [family, str(len(claims)), _make_share(right, len(claims)), str(undecidable)]


def _make_table(of: str, counted: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table with a row for each run. of: the kind of questions. counted: its numbers besides the
    grades.
    """
    words = {"asked": "questions", "held": "took hold"}
    heads = [
        of,
        "asked at",
        *(words.get(w, w) for w in counted),
        *(w.replace("_", "-") for w in OUTCOMES),
        "right of determinable",
    ]
    return _lay_out([heads, *(_make_row(of, counted, row) for row in rows)])


def _lay_out_families(
    heads: Sequence[str],
    families: Mapping[str, Sequence[AnsweredReport]],
    make_row: Callable[[str, Sequence[AnsweredReport]], list[str]],
) -> str:
    """Return a table with a row for each family, and one for all of them."""
    rows = [make_row(family, families[family]) for family in sorted(families)]
    return _lay_out([heads, *rows, make_row("**all**", [one for of in families.values() for one in of])])


def _lay_out(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table. rows: the heads first."""
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _make_row(of: str, counted: Sequence[str], row: Mapping[str, Any]) -> list[str]:
    # An answer without claims to an undeterminable question is right, but does not count in this share.
    right = row.get("right_of_determinable", row["right"])
    return [
        str(row[of]),
        f"{row['date']}, {row['commit']}",
        *(str(row[w]) for w in counted),
        *map(str, read_counts(row).values()),
        _make_share(right, row["determinable"]),
    ]


def _make_share(hits: int, of: int) -> str:
    low, high = compute_interval(hits, of)
    return f"{hits / of:.0%} ({low:.0%}–{high:.0%})"


def compute_interval(hits: int, of: int) -> tuple[float, float]:
    """Compute Wilson's 95 % interval of a share."""
    share, z2 = hits / of, _NORMAL**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _NORMAL * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def main() -> int:
    """Return 0, or 1 if `--check` finds a different page."""
    return generated.main(PAGE, make_page())


if __name__ == "__main__":
    sys.exit(main())
