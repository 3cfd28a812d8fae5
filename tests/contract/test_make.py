"""The commands on the entrance pages are targets of the Makefile, each with a line in `make help`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "README.zh.md", "CONTRIBUTING.md", "lab/README.md")


def made(*args: str) -> str:
    return subprocess.run(
        ["make", "--no-print-directory", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout


@pytest.mark.parametrize("page", PAGES)
def test_each_target_that_a_page_names_has_a_line_of_help(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", text, re.M))
    listed = {line.split()[0] for line in made("help").splitlines()}
    assert not named - listed, page
    if "unstuck-lab" in text:
        assert "lab" in named, f"{page} uses unstuck-lab and does not say how it is installed"


def test_make_lab_installs_the_lab() -> None:
    assert "./lab" in made("--dry-run", "--always-make", "lab")


def test_the_files_that_contributing_names_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w-]+/)*_?[a-z][\w-]*(?:\.cases\.md|\.py|\.sh))`", text)
    known = {
        path.relative_to(ROOT).as_posix()
        for top in ("src", "scripts", "tests", "lab")
        for path in (ROOT / top).rglob("*")
    }
    assert named and not [
        name for name in named if not any(path.endswith(f"/{name}") or path == name for path in known)
    ]
    links = re.findall(r"\]\(([^)#:]+)[^)]*\)", text)
    assert not [link for link in links if not (ROOT / link).is_file()]
