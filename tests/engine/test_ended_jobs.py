"""A fault in a Pod of a Job that its podFailurePolicy has ended names the rule; any other Job's does not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding
from unstuck.engine.ended_jobs import tell_ended_jobs
from unstuck.facts.aspects.objects import Condition, Conditions, Owners
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, tzinfo=UTC)
POD, JOB = Ref("Pod", "shop", "count-x2"), Ref("Job", "shop", "count")
SAID = "Container c for pod shop/count-x2 failed with exit code 7 matching FailJob rule at index 1"


def tell(reason: str, message: str, id_: str = "program.check-failed") -> CauseMatch:
    src = Source("/x")
    facts = (
        Owners(about=POD, src=src, refs=(JOB,), controller=JOB),
        Conditions(about=JOB, src=src, items=(Condition("Failed", "True", reason, message, NOW),)),
    )
    one = CauseMatch(
        id_, Text("t", "t"), "likely", Finding(Text("it ends", "it ends"), POD, (POD,)), (), via=POD
    )
    (told,) = tell_ended_jobs([one], JOB, Snapshot(facts, NOW))
    return told


def test_the_rule_is_named() -> None:
    told = tell("PodFailurePolicy", SAID)
    assert "spec.podFailurePolicy.rules[1]" in told.finding.says.en and told.finding.help


@pytest.mark.parametrize(
    ("reason", "id_"),
    [("BackoffLimitExceeded", "program.check-failed"), ("PodFailurePolicy", "image.not-found")],
)
def test_nothing_is_added_to_another_end(reason: str, id_: str) -> None:
    assert tell(reason, SAID, id_).finding.says.en == "it ends"
