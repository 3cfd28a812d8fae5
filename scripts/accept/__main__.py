"""`python -m scripts.accept [--only AREA] [--seed N]`: run what is left to run of each area, and write its page after each check."""

from __future__ import annotations

import argparse
import dataclasses
import subprocess
import sys

from scripts.accept.area import Area
from scripts.accept.areas import all_areas
from scripts.accept.page import page_of, written
from scripts.accept.running import ROOT, begun, keep, perform


def main() -> int:
    """Run the areas; returns 0 when every check was green."""
    areas = {area.name: area for area in all_areas()}
    parser = argparse.ArgumentParser(prog="make accept", description=__doc__)
    parser.add_argument("--only", choices=sorted(areas), help="one area")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn (1)")
    chosen = parser.parse_args()
    green = [_accept(area, chosen.seed) for area in areas.values() if chosen.only in (None, area.name)]
    return 0 if all(green) else 1


def _accept(area: Area, seed: int) -> bool:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    run = begun(area, commit, seed)
    done = {outcome.check for outcome in run.outcomes}
    for check in area.checks:
        if check.name in done:
            _say(f"{area.name}: {check.name}: done before")
            continue
        _say(f"{area.name}: {check.name} …")
        outcome = perform(check, area, commit, seed)
        run = dataclasses.replace(run, outcomes=(*run.outcomes, outcome))
        keep(run)
        page_of(area).parent.mkdir(parents=True, exist_ok=True)
        page_of(area).write_text(written(area, run), "utf-8")
        _say(f"{area.name}: {check.name}: {'green' if outcome.green else 'RED'} after {outcome.seconds} s: {outcome.counts}")
    return all(outcome.green for outcome in run.outcomes)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
