"""The controllers that an object leads to: those without a Ready Pod, tied by more than their maker's word."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.cluster import Candidate, FinalizerOwner
from unstuck.facts.aspects.pod import Need, Needs
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.named import find_named_objects

NOW, SRC = datetime(2026, 11, 21, tzinfo=UTC), Source("/x")
POD, CLAIM = Ref("Pod", "shop", "p"), Ref("PersistentVolumeClaim", "shop", "data")
DOWN, UP = Ref("Deployment", "store", "filer"), Ref("Deployment", "store", "filer-2")


def lead(subject: Ref, *facts: Fact) -> list[Ref]:
    return [n.to for n in find_named_objects(subject, Snapshot(facts, NOW))]


def make_work(*found: Candidate) -> ClassWork:
    return ClassWork(
        about=CLAIM,
        src=SRC,
        of=Ref("StorageClass", None, "s"),
        controller="x",
        others=0,
        served=0,
        candidates=found,
    )


def test_a_pod_leads_to_the_stopped_provisioner_of_its_claim() -> None:
    needs = Needs(about=POD, src=SRC, items=(Need(CLAIM, "claim"),))
    assert lead(POD, needs, make_work(Candidate(DOWN, "its template", ready=0))) == [DOWN]


def test_one_that_runs_beside_it_ends_the_way() -> None:
    assert lead(CLAIM, make_work(Candidate(DOWN, "a", ready=0), Candidate(UP, "b", ready=1))) == []


@pytest.mark.parametrize(("weak", "found"), [(False, [DOWN]), (True, [])])
def test_a_finalizer_leads_to_its_stopped_controller(weak: bool, found: list[Ref]) -> None:
    owner = FinalizerOwner(
        about=POD,
        src=SRC,
        finalizer="x.acme.example/y",
        candidates=(Candidate(DOWN, "w", ready=0, weak=weak),),
    )
    assert lead(POD, owner) == found
