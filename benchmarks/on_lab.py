"""Which faults of the lab a benchmark puts in."""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from unstuck_lab import fault
from unstuck_lab.fault import Fault


def options(prog: str, description: str) -> argparse.ArgumentParser:
    """Return the options that choose faults: by name, or a share that a seed draws."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("faults", nargs="*", help="by name; else all that a cause explains")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    parser.add_argument("--share", type=float, default=1.0, help="of the faults, 0 to 1 (1)")
    return parser


def chosen(asked: argparse.Namespace, parser: argparse.ArgumentParser) -> list[Fault]:
    """Return the faults that a cause explains and that were asked for. Ends the program where one is unknown."""
    known = [f for f in fault.catalogue() if f.accepts]
    if strangers := {*asked.faults} - {f.name for f in known}:
        parser.error(f"no such fault: {', '.join(sorted(strangers))}")
    return drawn([f for f in known if not asked.faults or f.name in asked.faults], asked.seed, asked.share)


def drawn(faults: Sequence[Fault], seed: int, share: float) -> list[Fault]:
    """Return a share of the faults, in their order; one at least."""
    if share >= 1:
        return [*faults]
    some = set(random.Random(seed).sample([f.name for f in faults], min(len(faults), max(1, round(len(faults) * share)))))  # noqa: S311 - to draw, not to hide
    return [f for f in faults if f.name in some]
