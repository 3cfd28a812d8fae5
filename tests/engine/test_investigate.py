"""The questions: none about healthy objects except their Services, and the findings about them
nevertheless.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import discover, investigate
from unstuck.facts.aspects.kubelet import StaticManifests
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.services import ServicesBeside
from unstuck.facts.core import Fact, Ref, Source, Want
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 0, 58, tzinfo=UTC)
NODE = Ref("Node", None, "n-1")


def asked_about(annotations: str, made: str) -> tuple[list[Want], Diagnosis]:
    """Return the questions about a Pod Ready since 00:20, with an old Node and a manifest."""
    text = f"""
apiVersion: v1
kind: Pod
metadata: {{name: web-n-1, namespace: shop, uid: u-1, creationTimestamp: "{made}", annotations: {{{annotations}}}}}
spec: {{nodeName: n-1, containers: [{{name: c, image: a/b}}]}}
status:
  phase: Running
  startTime: "2026-11-21T00:20:00Z"
  conditions:
  - {{type: PodScheduled, status: "True"}}
  - {{type: PodReadyToStartContainers, status: "True"}}
  - {{type: Initialized, status: "True"}}
  - {{type: Ready, status: "True"}}
  containerStatuses:
  - {{name: c, image: a/b, ready: true, started: true, restartCount: 0, state: {{running: {{startedAt: "2026-11-21T00:20:02Z"}}}}}}
"""
    put: list[Want] = []
    answers: dict[type[Fact], Fact] = {
        Presence: Presence(
            about=NODE,
            src=Source("/api/v1/nodes/n-1"),
            exists=True,
            created=datetime(2026, 11, 1, tzinfo=UTC),
        ),
        StaticManifests: StaticManifests(
            about=NODE,
            src=Source("n-1 /etc/m"),
            path="/etc/m",
            names=("web.yaml",),
            pods=(("web.yaml", "shop/web"),),
        ),
    }

    def collect(wants: Sequence[Want]) -> list[Fact]:
        put.extend(wants)
        return [answers[w.fact] for w in wants if w.fact in answers]

    snap = Snapshot(read_text(text, "pod.yaml", NOW).facts, NOW)
    return put, investigate(Ref("Pod", "shop", "web-n-1", "u-1"), snap, discover(), collect)[1]


@pytest.mark.parametrize(
    ("annotations", "made"),
    [("a: b", "2026-11-21T00:50:00Z"), ("kubernetes.io/config.mirror: h", "2026-11-21T00:20:01Z")],
)
def test_of_what_is_fine_only_its_services_are_asked(annotations: str, made: str) -> None:
    put, answer = asked_about(annotations, made)
    assert ({w.fact for w in put}, answer.state.name, answer.causes) == ({ServicesBeside}, "fine", ())


def test_what_was_found_of_a_fine_thing_is_followed() -> None:
    put, answer = asked_about("kubernetes.io/config.mirror: h", "2026-11-21T00:50:00Z")
    assert [w.fact for w in put] == [Presence, ServicesBeside, StaticManifests]
    (told,) = answer.causes
    assert (answer.state.name, told.id, told.confidence) == ("fine", "deletion.mirror-pod", "proven")
    assert told.finding.culprit == Ref("File", "n-1", "/etc/m/web.yaml")
