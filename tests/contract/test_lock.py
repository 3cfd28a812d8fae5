"""The packages of a release are pinned by version and hash, and the pinned versions satisfy
pyproject.toml.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripts.lock import LOCKS, find_problems

TOP = Path(__file__).resolve().parents[2]
PYPROJECT = (TOP / "pyproject.toml").read_text()
FILES = {name: (TOP / name).read_text() for name in LOCKS}
RELEASE = "requirements/release.txt"


def found(old: str, new: str, *, pattern: bool = False) -> list[str]:
    before = FILES[RELEASE]
    after = re.sub(old, new, before, count=1) if pattern else before.replace(old, new, 1)
    assert after != before
    return find_problems(PYPROJECT, {**FILES, RELEASE: after})


def test_what_is_there_fits() -> None:
    assert find_problems(PYPROJECT, FILES) == []


def test_nothing_of_this_machine_stands_in_it() -> None:
    for text in FILES.values():
        assert "://" not in text and "/tmp" not in text and str(TOP) not in text
        assert re.findall(r"^\s*(--[a-z-]+)", text, re.MULTILINE) == ["--hash"] * text.count("--hash=sha256:")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r"click==\S+", "click==8.0.1", "click is pinned at 8.0.1, and pyproject.toml asks for click>=8.1"),
        (r"click==\S+", "click==latest", "click is pinned at latest"),
        (r"click==\S+[^#]+#", "click==8.9\n#", "click has no hash"),
        (r"msgspec==", "msgspeck==", "msgspec is missing"),
        (r"^", "--index-url https://registry.example/simple\n", "holds more than pins"),
        (r"^", "# --index-url https://registry.example/simple\n", "names where packages come from"),
        (r"click==", "click>=", "holds more than pins"),
        (r"click==\S+", "click @ https://registry.example/click.whl", "holds more than pins"),
    ],
)
def test_what_does_not_fit_is_told(old: str, new: str, says: str) -> None:
    assert any(says in one for one in found(old, new, pattern=True))


def test_a_new_dependency_or_a_file_that_is_gone_is_told() -> None:
    more = PYPROJECT.replace('"click>=8.1"', '"click>=8.1",\n  "newcomer>=1"')
    assert "requirements/release.txt: newcomer is missing" in find_problems(more, FILES)
    assert "requirements/build.txt: hatchling is missing" in find_problems(
        PYPROJECT, {RELEASE: FILES[RELEASE]}
    )
