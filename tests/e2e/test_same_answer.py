"""A fault's answer from elsewhere equals the live one: from the output of `collect`, with and without names,
and from a person's paste: the same cause, or an undecided answer with the next command, never another cause.

A paste is kubectl's description and the Namespace's Events; the second paste adds the output of manual
commands on the node.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e import gathered
from tests.e2e.conftest import PASTE
from unstuck import __version__
from unstuck.api.reading import TextQuestion as Typed
from unstuck.api.reading import choose_question, read_paths
from unstuck.api.redaction import redact_saved
from unstuck.api.replaying import replay_saved
from unstuck.api.saved_files import parse_saved
from unstuck.collect.bundle.write import BundleFile
from unstuck.render.json import write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from unstuck.facts.codec import Saved
    from unstuck_lab.asking import CommandReply, FaultQuestion

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1800)]
OWN = {name: q for name, q in gathered.QUESTIONS.items() if q.subject == q.fault.subject and q.fault.accepts}
COLLECTED = {name: q for name, q in OWN.items() if q.evidence == "node"}


def of(path: Path, subject: str | None = None, namespace: str | None = None) -> Saved:
    return choose_question(Typed(subject, namespace), *read_paths((str(path),)))


def report(saved: Saved) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(write_json(replay_saved(saved).answer))
    return found


def told(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(cause["id"], cause["confidence"]) for cause in report["diagnoses"][0]["causes"]]


@pytest.mark.parametrize("question", [pytest.param(q, id=name) for name, q in COLLECTED.items()])
def test_a_collected_file_gives_the_live_answer(
    question: FaultQuestion, catalogue: gathered.Rounds, tmp_path: Path
) -> None:
    reply = catalogue.answer(question).reply
    assert reply is not None and reply.report is not None
    saved = parse_saved(reply.saved, "saved")
    hidden = redact_saved(saved)
    for name, held, changes in (("b.tar.gz", saved, None), ("r.tar.gz", hidden.saved, hidden.report)):
        with BundleFile(str(tmp_path / name)) as out:
            out.write(held, __version__, {}, changes)
    assert told(report(of(tmp_path / "b.tar.gz"))) == told(reply.report)
    # Redaction reports cases in which names decide.
    assert told(report(of(tmp_path / "r.tar.gz"))) == told(reply.report) or not hidden.report["same_causes"]


@pytest.mark.parametrize("question", [pytest.param(q, id=name) for name, q in OWN.items()])
def test_a_paste_gives_the_cause_or_what_to_paste_next(
    question: FaultQuestion,
    catalogue: gathered.Rounds,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Without the node's evidence what kubectl says; with it also what is run on the node, where anything
    can be run there.
    """
    from unstuck_lab.judging import judge

    outside = catalogue.answer(gathered.QUESTIONS[str(replace(question, evidence="api"))]).reply
    reply = catalogue.answer(question).reply
    assert outside is not None and reply is not None
    (tmp_path / "paste.txt").write_text(outside.pasted + ("" if reply is outside else f"\n{reply.pasted}"))
    answer = report(of(tmp_path / "paste.txt", question.subject, question.fault.namespace))
    judged = judge(question.fault, "undecided", answer)
    well = answer["diagnoses"][0]["state"] == "fine"
    outcome = (
        judged.outcome if judged.outcome in ("proven", "likely", "wrong") else "fine" if well else "undecided"
    )
    why = f"{judged.why} (named: {judged.named})"
    if outcome in ("fine", "undecided") and (lacking := lacks(question, answer["diagnoses"][0], reply)):
        outcome, why = "missed", lacking
    record_property(PASTE, gathered.dump_paste(question, outcome))
    assert outcome not in ("wrong", "missed"), f"{outcome}: {why}"


def lacks(question: FaultQuestion, diagnosis: dict[str, Any], live: CommandReply) -> str:
    """Return the reason why an answer without the cause is unhelpful; "" for a helpful one."""
    # The support must come from evidence: the question about some causes arises only from their sign.
    ruled_out = {cause["id"] for cause in diagnosis["ruled_out"] if cause["evidence"]}
    if ruled_out.issuperset(question.fault.accepts):
        return "what it is was ruled out"
    if not any(want["ask"] for open_ in diagnosis["undecided"] for want in open_["wants"]):
        return "nothing is said that would tell more"
    # A Ready Node counts as healthy, even with hanging parts; other subjects are called healthy only if they
    # were live, too.
    well = question.subject.startswith("node/") or (
        live.report is not None and live.report["diagnoses"][0]["state"] == "fine"
    )
    return "all is said to be well" if diagnosis["state"] == "fine" and not well else ""
