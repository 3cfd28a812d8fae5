"""Every area has the page written by its acceptance."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from scripts.accept import __main__ as accept
from scripts.accept.area import find_closing_lines
from scripts.accept.areas import list_areas
from scripts.accept.page import PAGES, locate_page

from tests.node.hanging import wait_until

AREAS = {area.name: area for area in list_areas()}


ROW = re.compile(
    (
        r"^\| (?P<check>[^|]+) \| (?:(?P<none>not run) \| \| \| \| \| \||(?P<run>green|\*\*red\*\*) \| \d{4}-\d\d-\d\d \| [0-9a-f]{12} \| "
        r"\d+ \| \d+ min \d\d s \| .*\|)$"
    ),
    re.MULTILINE,
)


@pytest.mark.parametrize("name", AREAS)
def test_an_area_has_its_page_with_the_outcome_of_every_check(name: str) -> None:
    # What was run and is red stands there as red: a test that refused it would only keep it from being told.
    text = locate_page(AREAS[name]).read_text("utf-8")
    rows = list(ROW.finditer(text))
    assert [row["check"] for row in rows] == [check.name for check in AREAS[name].checks]
    told = Counter((row["none"] or row["run"]).strip("*") for row in rows)
    counts = f"- counts: {told['green']} green, {told['red']} red, {told['not run']} not run"
    assert counts in text.splitlines()


def test_there_is_no_page_without_an_area() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(AREAS)


def test_what_runners_close_with_is_counted() -> None:
    assert find_closing_lines(
        "x\n=== 3 passed, 1 failed in 2.00s ===\n  12 s  in all\nfailed: x\n\n9 passed, 1 failed\n"
    ) == ("3 passed, 1 failed in 2.00s; 12 s  in all; 9 passed, 1 failed")


def test_what_runs_beside_a_check_ends_with_it_when_it_is_killed(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    beside = f"echo $$ > {pid}; while :; do sleep 0.1; done"
    holds = (
        f"from scripts.accept.running import _beside\nwith _beside({beside!r}):\n print(flush=True)\n input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as check:
        assert check.stdout and check.stdout.readline()
        wait_until(lambda: pid.exists() and pid.read_text().strip())
        check.kill()
    wait_until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists())


def test_a_check_that_lacks_its_program_is_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        pytest.fail("it was run")

    monkeypatch.setattr("sys.argv", ["accept", "--only", "ten-seconds", "--check", "pages in a browser"])
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(accept, "load_results", lambda _: ())
    monkeypatch.setattr(accept, "perform", fail)
    assert accept.main() == 1
    assert capsys.readouterr().err.endswith("not run, not installed: chromium\n")
