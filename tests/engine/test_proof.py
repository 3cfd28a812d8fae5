"""The smallest set of facts that proves a cause: it does, and no smaller set does."""

from __future__ import annotations

from importlib.resources import files

import pytest

from tests.contract.support import load_all
from tests.examples import FEW
from unstuck.api.proving import find_proof, verify_saved
from unstuck.api.replaying import replay_saved
from unstuck.api.report import Report
from unstuck.api.saved_files import parse_saved, to_text
from unstuck.diagnosis.answer import CauseMatch
from unstuck.engine import diagnose, list_causes
from unstuck.errors import InputError
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

RECORDS = sorted(
    (f for f in (files("unstuck") / "demo").iterdir() if f.name.endswith(".json.gz")), key=lambda f: f.name
)
EACH = 90 if FEW else 9


def demo(name: str) -> Report:
    return replay_saved(parse_saved((files("unstuck") / "demo" / f"{name}.json.gz").read_bytes(), name))


def reports() -> list[Report]:
    found = [replay_saved(parse_saved(f.read_bytes(), f.name)) for f in RECORDS]
    cases = [c for c in load_all() if c.case.expect in ("proven", "likely")][::EACH]
    return [*found, *(replay_saved(Saved(c.snapshot, c.subject)) for c in cases)]


def test_from_it_the_first_cause_follows_and_from_nothing_smaller() -> None:
    shown = 0
    for report in reports():
        proof = find_proof(report)
        d = next((d for d in report.diagnoses if d.causes), None)
        assert (proof is None) == (d is None)
        if proof is None or d is None:
            continue
        told = d.causes[0]
        again = verify_saved(parse_saved(to_text(proof).encode(), "proof"), "proof")
        assert again.holds and again.told is not None
        assert words(again.told) == words(told)
        facts = proof.snapshot.facts
        assert facts <= report.snapshot.facts
        for fact in facts:
            less = diagnose(
                d.subject, Snapshot(facts - {fact}, proof.snapshot.now), list_causes(), proof.after
            ).causes
            assert not less or words(less[0]) != words(told)
        shown += 1
    assert shown >= 15


def words(told: CauseMatch) -> tuple[object, ...]:
    return told.id, told.confidence, told.finding.says, told.finding.culprit


def test_a_fact_that_is_needed_ends_it_when_it_is_taken_away() -> None:
    proof = find_proof(demo("file-immutable"))
    assert proof is not None and proof.claim is not None
    whole = verify_saved(proof, "proof")
    assert whole.needed and {n.fact for n in whole.needed} <= proof.snapshot.facts
    for one in whole.needed:
        less = verify_saved(
            Saved(
                Snapshot(proof.snapshot.facts - {one.fact}, proof.snapshot.now),
                proof.asked,
                None,
                proof.claim,
            ),
            "less",
        )
        assert not less.holds and less.needed == ()
        assert one.left == (
            less.told.confidence if less.told and less.told.id == proof.claim.cause else one.left
        )


def test_a_whole_snapshot_is_held_to_its_own_cause() -> None:
    report = demo("glusterfs-hung")
    found = verify_saved(report.saved, "saved")
    assert found.holds and found.needed and found.facts == len(report.snapshot.facts)


@pytest.mark.parametrize("asked", [None, Ref("unstuck-scan"), Ref("Pod")])
def test_what_is_not_about_one_object_or_claims_nothing_is_one_line(asked: Ref | None) -> None:
    report = demo("exit-137")
    for saved in (Saved(report.snapshot, asked), report.saved):
        with pytest.raises(InputError) as told:
            verify_saved(saved, "x.json")
        assert "\n" not in str(told.value)
