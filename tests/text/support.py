"""Common code of the text readers' tests."""

from __future__ import annotations

from datetime import UTC, datetime
from textwrap import dedent

from unstuck.collect.text import ReadResult, read_text
from unstuck.facts.core import F, Fact
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 0, 10, tzinfo=UTC)
UID = "9e964fdf-0000-4000-8000-000000000001"

YAML = f"""\
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: f
  uid: {UID}
  creationTimestamp: "2026-11-20T23:50:00Z"
spec:
  containers:
  - name: c
    image: a
status:
  phase: Running
"""
DESCRIBE = """\
Name:                      no-configmap
Namespace:                 f
Priority:                  0
Node:                      lab-1/10.222.0.11
Start Time:                Sat, 21 Nov 2026 00:00:01 +0000
Labels:                    app=web
                           tier=front
Annotations:               <none>
Status:                    Terminating (lasts 5m)
Termination Grace Period:  30s
IP:
Init Containers:
  wait:
    Image:         busybox
    State:         Terminated
      Reason:      Completed
      Exit Code:   0
      Started:     Sat, 21 Nov 2026 00:00:02 +0000
      Finished:    Sat, 21 Nov 2026 00:00:03 +0000
    Ready:         True
    Restart Count: 0
Containers:
  c:
    Container ID:  containerd://0a1b
    Image:         lab.local/busybox:1
    Command:
      sleep
      10000
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Ready:          False
    Restart Count:  4
    Limits:
      memory:  32Mi
    Requests:
      memory:     32Mi
    Liveness:     http-get http://:8080/healthz delay=5s timeout=1s period=2s #success=1 #failure=2
    Environment:
      PASSWORD:  hunter2
      TOKEN:     <set to the key 'token' in secret 'api'>  Optional: false
    Mounts:
      /etc/x from v (rw)
Conditions:
  Type              Status
  Initialized       True
  Ready             False
Volumes:
  v:
    Type:      ConfigMap (a volume populated by a ConfigMap)
    Name:      app-conf
    Optional:  false
QoS Class:         Burstable
Node-Selectors:    disk=ssd
                   zone=a
Tolerations:       node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type     Reason       Age                From     Message
  ----     ------       ----               ----     -------
  Normal   Scheduled    10m                default-scheduler  Successfully assigned f/no-configmap to lab-1
  Warning  FailedMount  10s (x6 over 40s)  kubelet  MountVolume.SetUp failed for volume "v" : configmap "app-conf" not found
"""


def read(text: str, name: str = "paste.txt") -> ReadResult:
    return read_text(dedent(text), name, NOW)


def read_facts(text: str) -> list[Fact]:
    return read(text).facts


def pick(found: list[Fact], kind: type[F]) -> list[F]:
    return [f for f in found if isinstance(f, kind)]


def snap(text: str) -> Snapshot:
    return Snapshot(read_facts(text), NOW)
