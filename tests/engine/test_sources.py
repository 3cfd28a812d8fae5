"""A static Pod is fixed in its node's file; any other Pod in its owner's manifest."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.engine.sources import place_remedies
from unstuck.facts.aspects.objects import Labels, Owners
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

POD = Ref("Pod", "edge", "router-lab-2", "00000000-0000-4000-8000-0000000000c1")
MEND = Step(Text("correct args", "correct args"), where="source", verify=Text("then", "then"))
LOOK = Step(Text("see", "see"))


def placed(controller: Ref, *steps: Step) -> Finding:
    facts = [Owners(about=POD, src=Source("x"), refs=(controller,), controller=controller)]
    found = Finding(Text("x", "x"), POD, (), help=steps)
    return place_remedies(found, POD, Snapshot(facts, datetime(2026, 11, 21, tzinfo=UTC)))


def test_of_a_static_pod_the_file_is_looked_for_before_it_is_changed() -> None:
    look, mend, see = placed(Ref("Node", None, "lab-2"), MEND, LOOK).help
    assert (
        look.where == mend.where == "node:lab-2"
        and mend.says.en == "in its file on lab-2: correct args"
        and see == LOOK
    )
    assert look.command.line == "grep -ls -e router /etc/kubernetes/manifests/*"


def test_of_any_other_pod_and_where_nothing_is_changed_it_stays_as_it_is() -> None:
    assert placed(Ref("ReplicaSet", "edge", "router"), MEND).help == (MEND,)
    assert placed(Ref("Node", None, "lab-2"), LOOK).help == (LOOK,)


def test_what_a_custom_resource_makes_is_changed_there() -> None:
    chain = [POD, Ref("StatefulSet", "edge", "crm-db"), Ref("Cluster.postgresql.cnpg.io", "edge", "crm-db")]
    facts = [Owners(about=a, src=Source("x"), refs=(b,), controller=b) for a, b in pairwise(chain)]
    found = place_remedies(
        Finding(Text("x", "x"), POD, (), help=(LOOK, MEND)),
        POD,
        Snapshot(facts, datetime(2026, 11, 21, tzinfo=UTC)),
    )
    assert found.help[0] == LOOK
    assert (
        "Cluster" in found.help[1].says.en
        and found.help[1].says.en.endswith("correct args")
        and found.help[1].where == "cluster"
    )


@pytest.mark.parametrize(
    ("labels", "notes", "source"),
    [
        (
            [
                ("kustomize.toolkit.fluxcd.io/name", "apps"),
                ("kustomize.toolkit.fluxcd.io/namespace", "flux-system"),
            ],
            [],
            "flux-system/apps",
        ),
        ([], [("argocd.argoproj.io/tracking-id", "edge:apps/Deployment:edge/router")], "Application edge"),
        ([], [("meta.helm.sh/release-name", "router")], "Helm release router"),
        ([("app", "router")], [], ""),
    ],
)
def test_what_applies_the_manifest_is_named_once(labels, notes, source):
    deploy = Ref("Deployment", "edge", "router")
    facts = [
        Owners(about=POD, src=Source("x"), refs=(deploy,), controller=deploy),
        Labels(about=deploy, src=Source("x"), items=tuple(labels), annotations=tuple(notes)),
    ]
    steps = place_remedies(
        Finding(Text("x", "x"), POD, (), help=(LOOK, MEND, MEND)),
        POD,
        Snapshot(facts, datetime(2026, 11, 21, tzinfo=UTC)),
    ).help
    told = [step.says.en for step in steps]
    assert told[0] == "see" and told[2] == "correct args"
    assert (source in told[1] and "that manifest comes from" in told[1]) if source else told[1] == told[2]
