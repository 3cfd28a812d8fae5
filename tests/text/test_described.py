"""Objects in the form of `kubectl describe`."""

from __future__ import annotations

import pytest

from tests.text.support import DESCRIBE, NOW, pick, read, read_facts, snap
from unstuck.facts.aspects.cluster import NodeInfo, NodeShape
from unstuck.facts.aspects.objects import Below, Conditions, Deletion, Failure, Finalizers, Owners, Phase
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Needs, Placement
from unstuck.facts.aspects.protection import Users
from unstuck.facts.aspects.services import ServiceSpec
from unstuck.facts.aspects.storage import Attachment
from unstuck.facts.core import Ref
from unstuck.stages.lines import list_stages


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
    assert (status.reason, status.restarts, status.last.reason if status.last else "") == (
        "CrashLoopBackOff",
        4,
        "OOMKilled",
    )
    assert next(s for s in statuses.items if s.name == "wait").kind == "init"
    spec = next(c for c in (seen.one(Containers, pod) or pytest.fail()).items if c.name == "c")
    assert spec.limits == (("memory", "32Mi"),)
    assert spec.command == "sleep"
    assert spec.liveness and (spec.liveness.period, spec.liveness.failures, spec.liveness.delay) == (2, 2, 5)
    (failure,) = pick(list(seen.facts), Failure)
    assert (failure.about, failure.object, failure.count) == (pod, Ref("ConfigMap", "f", "app-conf"), 6)
    assert seen.one(Finalizers, pod) is None
    assert seen.one(Phase, pod) is None


def test_describe_is_silent_about_the_deletion_of_a_pod_in_a_terminal_phase() -> None:
    told = snap(
        "Name:  p\nNamespace:  f\nNode:  n/1.2.3.4\nStatus:  Failed\nContainers:\n  c:\n    Image:  a\n"
    )
    assert told.one(Deletion, Ref("Pod", "f", "p")) is None
    assert told.one(Phase, Ref("Pod", "f", "p"))


def test_a_description_that_was_cut_is_whole_in_nothing_but_its_presence() -> None:
    told = read_facts(DESCRIBE[: DESCRIBE.index("Volumes:")])
    assert {type(f).__name__ for f in told if f.whole} == {"Presence", "Deletion"}


UNTRIED = """\
Name:             web-1
Namespace:        shop
Node:             <none>
Status:           Pending
Containers:
  c:
    Image:        a/b
Volumes:
  d:
    Type:         EmptyDir (a temporary directory that shares a pod's lifetime)
QoS Class:        BestEffort
Events:           <none>
"""


def test_a_pod_that_nobody_tried_to_place_has_no_conditions_and_no_gates() -> None:
    pod, told = Ref("Pod", "shop", "web-1"), snap(UNTRIED)
    placement, conditions = told.one(Placement, pod), told.one(Conditions, pod)
    # The requested scheduler is not described.
    assert placement and (placement.node, placement.scheduler, placement.whole) == (None, "", True)
    assert conditions and (conditions.items, conditions.whole) == ((), True)
    assert next(s.id for s in list_stages(pod, told) if s.state == "not-done") == "scheduled"


@pytest.mark.parametrize(
    "text",
    [
        UNTRIED[: UNTRIED.index("Events:")],
        UNTRIED.replace("<none>\nStatus", "n-1/10.0.0.1\nStatus"),
        UNTRIED.replace("Pending", "Running"),
        # Gates come with a condition, and are not described.
        UNTRIED.replace("Volumes:", "Conditions:\n  Type           Status\n  PodScheduled   False\nVolumes:"),
    ],
)
def test_conditions_that_are_not_shown_may_have_been_left_out(text: str) -> None:
    told = read_facts(text)
    assert not [
        f
        for f in told
        if f.whole and (isinstance(f, Conditions) or (isinstance(f, Placement) and f.node is None))
    ]


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
    (told,) = pick(result.facts, ContainerStatuses)
    (status,) = told.items
    assert (status.state, status.reason, status.restarts) == ("waiting", "CrashLoopBackOff", 4)
    assert status.last and (status.last.reason, status.last.code) == ("OOMKilled", 137)
    assert told.about.block and not told.whole
    assert result.not_understood == []
    assert "hunter2" not in repr(result)


@pytest.mark.parametrize(
    ("status", "told"), [("Running", False), ("Pending", False), ("Failed", None), ("Succeeded", None)]
)
def test_a_status_that_is_not_terminating_says_that_the_pod_is_not_deleted(
    status: str, told: bool | None
) -> None:
    seen = snap(
        f"Name:  p\nNamespace:  f\nNode:  n/1.2.3.4\nStatus:  {status}\nContainers:\n  c:\n    Image:  a\n"
    )
    deletion = seen.one(Deletion, Ref("Pod", "f", "p"))
    assert (deletion.requested if deletion else None) is told
    assert deletion is None or deletion.whole


def test_an_events_message_goes_on_while_its_brackets_are_open() -> None:
    row = '  Warning  FailedMount  83s  kubelet  MountVolume.MountDevice failed for volume "d" : format of disk "/dev/loop2" failed: output:(mke2fs 1.47.0 (5-Feb-2023)\n'
    rest = "/dev/loop2 is apparently in use by the system; will not make a filesystem here!\n)\n"
    (failure,) = pick(
        read_facts(f"{DESCRIBE[: DESCRIBE.index('Events:')]}Events:\n{row}{rest}\nthat is all\n"), Failure
    )
    assert failure.error == "device-claimed"


GENERIC = """\
$ kubectl describe vane v1 -n f
Name:         v1
Namespace:    f
Labels:       app=x
Annotations:  <none>
API Version:  weather.example.com/v1
Kind:         Vane
Metadata:
  Creation Timestamp:             2026-11-21T00:00:00Z
  Deletion Grace Period Seconds:  0
  Deletion Timestamp:             2026-11-21T00:05:00Z
  Finalizers:
    weather.example.com/clean
  Generation:  2
  Owner References:
    API Version:     v1
    Controller:      true
    Kind:            ConfigMap
    Name:            a
    UID:             u-1
    API Version:     v1
    Kind:            Secret
    Name:            b
    UID:             u-2
  Resource Version:  7
  UID:               u-9
Spec:
Events:  <none>
"""


def test_a_custom_resource_is_read_as_every_field_is_shown() -> None:
    seen, vane = snap(GENERIC), Ref("Vane.weather.example.com", "f", "v1", "u-9")
    deletion, finalizers, owners = (
        seen.one(Deletion, vane),
        seen.one(Finalizers, vane),
        seen.one(Owners, vane),
    )
    assert (
        deletion
        and deletion.requested
        and deletion.due
        and deletion.due.isoformat() == "2026-11-21T00:05:00+00:00"
    )
    assert finalizers and (finalizers.names, finalizers.whole) == (("weather.example.com/clean",), True)
    assert owners and [(r.kind, r.name, r.uid) for r in owners.refs] == [
        ("ConfigMap", "a", "u-1"),
        ("Secret", "b", "u-2"),
    ]
    assert owners.controller and owners.controller.name == "a"
    cut = snap(GENERIC.replace("Events:  <none>\n", "")).one(Finalizers, vane)
    assert cut and not cut.whole


def test_a_volume_attachment_is_described_by_all_of_its_fields() -> None:
    text = (
        "Name:         csi-1\nNamespace:    \nLabels:       <none>\nAnnotations:  <none>\nAPI Version:  storage.k8s.io/v1\nKind:         VolumeAttachment\n"
        "Metadata:\n  Creation Timestamp:  2026-11-21T00:00:00Z\n  UID:  u-1\nSpec:\n  Attacher:   a.example.com\n  Node Name:  n-1\n"
        "  Source:\n    Persistent Volume Name:  pv-1\nStatus:\n  Attached:  true\n  Detach Error:\n    Message:  rpc error: no\nEvents:  <none>\n"
    )
    (told,) = pick(read_facts(f"$ kubectl describe volumeattachment csi-1 -n default\n{text}"), Attachment)
    assert told.about == Ref("VolumeAttachment", None, "csi-1", "u-1")
    assert (told.item.driver, told.item.node, told.item.volume, told.item.attached, told.item.error) == (
        "a.example.com",
        "n-1",
        "pv-1",
        True,
        "rpc error: no",
    )


def test_a_pod_that_says_that_it_has_no_node_waits_there_and_nowhere_later() -> None:
    pod = "Name:  p\nNamespace:  f\nNode:  <none>\nStatus:  Pending\nContainers:\n  c:\n    Image:  a\nConditions:\n  Type  Status\n  PodScheduled  False\nVolumes:  <none>\n"
    said = "Events:\n  Warning  FailedScheduling  15s  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.\n"

    def states(text: str) -> list[str]:
        return [s.state for s in list_stages(Ref("Pod", "f", "p"), snap(text))]

    assert states(pod + "Events:  <none>\n") == ["done", "unknown", "unknown", *["later"] * 9]
    assert states(pod + said) == ["done", "done", "not-done", *["later"] * 9]


def test_a_described_deployment_names_its_replica_sets() -> None:
    text = (
        "Name:  web\nNamespace:  f\nSelector:  app=web\nReplicas:  2 desired | 0 updated | 0 total | 0 available | 2 unavailable\nStrategyType:  RollingUpdate\n"
        "OldReplicaSets:  web-1 (1/1 replicas created), web-2 (0/0 replicas created)\nNewReplicaSet:   web-3 (0/2 replicas created)\nEvents:  <none>\n"
    )
    below = snap(text).one(Below, Ref("Deployment", "f", "web"))
    assert below and [r.name for r in below.refs] == ["web-3", "web-1", "web-2"] and not below.whole


def test_a_described_service_tells_whom_it_selects_and_where_it_sends() -> None:
    text = (
        "Name:  shop\nNamespace:  f\nSelector:  app=shop\nType:  ClusterIP\nIP Families:  IPv4\nPort:  http  80/TCP\nTargetPort:  web/TCP\nEndpoints:  10.0.0.1:8080\n"
        "Port:  <unset>  9090/UDP\nTargetPort:  9091/UDP\nEndpoints:\nSession Affinity:  None\nEvents:  <none>\n"
    )
    spec = snap(text).one(ServiceSpec, Ref("Service", "f", "shop"))
    assert spec and spec.selector == (("app", "shop"),)
    assert [(p.name, p.port, p.target, p.protocol) for p in spec.ports] == [
        ("http", 80, "web", "TCP"),
        ("", 9090, "9091", "UDP"),
    ]


@pytest.mark.parametrize(
    ("events", "left"),
    [("  Normal  Killing  10m  kubelet  Stopping container c\n", 1200), ("  <none>\n", 1800)],
)
def test_a_grace_period_that_is_not_over_is_told_as_invalid(events: str, left: int) -> None:
    pod = "Name:  p\nNamespace:  f\nNode:  n/1.2.3.4\nStatus:  Terminating (lasts <invalid>)\nTermination Grace Period:  1800s\nContainers:\n  c:\n    Image:  a\n"
    seen = snap(f"{pod}Events:\n{events}")
    deletion = seen.one(Deletion, Ref("Pod", "f", "p"))
    assert deletion and deletion.due and (deletion.due - seen.now).total_seconds() == left


CLAIM = """\
Name:          data
Namespace:     shop
StorageClass:  nfs
Status:        Terminating (lasts 40m)
Volume:        pvc-1
Finalizers:    [kubernetes.io/pvc-protection]
Access Modes:  RWX
VolumeMode:    Filesystem
{key}:    web-0
               web-1
Events:        <none>
"""


@pytest.mark.parametrize("key", ["Used By", "Mounted By"])
def test_a_described_claim_tells_who_mounts_it(key: str) -> None:
    (users,) = pick(read_facts(CLAIM.format(key=key)), Users)
    assert (users.about, users.whole) == (Ref("PersistentVolumeClaim", "shop", "data"), False)
    assert users.refs == (Ref("Pod", "shop", "web-0"), Ref("Pod", "shop", "web-1"))


def test_a_described_claim_tells_since_when_it_goes() -> None:
    (deletion,) = pick(read_facts(CLAIM.format(key="Used By")), Deletion)
    assert deletion.due and (NOW - deletion.due).total_seconds() == 40 * 60
    (older,) = pick(read_facts(CLAIM.format(key="Used By").replace(" (lasts 40m)", "")), Deletion)
    assert (older.requested, older.due) == (True, None)


def test_that_nobody_mounts_a_claim_is_not_concluded_from_its_description() -> None:
    told = read_facts(CLAIM.format(key="Used By").replace("web-0\n               web-1", "<none>"))
    assert not any(f.refs or f.whole for f in pick(told, Users))


def test_a_claims_row_without_its_namespace_is_the_described_ones() -> None:
    row = "NAME   STATUS        VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\ndata   Terminating   pvc-1    1Gi        RWX            nfs            8d\n"
    told = read_facts(f"$ kubectl get pvc\n{row}$ kubectl describe pvc data\n{CLAIM.format(key='Used By')}")
    assert {f.about for f in pick(told, Deletion)} == {Ref("PersistentVolumeClaim", "shop", "data")}


ROWS = """\
  NamespaceDeletionDiscoveryFailure            True    Tue, 06 Dec 2022 10:23:44 +0300  DiscoveryFailed  Discovery failed for some groups, 1 failing
  NamespaceContentRemaining                    False   Tue, 06 Dec 2022 10:23:44 +0300  ContentRemoved   All content successfully removed
"""
HEADER = """\
  Type                                         Status  LastTransitionTime               Reason           Message
  ----                                         ------  ------------------               ------           -------
"""


@pytest.mark.parametrize(
    "above", ["", HEADER, f"Conditions:\n{HEADER}", f"Status:       Terminating\nConditions:\n{HEADER}"]
)
def test_rows_cut_out_of_a_described_namespace_tell_of_one_that_nobody_named(above: str) -> None:
    told = read_facts(above + ROWS)
    assert {f.about for f in told} == {
        Ref("Namespace", block=f"paste.txt:1-{len((above + ROWS).splitlines())}")
    }
    assert [f.requested for f in pick(told, Deletion)] == [True]
    (conditions,) = pick(told, Conditions)
    assert [(c.type, c.status, c.since and c.since.isoformat()) for c in conditions.items] == [
        ("NamespaceDeletionDiscoveryFailure", "True", "2022-12-06T07:23:44+00:00"),
        ("NamespaceContentRemaining", "False", "2022-12-06T07:23:44+00:00"),
    ]


def test_the_header_of_such_a_table_alone_tells_nothing() -> None:
    assert read_facts(HEADER) == []


def test_a_kind_that_is_not_known_here_is_no_namespace() -> None:
    told = read_facts(
        "Name:         tenants\nLabels:       <none>\nAnnotations:  <none>\nStatus:\n  Conditions:\n    Type:  Ready\nEvents:       <none>\n"
    )
    assert "Namespace" not in {f.about.kind for f in told}
    known = read_facts(
        "Name:         shop\nLabels:       <none>\nAnnotations:  <none>\nStatus:       Active\n"
    )
    assert "Namespace" in {f.about.kind for f in known}
