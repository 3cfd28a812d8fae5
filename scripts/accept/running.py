"""Running checks: each in a clone of the commit, its outcome kept at once, so that a run which was ended goes on behind it."""

from __future__ import annotations

import contextlib
import json
import os
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


@dataclass(frozen=True)
class Outcome:
    """How a check went. seconds: wall time; log: where its output is."""

    check: str
    green: bool
    seconds: int
    counts: str
    log: str


@dataclass(frozen=True)
class Run:
    """One run of an area. commit: which was run; date: of its first check, UTC."""

    area: str
    commit: str
    seed: int
    date: str
    outcomes: tuple[Outcome, ...] = ()


def begun(area: Area, commit: str, seed: int) -> Run:
    """Return the run of this commit and seed that was begun before, or a new one."""
    file = WORK / f"{area.name}.json"
    if file.exists():
        kept = json.loads(file.read_text("utf-8"))
        if (kept["commit"], kept["seed"]) == (commit, seed):
            return Run(**{**kept, "outcomes": tuple(Outcome(**one) for one in kept["outcomes"])})
    return Run(area.name, commit, seed, datetime.now(UTC).date().isoformat())


def keep(run: Run) -> None:
    """Write what was done so far."""
    WORK.mkdir(parents=True, exist_ok=True)
    part = WORK / f"{run.area}.json.part"
    part.write_text(json.dumps(asdict(run), indent=1), "utf-8")
    part.rename(WORK / f"{run.area}.json")


def perform(check: Check, area: Area, commit: str, seed: int) -> Outcome:
    """Run a check in a clone of the commit; the clone goes when it was green."""
    place = WORK / "clones" / f"{area.name}-{check.name.replace(' ', '-')}"
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(place)], check=True)
    subprocess.run(["git", "checkout", "-q", "--detach", commit], cwd=place, check=True)
    log = WORK / f"{place.name}.log"
    began = time.monotonic()
    with _beside(check.beside), log.open("wb") as output:
        argv = [word.replace("{seed}", str(seed)) for word in check.argv]
        done = subprocess.run(argv, cwd=place, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode == 0:
        shutil.rmtree(place, ignore_errors=True)
    counts = check.counts(log.read_text("utf-8", errors="replace"))
    return Outcome(check.name, done.returncode == 0, round(time.monotonic() - began), counts, log.name)


@contextlib.contextmanager
def _beside(command: str) -> Iterator[None]:
    """Keep a command running, and end it with all that it started."""
    if not command:
        yield
        return
    process = subprocess.Popen(["sh", "-c", command], start_new_session=True)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
