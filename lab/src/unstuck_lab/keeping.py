"""Copies a lab's logs, answers and objects, for the analysis of a failure after the lab is gone."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from unstuck_lab.cluster import Lab
from unstuck_lab.control import BOX
from unstuck_lab.errors import LabError
from unstuck_lab.paths import NODE_NAMES, Paths

# Bytes kept of the end of a log.
LONGEST = 4 * 2**20
# The number of last answers to keep.
ANSWERS = 40
_OBJECTS = ("events", "pods", "nodes", "namespaces", "persistentvolumeclaims")


def keep(lab: Lab, target: Path) -> None:
    """Copy the logs of all components and helpers, the last answers, and the API server's objects into
    `target`.

    Anything unavailable is omitted, and listed in `target/missing.txt`. Raises `OSError` only if `target`
    cannot be written.
    """
    target.mkdir(parents=True, exist_ok=True)
    missing: list[str] = []
    if lab.existing is None:
        for box in (BOX, *NODE_NAMES):
            for log in _list_logs(lab.paths, box):
                _copy_tail(log, target / box / log.relative_to(lab.paths.locate_box(box)), missing)
        for answer in sorted(lab.paths.answers.glob("*"), key=lambda file: file.stat().st_mtime)[-ANSWERS:]:
            _copy_tail(answer, target / "answers" / answer.name, missing)
    for kind in _OBJECTS:
        try:
            (target / f"{kind}.yaml").write_text(lab.run_kubectl("get", kind, "-A", "-o", "yaml", timeout=20))
        except (LabError, OSError) as error:
            missing.append(f"{kind}: {error}")
    if missing:
        (target / "missing.txt").write_text("\n".join(missing) + "\n")


def _list_logs(paths: Paths, box: str) -> Iterator[Path]:
    yield paths.locate_box(box) / "init.log"
    yield from sorted(
        file for file in paths.locate_logs(box).rglob("*.log") if file.is_file() and not file.is_symlink()
    )


def _copy_tail(source: Path, target: Path, missing: list[str]) -> None:
    try:
        with source.open("rb") as read:
            read.seek(max(0, source.stat().st_size - LONGEST))
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as write:
                shutil.copyfileobj(read, write)
    except OSError as error:
        missing.append(f"{source}: {error}")
