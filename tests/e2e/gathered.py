"""The questions of the catalogue and of the records, as they are known before the lab runs; none where it is
not installed.

A row, the answer to a question, is kept as a property of its test's report: so it comes from every lab of a
run to its end.
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

# What docs/*/matrix.md is made of. A run writes the rows that it asked, the others stay.
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


# The round of each fault: its questions are asked in one lab, in which the whole round is put in.
ROUNDS = _plan_rounds()


# They share the chart's release, whose image is built once.
RELEASE = tuple(
    f"tests/e2e/test_{name}.py"
    for name in ("agent", "agent_rights", "chart", "runtimes_from_outside", "ways")
)


def place(nodeid: str) -> str:
    """What must stay in one lab with a test: its round of the catalogue, the release of the chart, else
    its class or file.
    """
    test, _, param = nodeid.partition("[")
    asked = (QUESTIONS | RECORDS).get(param.removesuffix("]"))
    if asked:
        return ROUNDS[asked.fault.name]
    return "release" if test.startswith(RELEASE) else test.rpartition("::")[0]


# What takes longest by far begins first.
FIRST = ("release", "tests/e2e/test_pairs.py")


def schedule_turns(places: Iterable[str]) -> dict[str, float]:
    """When it is the turn of each, from 0 to 1: what works hard (rounds of Pods) evenly among what mostly
    waits (those of a cluster).
    """
    alike: dict[str, list[str]] = {}
    for this in sorted(set(places)):
        alike.setdefault(this.partition(" ")[0] if " round " in this else "file", []).append(this)
    found = {this: (at + 0.5) / len(those) for those in alike.values() for at, this in enumerate(those)}
    return {this: 0.0 if this in FIRST else turn for this, turn in found.items()}


@dataclass
class Rounds:
    """The rounds of one lab: a round is put in when the first question of it is wanted.

    chosen: the faults that this run asks about.
    """

    lab: Lab
    chosen: frozenset[str]
    rows: dict[str, MatrixRow] = field(default_factory=dict)
    put_in: set[str] = field(default_factory=set)

    def answer(self, question: FaultQuestion) -> MatrixRow:
        """Its judged answer. Skips the test where it needs a node that cannot be entered."""
        from unstuck_lab import lifecycle, matrix
        from unstuck_lab.fault import find

        this = ROUNDS[question.fault.name]
        if this not in self.put_in:
            self.put_in.add(this)
            together = [find(name) for name in sorted(self.chosen) if ROUNDS[name] == this]
            # What cannot be healed is one red; the answers before it stand.
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
    """A row without the reply."""
    kept = {
        "question": str(row.question),
        "judged": asdict(row.judged),
        "held": row.held,
        "retried": row.retried,
    }
    return json.dumps(kept)


def load_row(text: str) -> MatrixRow:
    """What `dump_row` wrote."""
    from unstuck_lab.judging import Judgement
    from unstuck_lab.matrix import MatrixRow

    kept = json.loads(text)
    return MatrixRow(
        QUESTIONS[kept["question"]], Judgement(**kept["judged"]), None, kept["held"], kept["retried"]
    )


def dump_paste(question: FaultQuestion, outcome: str) -> str:
    """What an answer from a paste was worth, as a property of its test."""
    return json.dumps({"question": str(question), "evidence": question.evidence, "outcome": outcome})


def count_pastes(properties: Iterable[str]) -> Iterator[str]:
    """The counts of what `dump_paste` wrote, with their denominators."""
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
    """Where the rows come from: what the cluster says that it runs on."""
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
    """Adds the rows to those of earlier runs; one that was asked again replaces its older self. pasted:
    what `dump_paste` wrote.
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
    # A fault that is no longer in the catalogue is not asked about any more.
    kept = {name: row for name, row in sorted(kept.items()) if name in QUESTIONS}
    pastes: dict[str, Any] = known.get("pastes", {}) | {
        one["question"]: one["outcome"] for one in map(json.loads, pasted)
    }
    pastes = {name: outcome for name, outcome in sorted(pastes.items()) if name in QUESTIONS}
    path.write_text(
        json.dumps({"where": where, "rows": kept, "pastes": pastes}, indent=1, sort_keys=True) + "\n", "utf-8"
    )
