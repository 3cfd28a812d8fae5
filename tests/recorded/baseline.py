"""Every Snapshot of the repository with its answer: `python -m tests.recorded.baseline` writes
`baseline.json`.

The Snapshots are the demo's records, the field notes' and every cause's cases. An answer is the state, the
causes in their order with their confidence, and the possible causes; sentences are left out, since they may
change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from scripts.cases import Case, load_cases

from tests.contract.support import NOW, load_all, load_facts
from unstuck.api.replaying import diagnose_again
from unstuck.api.saved_files import parse_saved
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, discover
from unstuck.facts.snapshot import Snapshot

HERE = Path(__file__).parent
FILE = HERE / "baseline.json"
Answer = dict[str, Any]


def list_answers() -> dict[str, Answer]:
    """Return the answer to each Snapshot, by the Snapshot's name."""
    found = [*_load_demo(), *_load_field_notes(), *_load_causes()]
    named = dict(sorted(found, key=lambda one: one[0]))
    assert len(named) == len(found), "two Snapshots of one name"
    return named


def _load_demo() -> Iterator[tuple[str, Answer]]:
    for record in (files("unstuck") / "demo").iterdir():
        if record.name.endswith(".json.gz"):
            (found,), _ = diagnose_again(parse_saved(record.read_bytes(), record.name))
            yield f"demo/{record.name}", _answer(found)


def _load_field_notes() -> Iterator[tuple[str, Answer]]:
    for path in sorted((HERE / "field_notes").glob("*.cases.md")):
        for case in load_cases(path):
            yield f"field note {path.name}: {case.kind}: {case.title}", _load_case(case)


def _load_causes() -> Iterator[tuple[str, Answer]]:
    for loaded in load_all():
        yield f"{loaded.name} ({loaded.case.kind})", _answer(loaded.diagnosis)


def _load_case(case: Case) -> Answer:
    return _answer(diagnose(case.subject, Snapshot(load_facts(case), case.now or NOW), discover()))


def _answer(found: Diagnosis) -> Answer:
    assert all(cause.title.en and cause.title.zh for cause in found.causes)
    return {
        "state": found.state.name,
        "causes": [f"{cause.confidence} {cause.id}" for cause in found.causes],
        "possible": sorted(one.id for one in found.undecided if one.possible),
    }


def write(found: dict[str, Answer]) -> str:
    """Return the file's text: one Snapshot per line."""
    rows = (
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(answer, ensure_ascii=False)}"
        for name, answer in found.items()
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    text = write(list_answers())
    FILE.write_text(text, "utf-8")
    print(f"{text.count(chr(10)) - 2} Snapshots, sha256 {hashlib.sha256(text.encode()).hexdigest()}")  # noqa: T201 - a script
