"""An unknown failure: the stage, the reporting component, the innermost error and possible causes, never
silence and never a guess.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.closed import CLOSED
from unstuck.api.ranking import rank_diagnoses_of_text as told_of_text
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.engine import diagnose, discover
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.render.json import make_document
from unstuck.render.text import write_text
from unstuck.render.words import Lang
from unstuck.wording.match import find_failures

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
AT = "2026-11-21T02:50:40Z"
LANGS: tuple[Lang, ...] = ("en", "zh")
# No component prints these, so no pattern matches them; they are long enough for a wrapper's row to be cut
# before their end.
SAID = st.lists(
    st.sampled_from(("zorb", "flux", "quux", "blorp", "grault", "fnord", "17")), min_size=3, max_size=30
).map(" ".join)


@dataclass(frozen=True)
class Where:
    """The report of a failure at one stage. family: "" if none can be named. `%s` in wrapped stands for the
    invented message.
    """

    stage: str
    family: str
    waiting: str
    event: str
    wrapped: str = "%s"
    in_status: bool = False


PLACES = (
    Where(
        "devices-and-volumes-prepared",
        "volume.",
        "ContainerCreating",
        "FailedMount",
        'MountVolume.SetUp failed for volume "data" : %s',
    ),
    Where("devices-and-volumes-prepared", "volume.", "ContainerCreating", "FailedMount"),
    Where(
        "devices-and-volumes-prepared",
        "volume.",
        "ContainerCreating",
        "FailedAttachVolume",
        'AttachVolume.Attach failed for volume "v" : %s',
    ),
    Where(
        "sandbox-and-network",
        "network.",
        "ContainerCreating",
        "FailedCreatePodSandBox",
        "Failed to create pod sandbox: rpc error: code = Unknown desc = %s",
    ),
    Where("sandbox-and-network", "network.", "ContainerCreating", "FailedCreatePodSandBox"),
    Where(
        "images-pulled",
        "image.",
        "ErrImagePull",
        "Failed",
        'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = %s',
        in_status=True,
    ),
    Where("images-pulled", "image.", "ImageInspectError", "InspectFailed", in_status=True),
    Where("containers-created", "container.", "CreateContainerError", "Failed", "Error: %s", in_status=True),
    Where(
        "containers-created",
        "container.",
        "CreateContainerConfigError",
        "Failed",
        "Error: %s",
        in_status=True,
    ),
    Where("started", "container.", "RunContainerError", "Failed", "Error: %s", in_status=True),
    Where(
        "started",
        "container.",
        "RunContainerError",
        "Failed",
        "Error: failed to start containerd task: OCI runtime start failed: %s",
        in_status=True,
    ),
    # Uninformative messages: they are quoted, and no cause is placed before them.
    Where("devices-and-volumes-prepared", "", "ContainerCreating", "NobodyKnowsThisReason"),
)


def pasted(where: Where, said: str) -> str:
    waiting = {"reason": where.waiting, **({"message": said} if where.in_status else {})}
    status = {
        "name": "c",
        "image": "r.example/a:1",
        "ready": False,
        "restartCount": 0,
        "state": {"waiting": waiting},
    }
    conditions = [
        {"type": t, "status": s, "lastTransitionTime": AT}
        for t, s in (("PodScheduled", "True"), ("Initialized", "True"), ("Ready", "False"))
    ]
    pod: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "namespace": "f",
            "uid": "00000000-0000-4000-8000-0000000000e1",
            "creationTimestamp": AT,
        },
        "spec": {"nodeName": "n-1", "containers": [{"name": "c", "image": "r.example/a:1"}]},
        "status": {
            "phase": "Pending",
            "startTime": AT,
            "conditions": conditions,
            "containerStatuses": [status],
        },
    }
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "p.1", "namespace": "f"},
        "involvedObject": {"kind": "Pod", "namespace": "f", "name": "p", "uid": pod["metadata"]["uid"]},
        "type": "Warning",
        "reason": where.event,
        "message": where.wrapped % said,
        "count": 9,
        "firstTimestamp": AT,
        "lastTimestamp": "2026-11-21T03:00:40Z",
        "source": {"component": "kubelet", "host": "n-1"},
    }
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod, event]})


@pytest.mark.parametrize("where", PLACES, ids=lambda w: f"{w.event}-{w.waiting}")
@settings(max_examples=8, deadline=None)
@given(said=SAID)
def test_what_no_cause_knows_is_quoted_where_it_stands(where: Where, said: str) -> None:
    snap = Snapshot(read_text(pasted(where, said), "paste.json", NOW).facts, NOW)
    found = diagnose(Ref("Pod", "f", "p"), snap, discover())
    assert found.state.name == "stuck" and not found.causes
    stage = next(s for s in found.stages if s.state in ("not-done", "unknown"))
    assert stage.id == where.stage
    assert any(o.id.startswith(where.family) and o.stage == where.stage for o in found.undecided)
    for lang in LANGS:
        shown = " ".join(write_text(Answer(NOW, (), (found,)), lang, 100, colour=False).split())
        assert " ".join(said.split()) in shown, "the innermost error, to its end"
        assert "kubelet" in shown
        assert (stage.says.zh if lang == "zh" else stage.says.en) in shown
        assert not where.family or f" {where.family}" in shown, "what it may be, by its id"
    assert any(i.startswith(where.family) for i in found.leads) == bool(where.family)
    assert said_in_json(
        found,
        [
            e
            for s in make_document(Answer(NOW, (), (found,)))["diagnoses"][0]["stages"]
            for e in s["evidence"]
        ],
        said,
    )


def said_in_json(found: Diagnosis, among: list[int], said: str) -> bool:
    """Tell whether the evidence names the component and has the innermost error in full, for a wrapper of any
    length.
    """
    evidence = make_document(Answer(NOW, (), (found,)))["diagnoses"][0]["evidence"]
    told = [evidence[i] for i in among if "error" in evidence[i]]
    CLOSED.validate(make_document(Answer(NOW, (), (found,))))
    return any(
        (e["reporter"] or "").startswith("kubelet")
        and " ".join(e["error"].split()).endswith(" ".join(said.split()))
        for e in told
    )


def deployment(said: str) -> tuple[str, Ref]:
    """Return a Deployment with the server's own answer to its ReplicaSet's controller."""
    return (
        f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: d, namespace: f, uid: u-d, creationTimestamp: "{AT}"}}
spec: {{replicas: 2, template: {{metadata: {{labels: {{app: d}}}}, spec: {{containers: [{{name: c, image: a}}]}}}}}}
status:
  unavailableReplicas: 2
  conditions: [{{type: ReplicaFailure, status: "True", reason: FailedCreate, message: '{said}', lastTransitionTime: "{AT}"}}]
""",
        Ref("Deployment", "f", "d"),
    )


def replica_set(said: str) -> tuple[str, Ref]:
    """Return a ReplicaSet with the only remaining row of `kubectl get events`."""
    return (
        f"$ kubectl get events -n f\nLAST SEEN   TYPE      REASON         OBJECT             MESSAGE\n"
        f"2m          Warning   FailedCreate   replicaset/d-7c9   Error creating: {said}\n",
        Ref("ReplicaSet", "f", "d-7c9"),
    )


def node(said: str) -> tuple[str, Ref]:
    """Return a Node with its kubelet's reason for not being Ready."""
    return (
        f"""
apiVersion: v1
kind: Node
metadata: {{name: n-1, uid: u-n, creationTimestamp: "{AT}"}}
status:
  nodeInfo: {{kubeletVersion: v1.34.1, containerRuntimeVersion: "containerd://2.1.0"}}
  conditions: [{{type: Ready, status: "False", reason: KubeletNotReady, message: '{said}', lastTransitionTime: "{AT}"}}]
""",
        Ref("Node", None, "n-1"),
    )


@pytest.mark.parametrize(
    ("told_of", "family"), [(deployment, "admission."), (replica_set, "controller."), (node, "kubelet.")]
)
@settings(max_examples=4, deadline=None)
@given(said=SAID)
def test_so_is_what_is_said_of_what_has_no_line_of_stages(
    told_of: Callable[[str], tuple[str, Ref]], family: str, said: str
) -> None:
    shown_text, subject = told_of(said)
    snap = Snapshot(read_text(shown_text, "paste.txt", NOW).facts, NOW)
    (found,) = [d for d in told(snap) if d.subject.name == subject.name]
    assert found.state.name in ("stuck", "unknown") and not found.causes
    assert any(o.id.startswith(family) for o in found.undecided)
    for lang in LANGS:
        shown = " ".join(write_text(Answer(NOW, (), (found,)), lang, 100, colour=False).split())
        assert " ".join(said.split()) in shown and f" {family}" in shown
    evidence = make_document(Answer(NOW, (), (found,)))["diagnoses"][0]["evidence"]
    mine = [e for e in evidence if " ".join(e.get("error", "").split()).endswith(" ".join(said.split()))]
    # Rows of `kubectl get events` do not name the component.
    assert mine and all(bool(e["reporter"]) == (told_of is not replica_set) for e in mine)


def told(snap: Snapshot) -> list[Diagnosis]:
    """Return the answer of `unstuck read`."""
    return told_of_text(snap, discover())


def test_a_probes_answer_is_quoted_whole() -> None:
    said = "cat: can't open '/tmp/up': No such file or directory"
    (failure,) = find_failures(
        f"Readiness probe failed: {said}", about=Ref("Pod", "f", "p"), src=Source("e"), reason="Unhealthy"
    )
    assert (failure.operation, failure.message) == ("probe-readiness", said)


def test_what_the_kubelet_says_while_it_waits_is_no_failure() -> None:
    where = Where("images-pulled", "image.", "ImagePullBackOff", "BackOff", in_status=True)
    snap = Snapshot(
        read_text(pasted(where, 'Back-off pulling image "r.example/a:1"'), "paste.json", NOW).facts, NOW
    )
    found = diagnose(Ref("Pod", "f", "p"), snap, discover())
    assert found.state.name == "stuck" and not found.causes
    assert not any(
        "image-pull" in repr(f) for s in found.stages for f in s.evidence if type(f).__name__ == "Failure"
    )
