"""What was answered to fresh batches stays as it was first told."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections import Counter

import pytest
from scripts.accuracy import FIRST_SIGHT, OUTCOMES, TOP, asked, counts_of, interval
from scripts.batches.questions import directory, questions

BATCHES = {batch["batch"]: batch for batch in asked()}


def told_before() -> list[str]:
    """Return the file as each commit has it; nothing in a copy without its history."""
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
    assert set(BATCHES) == {int(answers.parent.name) for answers in directory(0).parent.glob("*/answers")}


@pytest.mark.parametrize("number", BATCHES)
def test_nothing_is_dropped_after_asking(number: int) -> None:
    batch = BATCHES[number]
    ids = {question.id for question in questions(number)}
    graded = tomllib.loads((directory(number) / "grades.toml").read_text("utf-8"))["answers"]
    held = [file for file in (directory(number) / "answers").glob("*.txt") if "\ntook hold: yes\n" in file.read_text("utf-8")]
    assert {file.stem for file in (directory(number) / "answers").glob("*.txt")} == ids == {one["id"] for one in graded}
    assert (batch["asked"], batch["held"]) == (len(ids), len(held))
    assert Counter({word: count for word, count in counts_of(batch).items() if count}) == Counter(
        one["outcome"].replace("-", "_") for one in graded
    )
    assert sum(counts_of(batch).values()) == batch["asked"]


def test_a_share_lies_within_its_interval() -> None:
    for of in (1, 39):
        for hits in range(of + 1):
            low, high = interval(hits, of)
            assert 0 <= low <= hits / of <= high <= 1
    assert set(OUTCOMES) == set(counts_of(asked()[0]))
