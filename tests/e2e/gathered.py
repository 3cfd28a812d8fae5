"""The questions of the catalogue and of the records, as they are known before the lab runs; none where it is not installed."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.asking import Question
    from unstuck_lab.matrix import Row

# What docs/*/matrix.md is made of. A run writes the rows that it asked, the others stay.
MATRIX = Path(__file__).with_name("matrix.json")


def _questions() -> dict[str, Question]:
    try:
        from unstuck_lab import asking
        from unstuck_lab.fault import catalogue
    except ImportError:
        return {}
    return {str(question): question for fault in catalogue() for question in asking.questions(fault)}


def _records() -> dict[str, Question]:
    try:
        from scripts import record
    except ImportError:
        return {}
    return {name: record.question(name) for name in record.CHOSEN}


QUESTIONS = _questions()
RECORDS = _records()


def software(lab: Lab) -> dict[str, Any]:
    """Where the rows come from: what the cluster says that it runs on."""
    nodes = lab.api("GET", "/api/v1/nodes")["items"]
    info = nodes[0]["status"]["nodeInfo"]
    words = {"kubelet": "kubeletVersion", "runtime": "containerRuntimeVersion", "kernel": "kernelVersion"}
    return {"nodes": len(nodes), **{word: info[field].partition("-")[0] for word, field in words.items()}, "machine": platform.machine()}


def keep(rows: Iterable[Row], where: dict[str, Any], path: Path = MATRIX) -> None:
    """Adds the rows to those of earlier runs; one that was asked again replaces its older self."""
    known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    kept: dict[str, Any] = known.get("rows", {})
    on = datetime.now(UTC).date().isoformat()
    for row in rows:
        kept[str(row.question)] = {
            "causes": list(row.question.fault.accepts),
            "evidence": row.question.evidence,
            "outcome": row.judged.outcome,
            "ok": row.judged.ok,
            "named": row.judged.named,
            "on": on,
        }
    # A fault that is no longer in the catalogue is not asked about any more.
    kept = {name: row for name, row in sorted(kept.items()) if name in QUESTIONS}
    path.write_text(json.dumps({"where": where, "rows": kept}, indent=1, sort_keys=True) + "\n", "utf-8")
