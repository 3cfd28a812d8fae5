"""`make new-fact` writes parts that are complete except for human decisions, or reports the mistake in the
request.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import new_fact
from scripts.observables import API, NATURES, NODE

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "src/unstuck/facts/aspects",
    "src/unstuck/collect/objects",
    "src/unstuck/collect/kube/questions",
    "tests/node",
    "tests/kube",
)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Provide a copy of the changed files, and of the target folders."""
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for file in (NODE, API, NATURES, "pyproject.toml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    with (tmp_path / "pyproject.toml").open("a", encoding="utf-8") as settings:
        # Ruff detects first-party modules by their files, most of which are missing here.
        settings.write('\n[tool.ruff.lint.isort]\nknown-first-party = ["unstuck", "tests"]\n')
    monkeypatch.setattr(new_fact, "ROOT", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("about", "by", "declared_in"),
    [
        ("Pod", "node", NODE),
        ("Node", "node", NODE),
        ("Mount", "node", NODE),
        ("ConfigMapList", "api", API),
        ("Pod", "object", API),
    ],
)
def test_every_part_is_written_and_well_formed(house: Path, about: str, by: str, declared_in: str) -> None:
    before = (ROOT / NATURES).read_text("utf-8").splitlines()
    assert new_fact.main(["OpenSeals", about, by]) == 0
    record = (house / "src/unstuck/facts/aspects/open_seals.py").read_text("utf-8")
    assert f"class OpenSeals({'NodeFact' if by == 'node' else 'Fact'}):" in record
    # A node's fact inherits the question about a Pod.
    assert ("ask: ClassVar[str]" in record) is ((about, by) != ("Pod", "node"))
    assert (house / new_fact.MAKERS[by] / "open_seals.py").is_file() and (
        house / new_fact.TESTS[by] / "test_open_seals.py"
    ).is_file()
    assert "open_seals.OpenSeals," in (house / declared_in).read_text("utf-8")
    after = (house / NATURES).read_text("utf-8").splitlines()
    assert [line for line in after if line not in before] == [
        "    # open_seals",
        '    "OpenSeals": "text: items",',
    ]
    # Line lengths, the order of imports and names that are never used, too.
    checks = [["check", "--no-cache"], ["format", "--no-cache", "--check"]]
    for check in checks:
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *check, "."],
            cwd=house,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "no name of a fact"),
        (["open_files", "Pod", "node"], "no name of a fact"),
        (["Listening", "Pod", "node"], "a fact already"),
        (["OpenSeals", "Pod", "text"], "say node, api or object"),
        (["OpenSeals", "", "node"], "say a kind"),
        (["OpenSeals", "Widget", "object"], 'Ref("Widget.GROUP", NAMESPACE, NAME)'),
    ],
)
def test_a_question_that_is_off_writes_nothing(
    house: Path, capsys: pytest.CaptureFixture[str], asked: list[str], said: str
) -> None:
    before = sorted(house.rglob("*"))
    assert new_fact.main(asked) == 2
    assert said in capsys.readouterr().err and sorted(house.rglob("*")) == before


def test_nothing_is_written_over(house: Path) -> None:
    assert new_fact.main(["OpenSeals", "Pod", "node"]) == 0
    before = (house / NODE).read_text("utf-8")
    assert new_fact.main(["OpenSeals", "Pod", "node"]) == 2
    assert (house / NODE).read_text("utf-8") == before
