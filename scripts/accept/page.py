"""The page of an area: what was promised, when it was run, on which commit, and how each check went."""

from __future__ import annotations

from pathlib import Path

from scripts.accept.area import Area
from scripts.accept.running import ROOT, Run

PAGES = ROOT / "docs" / "accept"


def page_of(area: Area) -> Path:
    """Return where the page of an area is."""
    return PAGES / f"{area.name}.md"


def written(area: Area, run: Run) -> str:
    """Return the page's text; a check that was not run yet says so."""
    by_name = {outcome.check: outcome for outcome in run.outcomes}
    green = sum(outcome.green for outcome in run.outcomes)
    lines = [
        "<!-- written by `make accept` -->",
        f"# {area.title}",
        "",
        area.promises,
        "",
        f"- date: {run.date}",
        f"- commit: {run.commit}",
        f"- seed: {run.seed}",
        f"- counts: {green} green, {len(run.outcomes) - green} red, {len(area.checks) - len(run.outcomes)} not run",
        "",
        "| check | outcome | time | counted |",
        "|---|---|---|---|",
    ]
    for check in area.checks:
        outcome = by_name.get(check.name)
        if outcome is None:
            lines.append(f"| {check.name} | not run | | |")
        else:
            word = "green" if outcome.green else "**red**"
            lines.append(f"| {check.name} | {word} | {_minutes(outcome.seconds)} | {outcome.counts.replace('|', '/')} |")
    return "\n".join(lines) + "\n"


def _minutes(seconds: int) -> str:
    return f"{seconds // 60} min {seconds % 60:02} s"
