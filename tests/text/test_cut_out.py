"""Excerpts of texts about a Pod: their facts, their subject, and their open questions."""

from __future__ import annotations

from tests.text.support import NOW, pick
from unstuck.causes.container import exits_by_itself
from unstuck.collect.text import read_text
from unstuck.engine import diagnose
from unstuck.facts.aspects.objects import Events, Failure, Phase, Presence
from unstuck.facts.aspects.oom import OomKills
from unstuck.facts.aspects.pod import ContainerStatuses, LastLines
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot

STATES = """\
    "lastState": {
      "terminated": {
        "exitCode": 137,
        "finishedAt": "2026-11-21T00:05:31Z",
        "reason": "Error",
        "startedAt": "2026-11-20T20:11:02Z"
      }
    },
    "name": "web",
    "ready": true,
    "restartCount": 1,
    "state": {
      "running": {
        "startedAt": "2026-11-21T00:05:32Z"
      }
    }
"""
LIMIT = "The node was low on resource: ephemeral-storage. Container c was using 73712Ki, which exceeds its request of 0. "


def facts(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


def test_a_containers_states_as_json() -> None:
    (told,) = pick(facts(STATES), ContainerStatuses)
    (status,) = told.items
    assert (status.name, status.state, status.ready, status.restarts) == ("web", "running", True, 1)
    assert status.last is not None
    assert (status.last.code, status.last.reason) == (137, "Error")
    assert (told.about.block, told.whole) == ("paste.txt:1-16", False)


def test_one_state_as_json_where_the_rest_was_not_copied() -> None:
    (told,) = pick(facts("\n".join(STATES.split("\n")[:8]) + "\n  }\n"), ContainerStatuses)
    assert [s.last.code for s in told.items if s.last] == [137]


def test_braces_that_never_close_are_not_guessed() -> None:
    assert pick(facts("\n".join(STATES.split("\n")[:5])), ContainerStatuses) == []


def test_containers_that_run_and_are_ready_are_not_called_down() -> None:
    snap = Snapshot(facts(STATES), NOW)
    (told,) = pick(snap.facts, ContainerStatuses)
    assert diagnose(told.about, snap, []).state.name == "unknown"


def test_why_a_pod_failed_as_a_whole() -> None:
    (told,) = pick(facts(f"Status:       Failed\nReason:       Evicted\nMessage:      {LIMIT}\n"), Phase)
    assert (told.phase, told.reason, told.message) == ("Failed", "Evicted", LIMIT.strip())


def test_why_a_pod_failed_as_yaml() -> None:
    (told,) = pick(facts(f"status:\n  message: '{LIMIT}'\n  phase: Failed\n  reason: Evicted\n"), Phase)
    assert (told.phase, told.reason, told.message.strip()) == ("Failed", "Evicted", LIMIT.strip())


def test_the_kubelets_sentence_of_an_eviction_alone() -> None:
    (told,) = pick(facts(f"web-0   shop   Evicted   n-1   {LIMIT}\n"), Events)
    assert [(e.reason, e.message) for e in told.items] == [("Evicted", LIMIT)]


def test_somebodys_own_words_of_it_are_none() -> None:
    assert (
        pick(facts("The node was low on resource: ephemeral-storage, and pods were evicted\n"), Events) == []
    )


def test_events_below_an_object_are_not_part_of_it() -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: f\nspec:\n  containers:\n  - name: c\n    image: a\n\n"
        "Events:\n  Type     Reason   Age   From     Message\n  ----     ------   ---   ----     -------\n"
        "  Warning  BackOff  10s   kubelet  Back-off restarting failed container\n"
    )
    found = facts(text)
    assert Ref("Pod", "f", "web") in {f.about for f in pick(found, Presence)} | {f.about for f in found}
    assert [e.reason for f in pick(found, Events) for e in f.items] == ["BackOff"]


def test_a_log_that_is_the_runtimes_refusal_tells_of_the_pod_that_is_named() -> None:
    text = '$kubectl logs web-0\nDefaulted container "app" out of: app, setup (init)\nexec /bin/sh: exec format error\n'
    (told,) = pick(facts(text), Failure)
    assert (told.about, told.container, told.error) == (Ref("Pod", None, "web-0"), "app", "exec-format")


def test_a_log_that_holds_more_is_the_programs_own() -> None:
    assert pick(facts("$ kubectl logs web-0\nstarting\nexec /bin/sh: exec format error\n"), Failure) == []


def test_the_container_that_kubectl_chose_is_that_of_the_log() -> None:
    older = "Defaulting container name to app.\nUse 'kubectl describe pod/web-0 -n f' to see all of the containers in this pod.\nboom\n"
    (told,) = pick(facts(f"k logs web-0 -n f\n{older}"), LastLines)
    assert (told.about, told.lines) == (Ref("Container", "f/web-0", "app"), ("boom",))


def test_a_kernels_words_that_begin_within_its_report_name_the_pod() -> None:
    uid, container = "95387fa4-da9c-11e7-9d36-5254b24cbf5e", "6" * 64
    text = (
        f"[Sat Nov 21 00:05:14 2026] Memory cgroup stats for /kubepods/pod{uid}/{container}: cache:32KB rss:524188KB\n"
        "[Sat Nov 21 00:05:15 2026] Memory cgroup out of memory: Kill process 24572 (java) score 0 or sacrifice child\n"
    )
    (told,) = pick(facts(text), OomKills)
    assert (told.about, [(k.comm, k.why, k.container) for k in told.kills]) == (
        Ref("Pod", uid=uid),
        [("java", "memcg", container)],
    )


def test_a_pod_that_went_down_with_its_node_has_not_completed() -> None:
    """kubernetes/kubernetes#104531: its phase still is Running, its row says Completed."""
    text = """\
$ kubectl get pods
NAME    READY   STATUS      RESTARTS   AGE
web-0   0/1     Completed   0          2m54s

$ kubectl describe pod web-0
Name:         web-0
Namespace:    default
Node:         n-1/10.0.0.1
Start Time:   Fri, 20 Nov 2026 16:26:22 +0000
Labels:       app=web
Annotations:  <none>
Status:       Running
Reason:       Terminated
Message:      Pod was terminated in response to imminent node shutdown.
IP:           10.36.0.1
Containers:
  web:
    Container ID:   containerd://b6ef75dc8e4e3ba0d4e0ab1ae58bf8cce9ec4f3d0a6c1cd5a0e8f1ac3d1c2b3a
    Image:          web:1
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      Fri, 20 Nov 2026 16:26:24 +0000
      Finished:     Fri, 20 Nov 2026 16:28:30 +0000
    Ready:          False
    Restart Count:  0
Conditions:
  Type              Status
  Initialized       True
  Ready             False
  ContainersReady   False
  PodScheduled      True
"""
    for one in (text, text.partition("\n\n")[2]):
        found = diagnose(
            Ref("Pod", "default", "web-0"),
            Snapshot(read_text(one, "t", NOW).facts, NOW),
            [exits_by_itself.CAUSE],
        )
        assert found.state.name == "stuck"
        assert "Terminated" in found.state.headline.en
        assert not found.causes
