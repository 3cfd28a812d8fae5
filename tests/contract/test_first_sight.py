"""First answers to fresh batches never change."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections import Counter

import pytest
from scripts.accuracy import (
    FIRST_SIGHT,
    OUTCOMES,
    TOP,
    compute_interval,
    read_batches,
    read_counts,
    read_report_sets,
)
from scripts.ask_reports import locate_reports as reports_directory
from scripts.ask_reports import read_reports
from scripts.batches.questions import locate_batch, read_questions

BATCHES = {batch["batch"]: batch for batch in read_batches()}
REPORTS = {row["reports"]: row for row in read_report_sets()}


def told_before() -> list[str]:
    """Return the file's versions in all commits; nothing in a copy without history."""
    if not (TOP / ".git").exists() or shutil.which("git") is None:
        return []
    name = str(FIRST_SIGHT.relative_to(TOP))
    return [git("show", f"{commit}:{name}") for commit in git("log", "--format=%H", "--", name).split()]


def git(*words: str) -> str:
    argv = ["git", "-c", "safe.directory=*", *words]
    return subprocess.run(argv, cwd=TOP, capture_output=True, text=True, check=True).stdout


def test_lines_are_added_and_none_is_changed() -> None:
    now = FIRST_SIGHT.read_text("utf-8")
    for before in told_before():
        assert now.startswith(before.rstrip("\n"))


def test_every_batch_that_has_answers_is_told() -> None:
    assert set(BATCHES) == {int(answers.parent.name) for answers in locate_batch(0).parent.glob("*/answers")}


@pytest.mark.parametrize("number", BATCHES)
def test_nothing_is_dropped_after_asking(number: int) -> None:
    batch = BATCHES[number]
    ids = {question.id for question in read_questions(number)}
    graded = tomllib.loads((locate_batch(number) / "grades.toml").read_text("utf-8"))["answers"]
    held = [
        file
        for file in (locate_batch(number) / "answers").glob("*.txt")
        if "\ntook hold: yes\n" in file.read_text("utf-8")
    ]
    assert (
        {file.stem for file in (locate_batch(number) / "answers").glob("*.txt")}
        == ids
        == {one["id"] for one in graded}
    )
    assert (batch["asked"], batch["held"]) == (len(ids), len(held))
    assert Counter({word: count for word, count in read_counts(batch).items() if count}) == Counter(
        one["outcome"].replace("-", "_") for one in graded
    )
    assert sum(read_counts(batch).values()) == batch["asked"]


def test_every_set_of_reports_that_has_answers_is_told() -> None:
    assert set(REPORTS) == {
        int(answers.parent.name) for answers in reports_directory(0).parent.glob("*/answers")
    }


@pytest.mark.parametrize("number", REPORTS)
def test_no_report_is_dropped_after_asking(number: int) -> None:
    row, asked_about = REPORTS[number], read_reports(number)
    graded = tomllib.loads((reports_directory(number) / "grades.toml").read_text("utf-8"))["answers"]
    answers = {file.stem for file in (reports_directory(number) / "answers").glob("*.txt")}
    assert answers == {report.id for report in asked_about} == {one["id"] for one in graded}
    assert len(asked_about) == len(graded) == row["asked"] == sum(read_counts(row).values())
    determinable = {report.id for report in asked_about if report.determinable}
    assert row["determinable"] == len(determinable)
    assert row["right_of_determinable"] == sum(
        one["outcome"] == "right" and one["id"] in determinable for one in graded
    )
    assert Counter({word: count for word, count in read_counts(row).items() if count}) == Counter(
        one["outcome"].replace("-", "_") for one in graded
    )


def test_a_share_lies_within_its_interval() -> None:
    for of in (1, 39):
        for hits in range(of + 1):
            low, high = compute_interval(hits, of)
            assert 0 <= low <= hits / of <= high <= 1
    assert set(OUTCOMES) == set(read_counts(read_batches()[0]))
