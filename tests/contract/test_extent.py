"""An error's path outside of the examined area is unknown, never no."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.contract.support import Loaded, judge_case, load_all
from unstuck.diagnosis.verdict import Match, RuledOut, Verdict
from unstuck.facts.aspects.host import FlaggedFiles, PathUses, PodMounts
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.space import DiskSpace, Space
from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.derive.pods import find_node
from unstuck.facts.snapshot import Snapshot

BOUNDED = (DiskSpace, FlaggedFiles, PathUses, PodMounts)
# A path outside of Pods' directories, on an unmeasured mount.
OUTSIDE = "/srv/elsewhere/x"
_ROOT = Space("/", 1 << 30, 1 << 29, 1000, 900, "/", "ext4", holds=("root",))


def looks(subject: Ref, node: Ref | None) -> Iterator[Fact]:
    """Yield empty whole looks of every fact with a bounded area."""
    seen = Source("node-1 looked", "nothing")
    for about in {subject, node or subject}:
        yield FlaggedFiles(
            about=about, src=seen, files=(), under=("/var/lib/kubelet/pods", "/var/lib/containerd")
        )
        yield PathUses(about=about, src=seen, items=())
        yield PodMounts(about=about, src=seen, items=())
        yield DiskSpace(about=about, src=seen, items=(_ROOT,), unmeasured=("/srv",))


def rests_on(verdict: Verdict) -> set[Failure]:
    """Return the messages with a path behind a verdict."""
    shown = verdict.evidence if isinstance(verdict, Match) else ()
    return {e.fact for e in shown if isinstance(e.fact, Failure) and e.fact.path}


def told_of(loaded: Loaded, path: str | None) -> Verdict:
    """Return the verdict with empty looks, after putting this path into the messages behind the case."""
    said = rests_on(judge_case(loaded.cause, loaded.subject, loaded.snapshot))
    kept = [f for f in loaded.snapshot.facts if not isinstance(f, BOUNDED) and f not in said]
    moved = [replace(f, path=path or f.path) for f in said]
    snap = Snapshot(
        [*kept, *moved, *looks(loaded.subject, find_node(loaded.subject, loaded.snapshot))],
        loaded.snapshot.now,
    )
    return judge_case(loaded.cause, loaded.subject, snap)


NAMED = [
    c
    for c in load_all()
    if {*BOUNDED} & c.cause.reads and rests_on(judge_case(c.cause, c.subject, c.snapshot))
]


def test_every_fact_that_a_place_bounds_is_looked_with() -> None:
    assert {kind for kind in find_fact_types().values() if kind.reaches is not Fact.reaches} == set(BOUNDED)


@pytest.mark.parametrize("loaded", NAMED, ids=[c.name for c in NAMED])
def test_what_lies_outside_is_not_ruled_out(loaded: Loaded) -> None:
    verdict = told_of(loaded, OUTSIDE)
    assert not isinstance(verdict, RuledOut), [str(e.fact.src) for e in verdict.evidence]


def test_what_lies_inside_is() -> None:
    out = {c.cause.id for c in NAMED if isinstance(told_of(c, None), RuledOut)}
    assert {"node.disk-full", "file.immutable"} <= out
