"""Answers about a pasted finished Pod: `kubectl describe` does not show its deletion."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.engine import diagnose, discover
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.render.text import write_text

NOW = datetime(2026, 11, 21, 3, 1, 0, tzinfo=UTC)
STOPPED = "  Normal  Killing  10m  kubelet  Stopping container c\n"
# The object itself, which always shows a deletion.
STAYS = (
    "\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: f, uid: u-1}\n"
    "spec: {nodeName: n-1, restartPolicy: Never, containers: [{name: c, image: i}]}\nstatus: {phase: "
    "Succeeded}\n"
)


def described(phase: str, event: str = STOPPED, reason: str = "", code: int = 0) -> str:
    ended = "Completed" if code == 0 else "Error"
    return f"""Name:             p
Namespace:        f
Priority:         0
Node:             n-1/10.0.0.2
Start Time:       Sat, 21 Nov 2026 02:58:41 +0000
Status:           {phase}
{f"Reason:           {reason}" if reason else "IP:               10.1.0.2"}
Init Containers:
  proxy:
    Container ID:   containerd://b
    Image:          i
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
    Ready:          True
    Restart Count:  0
Containers:
  c:
    Container ID:   containerd://a
    Image:          i
    State:          Terminated
      Reason:       {ended}
      Exit Code:    {code}
      Started:      Sat, 21 Nov 2026 02:58:45 +0000
      Finished:     Sat, 21 Nov 2026 02:59:45 +0000
    Ready:          False
    Restart Count:  0
Conditions:
  Type           Status
  Initialized    True
  Ready          False
  PodScheduled   True
Events:
  Type    Reason   Age  From     Message
  ----    ------   ---  ----     -------
{event}"""


def told(paste: str) -> Diagnosis:
    return diagnose(Ref("Pod", "f", "p"), Snapshot(read_text(paste, "paste.txt", NOW).facts, NOW), discover())


@pytest.mark.parametrize(("phase", "code"), [("Succeeded", 0), ("Failed", 137)])
def test_one_that_its_kubelet_stopped_may_be_going_and_what_tells_is_named(phase: str, code: int) -> None:
    found = told(described(phase, code=code))
    assert found.state.name == "unknown"
    assert not found.causes
    shown = {lang: write_text(Answer(NOW, (), (found,)), lang, 160, colour=False) for lang in ("en", "zh")}
    assert "whether it is being deleted was not seen" in shown["en"]
    assert "未看到是否正在删除" in shown["zh"]
    assert all("kubectl get pod/p -n f -o yaml" in words and "✓ Pod" not in words for words in shown.values())


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("", ""),
        ("  Normal  Killing  10m  kubelet  Stopping container proxy\n", ""),
        ("  Normal  Killing  10m  kubelet  Container c failed liveness probe, will be restarted\n", ""),
        (STOPPED, "Evicted"),
    ],
    ids=["nothing", "a sidecar after the work", "restarted for a probe", "evicted"],
)
def test_one_that_ended_by_itself_or_for_a_reason_that_is_told_does_not_read_as_one_that_goes(
    event: str, reason: str
) -> None:
    assert told(described("Failed", event, reason, 137)).state.name == "stuck"
    assert told(described("Succeeded", event, reason)).state.name == "fine"


def test_its_object_says_that_it_stays() -> None:
    found = told(described("Succeeded") + STAYS)
    assert (found.state.name, found.state.headline.en) == ("fine", "Pod f/p — Completed")


def test_of_one_that_has_completed_no_cause_is_told() -> None:
    found = told(described("Succeeded", ""))
    assert (found.state.name, found.causes) == ("fine", ())
    assert all(
        s.state == "done"
        for s in found.stages
        if s.id in ("images-pulled", "containers-created", "started", "stays-up")
    )
