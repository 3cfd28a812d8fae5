"""Helpers for the benchmarks on a lab: choosing faults, and running printed commands."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Semaphore

from unstuck_lab import fault, matrix
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault

# Seconds that a printed command may take.
PATIENCE = 90
_SERVICES = {
    "kubelet": ("stop_kubelet", "start_kubelet"),
    "containerd": ("stop_containerd", "start_containerd"),
}


def add_options(prog: str, description: str) -> argparse.ArgumentParser:
    """Return a parser with the options for choosing faults: by name, or a random share by a seed."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("faults", nargs="*", help="by name; else all that a cause explains")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    parser.add_argument("--share", type=float, default=1.0, help="of the faults, 0 to 1 (1)")
    return parser


def choose_faults(asked: argparse.Namespace, parser: argparse.ArgumentParser) -> list[Fault]:
    """Return the requested faults with a known cause. Ends the program if one is unknown."""
    known = [f for f in fault.list_faults() if f.accepts]
    if strangers := {*asked.faults} - {f.name for f in known}:
        parser.error(f"no such fault: {', '.join(sorted(strangers))}")
    return draw_share(
        [f for f in known if not asked.faults or f.name in asked.faults], asked.seed, asked.share
    )


def draw_share(faults: Sequence[Fault], seed: int, share: float) -> list[Fault]:
    """Return a share of the faults, in order; at least one."""
    if share >= 1:
        return [*faults]
    some = set(
        random.Random(seed).sample(  # noqa: S311 - to draw, not to hide
            [f.name for f in faults], min(len(faults), max(1, round(len(faults) * share)))
        )
    )
    return [f for f in faults if f.name in some]


def put_through(lab: Lab, at_once: Sequence[Fault], work: Callable[[Fault], None]) -> list[str]:
    """Apply the faults of one round, do the work on each effective one once it is ripe, and always heal all.

    Returns the names of faults without effect.
    """
    lost = []
    try:
        holds = [(one, matrix.take_hold(lab, one, print, Semaphore(1))) for one in at_once]
        for one, hold in holds:
            if hold.seen is None:
                lost.append(one.name)
                continue
            time.sleep(max(hold.at + one.ripe - time.monotonic(), 0))
            work(one)
    finally:
        matrix.heal_all(lab, at_once, print)
    return lost


def run(lab: Lab, where: str, argv: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a printed command on its Node (`node:NAME`), or beside the cluster with its kubectl and kubeconfig.

    Raises `LabError` if the Node does not run, subprocess.TimeoutExpired if the command does not end beside
    the cluster.
    """
    if not where.startswith("node:"):
        kubectl = Path(lab.kubectl_command[0])
        env = {
            **os.environ,
            "PATH": f"{kubectl.parent}:{os.environ.get('PATH', '')}",
            "KUBECONFIG": str(lab.kubeconfig),
        }
        return subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE, check=False, env=env)
    node = lab.get_node(where.removeprefix("node:"))
    match argv:
        case ("systemctl", "start" | "restart" as verb, unit) if (
            unit := unit.removesuffix(".service")
        ) in _SERVICES:
            # The lab's Nodes have no systemd: the lab itself does the work of a unit.
            stop, start = _SERVICES[unit]
            if verb == "restart":
                getattr(node, stop)()
            getattr(node, start)()
            return subprocess.CompletedProcess(argv, 0, "", "")
    return node.run(argv, timeout=PATIENCE)
