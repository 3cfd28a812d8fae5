"""Objects pasted as JSON or YAML, described, or refused by the server."""

from __future__ import annotations

import json

import pytest

from tests.text.support import UID, facts, only, read, snap
from unstuck.facts.aspects.cluster import NodeInfo, NodeShape
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Finalizers, Keys, Names, Phase, Presence
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Needs, Placement
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Ref, Refused

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "f", "uid": UID, "creationTimestamp": "2026-11-20T23:50:00Z"},
    "spec": {"nodeName": "lab-1", "containers": [{"name": "c", "image": "a"}]},
    "status": {"phase": "Running"},
}
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


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(POD),
        json.dumps(POD, indent=4),
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [POD]}, indent=2),
        YAML,
        f"---\n{YAML}---\nkind: ConfigMap\napiVersion: v1\nmetadata:\n  name: x\n",
        "$ kubectl get pod p -n f -o yaml\n" + YAML,
        "```yaml\n" + YAML + "```\n",
        YAML.replace("\n", "\r\n"),
    ],
)
def test_an_object_in_any_wrapping_is_whole(text: str) -> None:
    result = read(text)
    (phase,) = only(result.facts, Phase)
    assert phase.about == Ref("Pod", "f", "p", UID)
    assert phase.phase == "Running"
    assert phase.whole
    assert result.not_understood == []


def test_what_was_left_out_by_hand_is_not_whole() -> None:
    told = facts(YAML.replace("spec:\n", "  ...\nspec:\n"))
    assert [f for f in told if f.whole and not isinstance(f, Presence)] == []
    assert only(told, Phase)


def test_prose_that_mentions_a_kind_is_no_object() -> None:
    assert facts("kind: words are free\nand so is this\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\nmetadata: &a [*a, *a]\n",
        "a: &a [x]\nkind: Pod\nmetadata: {name: x}\nb: *a\n",
        "kind: Pod\nmetadata: " + "[" * 500 + "]" * 500,
        '{"kind": "Pod", "metadata": ' + '{"a":' * 2000 + "1" + "}" * 2000 + "}",
        '{"kind": "Pod", "metadata": {"name": "x"',
        "kind: Pod\nmetadata:\n  name: !!python/object/apply:os.system [true]\n",
    ],
)
def test_bombs_and_broken_documents_are_not_understood(text: str) -> None:
    assert read(text).facts == []


def test_no_secret_leaves_the_text() -> None:
    told = facts(
        """\
        apiVersion: v1
        kind: Secret
        metadata: {name: db, namespace: f, uid: 00000000-0000-4000-8000-000000000000}
        data: {password: aHVudGVyMg==}
        stringData: {other: hunter2}
        """
    )
    assert set(only(told, Keys)[0].names) >= {"password"}
    described = facts(DESCRIBE)
    assert "hunter2" not in repr(told) + repr(described)
    assert "aHVudGVyMg" not in repr(told)


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


def test_a_described_pod() -> None:
    seen = snap(DESCRIBE)
    pod = Ref("Pod", "f", "no-configmap")
    deletion = seen.one(Deletion, pod)
    assert deletion and deletion.requested and deletion.whole and deletion.grace == 30
    assert deletion.due and deletion.due.isoformat() == "2026-11-21T00:05:00+00:00"
    placement = seen.one(Placement, pod)
    assert placement and placement.node == Ref("Node", None, "lab-1")
    needs = seen.one(Needs, pod)
    assert needs and {(n.object.kind, n.object.name, n.key) for n in needs.items} >= {
        ("ConfigMap", "app-conf", None),
        ("Secret", "api", "token"),
    }
    statuses = seen.one(ContainerStatuses, pod)
    assert statuses and statuses.whole
    assert not (seen.one(Conditions, pod) or pytest.fail()).whole
    status = next(s for s in statuses.items if s.name == "c")
    assert (status.reason, status.restarts, status.last.reason if status.last else "") == ("CrashLoopBackOff", 4, "OOMKilled")
    assert next(s for s in statuses.items if s.name == "wait").kind == "init"
    spec = next(c for c in (seen.one(Containers, pod) or pytest.fail()).items if c.name == "c")
    assert spec.limits == (("memory", "32Mi"),)
    assert spec.command == "sleep"
    assert spec.liveness and (spec.liveness.period, spec.liveness.failures, spec.liveness.delay) == (2, 2, 5)
    (failure,) = only(list(seen.facts), Failure)
    assert (failure.about, failure.object, failure.count) == (pod, Ref("ConfigMap", "f", "app-conf"), 6)
    assert seen.one(Finalizers, pod) is None
    assert seen.one(Phase, pod) is None


def test_describe_is_silent_about_the_deletion_of_a_pod_in_a_terminal_phase() -> None:
    told = snap("Name:  p\nNamespace:  f\nNode:  n/1.2.3.4\nStatus:  Failed\nContainers:\n  c:\n    Image:  a\n")
    assert told.one(Deletion, Ref("Pod", "f", "p")) is None
    assert told.one(Phase, Ref("Pod", "f", "p"))


def test_a_description_that_was_cut_is_whole_in_nothing_but_its_presence() -> None:
    told = facts(DESCRIBE[: DESCRIBE.index("Volumes:")])
    assert {type(f).__name__ for f in told if f.whole} == {"Presence", "Deletion"}


def test_two_objects_described_in_a_row_stay_apart() -> None:
    told = snap(DESCRIBE + "\n\n" + DESCRIBE.replace("no-configmap", "other"))
    assert {f.about.name for f in told.every(Failure)} == {"no-configmap", "other"}


def test_a_described_node() -> None:
    told = snap(
        """\
        Name:               n-1
        Roles:              <none>
        Labels:             kubernetes.io/hostname=n-1
                            zone=a
        Annotations:        <none>
        CreationTimestamp:  Fri, 20 Nov 2026 00:00:01 +0000
        Taints:             node.kubernetes.io/unreachable:NoExecute
                            key=value:NoSchedule
        Unschedulable:      true
        Lease:
          HolderIdentity:  n-1
        Conditions:
          Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
          ----             ------    -----------------                 ------------------                ------              -------
          Ready            Unknown   Fri, 20 Nov 2026 23:50:01 +0000   Fri, 20 Nov 2026 23:51:01 +0000   NodeStatusUnknown   Kubelet stopped posting node status.
        Addresses:
          InternalIP:  10.0.0.1
        Allocatable:
          cpu:     2
          memory:  8152548Ki
          pods:    110
        System Info:
          Kernel Version:             6.18.0
          Kubelet Version:            v1.34.4
          Container Runtime Version:  containerd://1.6.20
        """
    )
    node = Ref("Node", None, "n-1")
    ready = (told.one(Conditions, node) or pytest.fail()).get("Ready")
    assert ready and (ready.status, ready.reason) == ("Unknown", "NodeStatusUnknown")
    assert ready.since and ready.since.isoformat() == "2026-11-20T23:51:01+00:00"
    shape = told.one(NodeShape, node) or pytest.fail()
    assert {(t.key, t.value, t.effect) for t in shape.taints} == {
        ("node.kubernetes.io/unreachable", "", "NoExecute"),
        ("key", "value", "NoSchedule"),
    }
    assert shape.cordoned
    assert (told.one(NodeInfo, node) or pytest.fail()).kubelet == "v1.34.4"
    assert [f.operation for f in told.of(Failure, node)] == ["node-ready"]


def test_a_described_namespace() -> None:
    told = snap(
        """\
        $ kubectl describe ns ci
        Name:         ci
        Labels:       kubernetes.io/metadata.name=ci
        Annotations:  <none>
        Status:       Terminating
        Conditions:
          Type                                         Status  LastTransitionTime               Reason                Message
          ----                                         ------  ------------------               ------                -------
          NamespaceDeletionDiscoveryFailure            True    Sat, 21 Nov 2026 00:00:00 +0000  DiscoveryFailed       Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.dead.io/v1beta1: the server is currently unable to handle the request
        """
    )
    namespace = Ref("Namespace", None, "ci")
    assert (told.one(Deletion, namespace) or pytest.fail()).requested
    found = (told.one(Conditions, namespace) or pytest.fail()).get("NamespaceDeletionDiscoveryFailure")
    assert found and found.status == "True" and found.message.endswith("unable to handle the request")


def test_not_found_below_its_command_is_the_servers_answer() -> None:
    (told,) = only(facts('$ kubectl get cm x -n f\nError from server (NotFound): configmaps "x" not found\n'), Presence)
    assert (told.about, told.exists, told.whole) == (Ref("ConfigMap", "f", "x"), False, True)


@pytest.mark.parametrize(
    "text",
    [
        'Error from server (NotFound): configmaps "x" not found\n',
        '$ kubectl logs web -n f\nError from server (NotFound): configmaps "x" not found\n',
        '$ kubectl get cm y -n f\nError from server (NotFound): configmaps "x" not found\n',
    ],
)
def test_not_found_without_its_command_says_nothing(text: str) -> None:
    assert only(facts(text), Presence) == []


def test_not_found_without_a_namespace_is_whole_only_where_the_text_tells_the_namespace() -> None:
    asked = '$ kubectl get cm x\nError from server (NotFound): configmaps "x" not found\n'
    (unsure,) = only(facts(asked), Presence)
    assert unsure.about.within is None and not unsure.whole
    told = facts("$ kubectl get pod p -o yaml\n" + YAML + asked)
    assert Presence(about=Ref("ConfigMap", "f", "x"), src=next(f.src for f in only(told, Presence) if not f.exists), exists=False) in told


def test_forbidden_is_a_refusal() -> None:
    told = facts(
        '$ kubectl get secrets -n f\nError from server (Forbidden): secrets is forbidden: User "a" cannot list resource "secrets"\n'
    )
    assert [(f.about, f.why) for f in only(told, Refused)] == [(Ref("Secret", "f"), "denied")]


def test_names_are_whole_only_from_a_full_list_in_json_or_yaml() -> None:
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"kind": "ConfigMap", "metadata": {"name": "a"}}]})
    (whole,) = only(facts("$ kubectl get cm -n f -o json\n" + listed), Names)
    assert (whole.about, whole.names, whole.whole) == (Ref("ConfigMapList", "f"), ("a",), True)
    for command in (
        "kubectl get cm -n f -l a=b -o json",
        "kubectl get cm a -n f -o json",
        "kubectl get cm -o json",
        "kubectl get cm -n f -o json | jq .",
    ):
        assert only(facts(f"$ {command}\n{listed}"), Names) == []
    (table,) = only(facts("$ kubectl get cm -n f\nNAME   DATA   AGE\na      1      2d\n"), Names)
    assert (table.names, table.whole) == (("a",), False)


def test_events_of_a_json_list_are_about_their_objects() -> None:
    event = {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": {"name": "p.1"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "f"},
        "reason": "FailedMount",
        "type": "Warning",
        "message": 'MountVolume.SetUp failed for volume "v" : secret "s" not found',
        "count": 3,
    }
    told = facts(json.dumps({"kind": "List", "apiVersion": "v1", "items": [event]}))
    assert only(told, Events)[0].about == Ref("Pod", "f", "p")
    assert only(told, Failure)[0].object == Ref("Secret", "f", "s")


@pytest.mark.parametrize(("reason", "code", "read_from"), [("Error", 1, 0), ("StartError", 128, 1), ("ContainerCannotRun", 127, 1)])
def test_what_a_program_left_as_its_last_words_is_not_the_kubelets(reason: str, code: int, read_from: int) -> None:
    message = 'exec: "/app/server": stat /app/server: no such file or directory'
    ended = {"terminated": {"reason": reason, "exitCode": code, "message": message}}
    pod = {**POD, "status": {"phase": "Running", "containerStatuses": [{"name": "c", "state": ended}]}}
    assert len(only(facts(json.dumps(pod)), Failure)) == read_from


@pytest.mark.parametrize(
    "text",
    [
        DESCRIBE[DESCRIBE.index("    State:          Waiting") : DESCRIBE.index("    Limits:")],
        "State: Waiting\nReason: CrashLoopBackOff\nLast State: Terminated\nReason: OOMKilled\nExit Code: 137\nRestart Count: 4\n",
        DESCRIBE[DESCRIBE.index("Containers:\n  c:") : DESCRIBE.index("Volumes:")],
    ],
)
def test_a_state_cut_out_of_a_description(text: str) -> None:
    result = read(text)
    (told,) = only(result.facts, ContainerStatuses)
    (status,) = told.items
    assert (status.state, status.reason, status.restarts) == ("waiting", "CrashLoopBackOff", 4)
    assert status.last and (status.last.reason, status.last.code) == ("OOMKilled", 137)
    assert told.about.block and not told.whole
    assert result.not_understood == []
    assert "hunter2" not in repr(result)


# --- what the server cannot read or write -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "about", "error"),
    [
        (
            "$ kubectl get secret db -n f\nError from server (InternalError): Internal error occurred: no matching prefix found\n",
            Ref("Secret", "f", "db"),
            "untransformable",
        ),
        (
            "$ kubectl get secrets -n f\nError from server (InternalError): Internal error occurred: "
            'unable to transform key "/registry/secrets/f/db": invalid padding on input\n',
            Ref("Secret", "f", "db"),
            "untransformable",
        ),
        (
            "$ kubectl delete cm/x -n f\nError from server: couldn't get version/kind; json parse error: json: cannot unmarshal string\n",
            Ref("ConfigMap", "f", "x"),
            "undecodable",
        ),
    ],
)
def test_an_object_that_the_server_cannot_read_is_told_by_its_answer(text, about, error):
    (told,) = only(facts(text), Unreadable)
    assert (told.about, told.error, told.whole) == (about, error, True)


def test_the_storages_words_in_a_log_are_no_answer_of_the_server():
    text = "$ kubectl logs web -n f\nError from server (InternalError): Internal error occurred: no matching prefix found\n"
    assert only(facts(text), Unreadable) == []


@pytest.mark.parametrize(("command", "about"), [("delete pod web -n f", Ref("Pod", "f", "web")), ("apply -f x.yaml", Ref("Cluster"))])
def test_a_write_that_etcd_did_not_take_is_told_of_what_was_written(command, about):
    (told,) = only(facts(f"$ kubectl {command}\nError from server: etcdserver: mvcc: database space exceeded\n"), Refusals)
    assert (told.about, [r.error for r in told.items]) == (about, ["storage-full"])
