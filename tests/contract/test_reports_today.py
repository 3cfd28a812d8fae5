"""Right answers to public reports stay right, and every report is labelled."""

from __future__ import annotations

import tomllib

import pytest
from scripts.ask_reports import locate_reports, read_reports
from scripts.report_accuracy import AnsweredReport, answer_reports, list_sets, read_labels

from unstuck.engine.discover import list_causes

SETS = list_sets()


@pytest.fixture(scope="module", params=SETS)
def answered(request: pytest.FixtureRequest) -> tuple[int, list[AnsweredReport]]:
    return request.param, answer_reports((request.param,))


def read_right(number: int) -> set[str]:
    """Return the ids of the reports with a first answer graded right."""
    graded = tomllib.loads((locate_reports(number) / "grades.toml").read_text("utf-8"))["answers"]
    return {one["id"] for one in graded if one["outcome"] == "right"}


def test_every_report_is_labelled_with_causes_of_the_catalogue() -> None:
    labels = read_labels()
    assert set(labels) == {report.id for number in SETS for report in read_reports(number)}
    assert {cause for causes in labels.values() for cause in causes} <= {cause.id for cause in list_causes()}


def test_an_answer_that_was_right_is_right_today(answered: tuple[int, list[AnsweredReport]]) -> None:
    number, answers = answered
    right = read_right(number)
    lost = [
        f"{one.report.id}: {one.told[0].id if one.told else 'nothing'}, not {' or '.join(one.label)}"
        for one in answers
        if one.report.id in right and one.report.determinable and not one.is_right
    ]
    assert not lost


def test_where_silence_was_right_no_other_cause_is_told(answered: tuple[int, list[AnsweredReport]]) -> None:
    number, answers = answered
    right = read_right(number)
    wrong = [
        f"{one.report.id}: {one.claimed.id}"
        for one in answers
        if one.report.id in right and one.claimed is not None and not one.is_right
    ]
    assert not wrong
