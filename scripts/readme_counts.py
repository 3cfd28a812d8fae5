"""Writes the number of causes into both READMEs, or with `--check` compares it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from scripts import generated

from unstuck.engine import discover

TOP = Path(__file__).parents[1]
# The number in front of the link to the index.
COUNTS = {"README.md": r"^\d+(?= \[causes\])", "README.zh.md": r"^\d+(?= 个\[原因\])"}


def replace_count(text: str, pattern: str, count: int) -> str:
    """Put this number of causes into the README. Raises ValueError unless the number occurs exactly once."""
    counted, times = re.subn(pattern, str(count), text, flags=re.MULTILINE)
    if times != 1:
        raise ValueError(f"the number of causes stands {times} times, not once: {pattern}")
    return counted


def main() -> int:
    """Write the numbers and return 0; with `--check`, return 1 if a number differs."""
    count = len(discover())
    targets = {
        TOP / name: replace_count((TOP / name).read_text("utf-8"), pattern, count)
        for name, pattern in COUNTS.items()
    }
    return max(generated.main(target, text) for target, text in targets.items())


if __name__ == "__main__":
    sys.exit(main())
