"""`python -m scripts.accept [--only AREA] [--check NAME] [--seed N]`: run the checks that HEAD has not passed
yet, and write the area's page.
"""

from __future__ import annotations

import argparse
import shutil
import sys

from scripts.accept.area import Area, Check
from scripts.accept.areas import list_areas
from scripts.accept.page import format_page, locate_page
from scripts.accept.running import keep, load_results, perform
from scripts.commit import read_head_commit


def main() -> int:
    """Run the areas. Return 0 if every requested check is green."""
    areas = {area.name: area for area in list_areas()}
    parser = argparse.ArgumentParser(prog="make accept", description=__doc__)
    parser.add_argument("--only", choices=sorted(areas), help="one area")
    parser.add_argument("--check", default="", help="those of its checks whose name contains this")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn (1)")
    chosen = parser.parse_args()
    commit = read_head_commit()
    green = [
        _run_check(area, check, commit, chosen.seed)
        for area in areas.values()
        if chosen.only in (None, area.name)
        for check in area.checks
        if chosen.check in check.name
    ]
    return 0 if all(green) else 1


def _run_check(area: Area, check: Check, commit: str, seed: int) -> bool:
    for last in load_results(area):
        if (last.check, last.commit, last.seed) == (check.name, commit, seed):
            _say(f"{area.name}: {check.name}: done before")
            return last.green
    if missing := [program for program in check.needs if shutil.which(program) is None]:
        _say(f"{area.name}: {check.name}: not run, not installed: {', '.join(missing)}")
        return False
    _say(f"{area.name}: {check.name} …")
    outcome = perform(check, area, commit, seed)
    locate_page(area).write_text(format_page(area, keep(area, outcome)), "utf-8")
    _say(
        f"{area.name}: {check.name}: {'green' if outcome.green else 'RED'} after {outcome.seconds} s: "
        f"{outcome.counts}"
    )
    return outcome.green


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
