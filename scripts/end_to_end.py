"""Runs the end-to-end tests in several labs in parallel, and failed ones once more, alone.

A test that fails in parallel and passes alone is reported and counted, and its logs stay; the step passes. A
wrong answer is not repeated, nor are too many failures for a busy host: python -m scripts.end_to_end LABS
[PYTEST-OPTION...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = ("tests/e2e", "lab/tests")
# Of about 1,450 tests. More failures have a common cause, other than the load.
MOST = 4
# The beginning of a judged answer's assertion (unstuck_lab/judging.py): load never explains a wrong cause.
WRONG = "wrong:"
RED = 1  # pytest's exit status if tests have failed


def main(labs: str, options: list[str]) -> int:
    """Run the tests and return pytest's exit status, which is 0 also if the repeated tests passed."""
    with tempfile.TemporaryDirectory() as made:
        found = Path(made) / "reds.json"
        together = [*_build_command("-n", labs, "--no-loadscope-reorder", "--durations=10", *options), *TESTS]
        status = subprocess.run(
            together, env={**os.environ, "UNSTUCK_REDS": str(found)}, check=False
        ).returncode
        reds: dict[str, str] = json.loads(found.read_text("utf-8")) if found.exists() else {}
    if status != RED or not reds:
        return status
    if why := find_refusal(reds):
        sys.stdout.write(f"no second look: {why}\n")
        return status
    sys.stdout.write(f"\n== red beside the others, looked at again alone: {len(reds)}\n")
    sys.stdout.flush()
    again = subprocess.run([*_build_command(*options), *reds], check=False).returncode
    if again == 0:
        for test in reds:
            sys.stdout.write(f"red beside the others and green alone: {test}\n")
    return again


def find_refusal(reds: dict[str, str]) -> str:
    """Return the reason not to repeat these tests, "" if they are repeated. reds: the failure of each test,
    by its id.
    """
    if len(reds) > MOST:
        return f"{len(reds)} tests are red, and {MOST} are the most that a busy machine explains"
    wrong = [test for test, said in reds.items() if WRONG in said]
    return f"a wrong answer is wrong on any machine: {', '.join(wrong)}" if wrong else ""


def _build_command(*options: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
