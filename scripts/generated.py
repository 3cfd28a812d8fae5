"""Writes a generated file for `make docs`, or with `--check` compares it."""

from __future__ import annotations

import sys
from pathlib import Path


def main(target: Path, text: str) -> int:
    """Write the file. With `--check` on the command line, return 1 and print a line on stderr if its text
    differs.
    """
    if "--check" not in sys.argv[1:]:
        target.write_text(text, "utf-8")
        return 0
    if target.is_file() and target.read_text("utf-8") == text:
        return 0
    sys.stderr.write(f"{target.relative_to(Path(__file__).parents[1])} is out of date: run `make docs`\n")
    return 1
