"""A fallback yields to a cause that explains its culprit, independent of their ids."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.engine import diagnose
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

POD = Ref("Pod", "shop", "web-0", "u1")
CLAIM = Ref("PersistentVolumeClaim", "shop", "data")
SNAP = Snapshot((Phase(about=POD, src=Source("api"), phase="Pending"),), datetime(2026, 11, 21, tzinfo=UTC))


def cause(name: str, culprit: Ref, *, fallback: bool) -> Cause:
    said = Text(name, name)
    return Cause(
        name,
        said,
        ("*",),
        frozenset({Phase}),
        lambda pod, snap: Signs(
            lambda: Finding(said, culprit, (pod,)), {"pending": some(snap, Phase, pod, lambda f: [f])}
        ),
        fallback=fallback,
    )


@pytest.mark.parametrize(
    ("fallback", "culprit", "told"),
    [
        (True, CLAIM, {"a.specific"}),
        (False, CLAIM, {"a.specific", "b.other"}),
        (True, Ref("PersistentVolumeClaim", "shop", "logs"), {"a.specific", "b.other"}),
    ],
    ids=["same culprit", "no fallback", "another culprit"],
)
def test_a_fallback_is_told_only_where_no_other_cause_has_its_culprit(
    fallback: bool, culprit: Ref, told: set[str]
) -> None:
    causes = (cause("a.specific", CLAIM, fallback=False), cause("b.other", culprit, fallback=fallback))
    assert {c.id for c in diagnose(POD, SNAP, causes).causes} == told
