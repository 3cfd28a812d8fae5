"""Runs checks: each in a clone of the commit, its outcome saved at once, so that an interrupted run
resumes after it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from scripts.accept.area import Area, Check

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "accept"
# sh runs the command beside a `read` that returns at the end of the input, and then kills the process group.
_UNTIL_INPUT_ENDS = 'sh -c "$1" </dev/null & read -r _; kill -9 -$$'


@dataclass(frozen=True)
class CheckResult:
    """The outcome of a check. commit: the tested commit. date: the day, in UTC. seconds: wall time. log: the
    path of its output.
    """

    check: str
    commit: str
    seed: int
    date: str
    green: bool
    seconds: int
    counts: str
    log: str


def load_results(area: Area) -> tuple[CheckResult, ...]:
    """Return the last outcome of each check ever run here, in the area's order."""
    file = WORK / f"{area.name}.json"
    if not file.exists():
        return ()
    by_name = {one["check"]: CheckResult(**one) for one in json.loads(file.read_text("utf-8"))}
    return tuple(by_name[check.name] for check in area.checks if check.name in by_name)


def keep(area: Area, outcome: CheckResult) -> tuple[CheckResult, ...]:
    """Replace the check's last outcome, keep concurrently written outcomes of other runs, and return all."""
    WORK.mkdir(parents=True, exist_ok=True)
    with (WORK / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        others = [asdict(one) for one in load_results(area) if one.check != outcome.check]
        part = WORK / f"{area.name}.json.part"
        part.write_text(json.dumps([*others, asdict(outcome)], indent=1), "utf-8")
        part.rename(WORK / f"{area.name}.json")
        return load_results(area)


def perform(check: Check, area: Area, commit: str, seed: int) -> CheckResult:
    """Run a check in a clone of the commit; the clone is deleted if it passed."""
    # A virtual environment cannot be created below a path with a colon.
    place = WORK / "clones" / re.sub(r"[^A-Za-z0-9]+", "-", f"{area.name}-{check.name}").strip("-")
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(place)], check=True)
    subprocess.run(["git", "checkout", "-q", "--detach", commit], cwd=place, check=True)
    log = WORK / f"{place.name}.log"
    began = time.monotonic()
    with _beside(check.beside), log.open("wb") as output:
        argv = [word.replace("{seed}", str(seed)) for word in check.argv]
        done = subprocess.run(
            argv, cwd=place, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode == 0:
        shutil.rmtree(place, ignore_errors=True)
    counts = check.counts(log.read_text("utf-8", errors="replace"))
    today = datetime.now(UTC).date().isoformat()
    return CheckResult(
        check.name,
        commit,
        seed,
        today,
        done.returncode == 0,
        round(time.monotonic() - began),
        counts,
        log.name,
    )


@contextlib.contextmanager
def _beside(command: str) -> Iterator[None]:
    """Keep a command running during the block, and end it with all its processes, even if this process is
    killed, since its input then ends.
    """
    if not command:
        yield
        return
    process = subprocess.Popen(
        ["sh", "-c", _UNTIL_INPUT_ENDS, "sh", command], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
