"""Resident memory stays small: the reporter loads no fact type."""

import subprocess
import sys
from pathlib import Path

_SOURCE = str(Path(__file__).parents[2] / "src")


def test_the_reporter_loads_nothing_that_only_a_look_needs() -> None:
    script = (
        "import sys, unstuck.agent.reporter; print(*(m for m in sys.modules if m.startswith('unstuck.')))"
    )
    env = {"PYTHONPATH": _SOURCE}
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", script], env=env, capture_output=True, text=True, timeout=60, check=True
    ).stdout.split()
    assert {m.split(".")[1] for m in loaded} == {"agent"}
