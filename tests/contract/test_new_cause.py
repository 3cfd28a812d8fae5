"""`make new-cause` writes a working example: each case gives its promised answer, in both languages."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import messages, new_cause
from scripts.cases import load_cases

from tests.contract.support import Loaded, is_met, judge_case
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.verdict import Match

ROOT = Path(__file__).parents[2]


@pytest.fixture
def causes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "src" / "unstuck" / "causes"
    folder.mkdir(parents=True)
    monkeypatch.setattr(new_cause, "CAUSES", folder)
    return folder


@pytest.mark.parametrize("by", new_cause.EXAMPLES)
def test_the_example_works(causes: Path, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    family = f"scaffolded{by}"
    assert new_cause.main([f"{family}.what-is-wrong", by]) == 0
    module = causes / family / "what_is_wrong.py"
    monkeypatch.syspath_prepend(str(causes))
    cause: Cause = importlib.import_module(f"{family}.what_is_wrong").CAUSE
    assert cause.id == f"{family}.what-is-wrong"
    assert messages.find_problems(module) == []
    cases = [Loaded(cause, case) for case in load_cases(module.with_suffix(".cases.md"))]
    assert {"proven", "likely", "ruled-out", "undecided"} == {c.case.expect for c in cases}
    for case in cases:
        verdict = judge_case(cause, case.subject, case.snapshot)
        assert is_met(case.case.expect, verdict), case.name
        if isinstance(verdict, Match) and case.case.says:
            assert case.case.says in verdict.finding.says.en and case.case.says in verdict.finding.says.zh
    for check in (["check", "--no-cache"], ["format", "--no-cache", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *check, "--config", str(ROOT / "pyproject.toml"), str(module)]
        done = subprocess.run(ruff, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "is no id"),
        (["volume"], "is no id"),
        (["volume.What"], "is no id"),
        (["volume.what-is-wrong", "text"], "say fact or message"),
    ],
)
def test_a_question_that_is_off_writes_nothing(
    causes: Path, capsys: pytest.CaptureFixture[str], asked: list[str], said: str
) -> None:
    assert new_cause.main(asked) == 2
    assert said in capsys.readouterr().err and not list(causes.rglob("*"))


def test_nothing_is_written_over(causes: Path) -> None:
    assert new_cause.main(["volume.what-is-wrong"]) == 0
    (causes / "volume" / "what_is_wrong.py").write_text("mine")
    assert new_cause.main(["volume.what-is-wrong", "message"]) == 2
    assert (causes / "volume" / "what_is_wrong.py").read_text() == "mine"
