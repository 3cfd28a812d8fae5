"""The page of an area: its promises, and for each check the last run, its commit, and its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scripts.accept.area import Area
from scripts.accept.running import ROOT, CheckResult

PAGES = ROOT / "docs" / "accept"


def locate_page(area: Area) -> Path:
    """Return the path of an area's page."""
    return PAGES / f"{area.name}.md"


def format_page(area: Area, outcomes: Sequence[CheckResult]) -> str:
    """Return the page's text. Unrun checks are marked, and each row names the tested commit."""
    by_name = {outcome.check: outcome for outcome in outcomes}
    green = sum(outcome.green for outcome in outcomes)
    counts = f"{green} green, {len(outcomes) - green} red, {len(area.checks) - len(outcomes)} not run"
    lines = [
        "<!-- written by `make accept` -->",
        f"# {area.title}",
        "",
        area.promises,
        "",
        f"- counts: {counts}",
        "",
    ]
    lines += ["| check | outcome | date | commit | seed | time | counted |", "|---|---|---|---|---|---|---|"]
    lines += [_format_row(check.name, by_name.get(check.name)) for check in area.checks]
    return "\n".join(lines) + "\n"


def _format_row(name: str, outcome: CheckResult | None) -> str:
    if outcome is None:
        return f"| {name} | not run | | | | | |"
    cells = (
        name,
        "green" if outcome.green else "**red**",
        outcome.date,
        outcome.commit[:12],
        str(outcome.seed),
        _format_minutes(outcome.seconds),
        outcome.counts.replace("|", "/"),
    )
    return f"| {' | '.join(cells)} |"


def _format_minutes(seconds: int) -> str:
    return f"{seconds // 60} min {seconds % 60:02} s"
