"""The questions of the catalogue and of the records, known before the lab runs; none without an installed
lab.

A row, the answer to a question, is kept as a property of its test's report, and so reaches the end of the run
from every lab.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.asking import FaultQuestion
    from unstuck_lab.matrix import MatrixRow

# The data of docs/*/matrix.md. A run replaces the rows of its questions; the others stay.
MATRIX = Path(__file__).with_name("matrix.json")


def _list_questions() -> dict[str, FaultQuestion]:
    try:
        from unstuck_lab import asking
        from unstuck_lab.fault import list_faults
    except ImportError:
        return {}
    return {str(question): question for fault in list_faults() for question in asking.list_questions(fault)}


def _list_records() -> dict[str, FaultQuestion]:
    try:
        from scripts import record
    except ImportError:
        return {}
    return {name: record.find_question(name) for name in record.CHOSEN}


QUESTIONS = _list_questions()
RECORDS = _list_records()


def _plan_rounds() -> dict[str, str]:
    try:
        from unstuck_lab import matrix
        from unstuck_lab.fault import list_faults
    except ImportError:
        return {}
    rounds = matrix.plan_rounds(list_faults())
    return {
        fault.name: f"{fault.scope} round {rounds.index(together) + 1}"
        for together in rounds
        for fault in together
    }


# The round of each fault: its questions are asked in one lab, with the whole round applied.
ROUNDS = _plan_rounds()


# These tests share the chart's release, whose image is built once.
RELEASE = tuple(
    f"tests/e2e/test_{name}.py"
    for name in ("agent", "agent_rights", "chart", "runtimes_from_outside", "ways")
)


def place(nodeid: str) -> str:
    """Return the group of tests to keep in one lab: a round of the catalogue, the chart's release, else the
    class or file.
    """
    test, _, param = nodeid.partition("[")
    asked = (QUESTIONS | RECORDS).get(param.removesuffix("]"))
    if asked:
        return ROUNDS[asked.fault.name]
    return "release" if test.startswith(RELEASE) else test.rpartition("::")[0]


# The longest tests by far begin first.
FIRST = ("release", "tests/e2e/test_pairs.py")


def schedule_turns(places: Iterable[str]) -> dict[str, float]:
    """Return the turn of each, from 0 to 1: busy rounds (of Pods) evenly among mostly waiting ones (of the
    cluster).
    """
    alike: dict[str, list[str]] = {}
    for this in sorted(set(places)):
        alike.setdefault(this.partition(" ")[0] if " round " in this else "file", []).append(this)
    found = {this: (at + 0.5) / len(those) for those in alike.values() for at, this in enumerate(those)}
    return {this: 0.0 if this in FIRST else turn for this, turn in found.items()}


@dataclass
class Rounds:
    """The rounds of one lab: a round is applied at its first question.

    chosen: the faults of this run's questions.
    """

    lab: Lab
    chosen: frozenset[str]
    rows: dict[str, MatrixRow] = field(default_factory=dict)
    put_in: set[str] = field(default_factory=set)

    def answer(self, question: FaultQuestion) -> MatrixRow:
        """Return the question's judged answer. Skips the test if it needs a node that cannot be entered."""
        from unstuck_lab import lifecycle, matrix
        from unstuck_lab.fault import find

        this = ROUNDS[question.fault.name]
        if this not in self.put_in:
            self.put_in.add(this)
            together = [find(name) for name in sorted(self.chosen) if ROUNDS[name] == this]
            # A healing failure is one failed test; earlier answers stay valid.
            matrix.run_round(self.lab, together, lifecycle.make_stopwatch(print), tell=self._keep)
        if str(question) not in self.rows and self.lab.existing:
            pytest.skip("needs a node that can be entered")
        assert str(question) in self.rows, (
            f"{this} broke off before anything was asked: see its first question"
        )
        return self.rows[str(question)]

    def _keep(self, rows: list[MatrixRow]) -> None:
        self.rows |= {str(row.question): row for row in rows}


def dump_row(row: MatrixRow) -> str:
    """Write a row without the reply."""
    kept = {
        "question": str(row.question),
        "judged": asdict(row.judged),
        "held": row.held,
        "retried": row.retried,
    }
    return json.dumps(kept)


def load_row(text: str) -> MatrixRow:
    """Read the output of `dump_row`."""
    from unstuck_lab.judging import Judgement
    from unstuck_lab.matrix import MatrixRow

    kept = json.loads(text)
    return MatrixRow(
        QUESTIONS[kept["question"]], Judgement(**kept["judged"]), None, kept["held"], kept["retried"]
    )


def dump_paste(question: FaultQuestion, outcome: str) -> str:
    """Write the grade of an answer from a paste, as a property of its test."""
    return json.dumps({"question": str(question), "evidence": question.evidence, "outcome": outcome})


def count_pastes(properties: Iterable[str]) -> Iterator[str]:
    """Count the outputs of `dump_paste`, with denominators."""
    kept = [json.loads(text) for text in properties]
    for evidence, title in (("api", "pastes of describe and events"), ("node", "with the node's commands")):
        found = Counter(one["outcome"] for one in kept if one["evidence"] == evidence)
        named, open_ = found.pop("proven", 0) + found.pop("likely", 0), found.pop("undecided", 0)
        others = ", ".join(f"{outcome} {n}" for outcome, n in sorted({"wrong": 0, **found}.items()))
        total = named + open_ + found.total()
        yield (
            f"{title:29} {total:3} faults: the cause first {named}, undecided with what to look at next "
            f"{open_}, {others}"
        )


def describe_software(lab: Lab) -> dict[str, Any]:
    """Describe the origin of the rows: the cluster's reported software."""
    nodes = lab.request("GET", "/api/v1/nodes")["items"]
    info = nodes[0]["status"]["nodeInfo"]
    words = {"kubelet": "kubeletVersion", "runtime": "containerRuntimeVersion", "kernel": "kernelVersion"}
    return {
        "nodes": len(nodes),
        **{word: info[field].partition("-")[0] for word, field in words.items()},
        "machine": platform.machine(),
    }


def keep(
    rows: Iterable[MatrixRow], where: dict[str, Any], pasted: Iterable[str] = (), path: Path = MATRIX
) -> None:
    """Add the rows to those of earlier runs; a repeated question replaces its older row. pasted: the outputs
    of `dump_paste`.
    """
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
    # Rows of faults removed from the catalogue are dropped.
    kept = {name: row for name, row in sorted(kept.items()) if name in QUESTIONS}
    pastes: dict[str, Any] = known.get("pastes", {}) | {
        one["question"]: one["outcome"] for one in map(json.loads, pasted)
    }
    pastes = {name: outcome for name, outcome in sorted(pastes.items()) if name in QUESTIONS}
    path.write_text(
        json.dumps({"where": where, "rows": kept, "pastes": pastes}, indent=1, sort_keys=True) + "\n", "utf-8"
    )
