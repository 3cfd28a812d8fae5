"""The grace period in the headline of a deletion, before and after its end, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.state import judge_state

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)
POD = Ref("Pod", "f", "p", "u-1")


@pytest.mark.parametrize(
    ("due", "en", "zh"),
    [
        (1, "; its grace period ends in 1 s", "；宽限期还剩 1 秒"),
        (0, " (grace period was 1 s)", "（宽限期 1 秒，已过）"),
        (-90, " (grace period was 1 s)", "（宽限期 1 秒，已过）"),
    ],
)
def test_a_grace_period_that_is_over_does_not_read_as_one_to_come(due: int, en: str, zh: str) -> None:
    deletion = Deletion(
        about=POD, src=Source("api"), requested=True, due=NOW + timedelta(seconds=due), grace=1
    )
    headline = judge_state(POD, Snapshot((deletion,), NOW), ()).headline
    assert headline.en.endswith(en) and headline.zh.endswith(zh)
