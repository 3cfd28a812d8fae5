"""The pure parts of the command line."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from tests.render.support import NOW, POD
from unstuck.cli.duration import Duration
from unstuck.cli.lang import language
from unstuck.cli.main import program
from unstuck.cli.run import run
from unstuck.cli.status import status_of
from unstuck.diagnosis.answer import Answer, CauseMatch, Diagnosis, State, StateName
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB", "LC_ALL": "zh"}, "zh"),
        ({"LANG": "", "LC_ALL": ""}, "en"),
        ({"LANG": "C"}, "en"),
    ],
)
def test_language(environ: dict[str, str], lang: str) -> None:
    assert language(environ) == lang


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("5m", 300),
        ("1h30m", 5400),
        ("15", 15),
        ("0", 0),
        ("1.5m", 90),
        ("2d", 172800),
        ("365d", 31536000),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize(
    "text", ["", "m", "5 minutes", "-5s", "1h-5m", "1e9", "5x", "3651d", "9" * 400, "9" * 400 + "h"]
)
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Duration().convert(text, None, None)


def diagnosis(state: StateName, known: bool) -> Diagnosis:
    told = (CauseMatch("a.b", Text("", ""), "likely", Finding(Text("", ""), POD, ()), ()),) if known else ()
    return Diagnosis(POD, State(state, Text("", "")), (), told, (), ())


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ([], 0),
        ([("fine", False)], 0),
        ([("progressing", False)], 0),
        ([("progressing", True)], 1),
        ([("fine", True)], 1),
        ([("held", False)], 0),
        ([("held", True)], 1),
        ([("stuck", True)], 1),
        ([("stuck", False)], 2),
        ([("unknown", False)], 2),
        ([("fine", False), ("unknown", False), ("stuck", True)], 1),
        ([("progressing", False), ("unknown", False)], 2),
    ],
)
def test_status(found: list[tuple[StateName, bool]], status: int) -> None:
    assert status_of(Answer(NOW, (), tuple(diagnosis(*f) for f in found))) == status


def test_an_internal_error_is_one_line_and_a_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("odd\x1b[2J")

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("unstuck.render.schema.make_schema", broken)
    assert run(["schema"], "unstuck") == 70
    said = capsys.readouterr().err
    (report,) = tmp_path.glob("unstuck-report-*.txt")
    assert str(report) in said and len(said.splitlines()) == 1 and "\x1b" not in said
    assert "ZeroDivisionError" in report.read_text() and "unstuck 0." in report.read_text()


def test_how_it_is_called() -> None:
    assert program("/usr/bin/kubectl-unstuck") == "kubectl unstuck"
    assert program("/usr/bin/unstuck") == "unstuck"
