"""A described object is assumed to have a problem: a healthy-looking one gets no tick, and the missing
evidence is requested next.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.api.replaying import diagnose_again
from unstuck.cli.status import status_of
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.facts.codec import Saved
from unstuck.facts.snapshot import Snapshot
from unstuck.render.text import write_text

AT = datetime(2026, 11, 27, 22, 0, 30, tzinfo=UTC)
NODE = """$ kubectl describe node lab-3
Name:               lab-3
Roles:              <none>
Labels:             kubernetes.io/os=linux
Annotations:        <none>
CreationTimestamp:  Fri, 27 Nov 2026 20:00:00 +0000
Taints:             <none>
Unschedulable:      false
Conditions:
  Type    Status  LastHeartbeatTime                LastTransitionTime               Reason        Message
  ----    ------  -----------------                ------------------               ------        -------
  Ready   True    Fri, 27 Nov 2026 22:00:00 +0000  Fri, 27 Nov 2026 20:00:00 +0000  KubeletReady  kubelet is posting ready status
System Info:
  Kubelet Version:            v1.31.4
Events:              <none>
"""
DEPLOYMENT = """$ kubectl describe deployment web -n shop
Name:                   web
Namespace:              shop
CreationTimestamp:      Fri, 27 Nov 2026 22:00:00 +0000
Labels:                 <none>
Annotations:            <none>
Selector:               app=web
Replicas:               2 desired | 2 updated | 2 total | 0 available | 2 unavailable
StrategyType:           RollingUpdate
Pod Template:
  Labels:  app=web
Conditions:
  Type           Status  Reason
  ----           ------  ------
  Available      False   MinimumReplicasUnavailable
  Progressing    True    ReplicaSetUpdated
OldReplicaSets:  <none>
NewReplicaSet:   web-7fd5b9b8c (2/2 replicas created)
Events:          <none>
"""
POD = """$ kubectl describe pod web-0 -n shop
Name:             web-0
Namespace:        shop
Node:             lab-1/10.0.0.1
Start Time:       Fri, 27 Nov 2026 20:00:00 +0000
Labels:           app=web
Annotations:      <none>
Status:           Running
IP:               10.244.1.4
Controlled By:    StatefulSet/web
Containers:
  c:
    Container ID:   containerd://0a1b2c3d4e5f
    Image:          nginx
    Image ID:       nginx@sha256:0a
    State:          Running
      Started:      Fri, 27 Nov 2026 20:00:02 +0000
    Ready:          True
    Restart Count:  0
Conditions:
  Type                        Status
  PodReadyToStartContainers   True
  Initialized                 True
  Ready                       True
  ContainersReady             True
  PodScheduled                True
Volumes:           <none>
QoS Class:         BestEffort
Events:            <none>
"""
CORDONED = NODE.replace("Unschedulable:      false", "Unschedulable:      true")
FIRST = [
    pytest.param(
        NODE, "fine", "?", "unstuck why node/lab-3 --ssh=lab-3", "the node was not looked at", id="node"
    ),
    pytest.param(
        CORDONED,
        "held",
        "‖",
        "unstuck why node/lab-3 --ssh=lab-3",
        "the node was not looked at",
        id="cordoned",
    ),
    pytest.param(
        DEPLOYMENT,
        "progressing",
        "…",
        "unstuck why deployment/web -n shop",
        "its Pods were not read",
        id="deployment",
    ),
    pytest.param(
        POD, "fine", "?", "unstuck why pod/web-0 -n shop", "nothing is wrong in what was read", id="pod"
    ),
]


def read(pasted: str, source: str = "file:-") -> tuple[Diagnosis, ...]:
    facts = read_text(pasted, "paste.txt", AT).facts
    return tuple(diagnose_again(Saved(Snapshot(facts, AT, (source,)), None))[0])


@pytest.mark.parametrize(("pasted", "state", "mark", "command", "says"), FIRST)
def test_what_looks_well_says_what_was_left_out_and_how_to_look(
    pasted: str, state: str, mark: str, command: str, says: str
) -> None:
    (found,) = read(pasted)
    report = Answer(AT, ("file:-",), (found,))
    shown = write_text(report, "en", 160, colour=False)
    assert (found.state.name, found.next[0].command.line) == (state, command)
    assert shown.startswith(mark) and says in shown.splitlines()[0] and command in shown
    assert status_of(report) == 0, "nothing wrong was seen"


def test_a_workload_whose_pods_were_not_read_may_be_described_with_them() -> None:
    (found,) = read(DEPLOYMENT)
    assert found.next[1].command.line == "kubectl describe pods web- -n shop | unstuck read -"


def test_of_several_that_look_well_none_is_asked_about_where_they_are_many() -> None:
    assert len(read("\n".join(NODE.replace("lab-3", f"lab-{n}") for n in range(3)))) == 3
    assert read("\n".join(NODE.replace("lab-3", f"lab-{n}") for n in range(4))) == ()


def test_beside_what_is_ill_nothing_is_said_of_what_looks_well() -> None:
    ill = (
        POD.replace("web-0", "web-1")
        .replace("Ready:          True", "Ready:          False")
        .replace("Ready                       True", "Ready                       False")
    )
    assert [d.subject.name for d in read(f"{NODE}\n{ill}")] == ["web-1"]


def test_what_a_cluster_told_is_ticked_off() -> None:
    (found,) = read(NODE, "live:lab") or (None,)
    assert (
        found is not None
        and found.next == ()
        and write_text(Answer(AT, ("live:lab",), (found,)), "en", 80, colour=False).startswith("✓")
    )
