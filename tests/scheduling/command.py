"""Common code of both comparison commands: `--cases`, `--seed`, a line of progress, the report, the exit
status.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")
Say = Callable[[str], object]


def run_command(
    doc: str | None, cases: int, run: Callable[[int, int, Say], T], shown: Callable[[T], Iterator[str]]
) -> T:
    """Run a comparison by the command line and print its result. cases: the default of `--cases`."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    report = run(asked.cases, asked.seed, lambda line: sys.stderr.write(f"\r{line}"))
    for line in shown(report):
        sys.stdout.write(f"{line}\n")
    return report
