"""The subjects of event rows without an object."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.kernel import HungTasks, KernelEvents
from unstuck.facts.aspects.objects import Conditions, Events, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Same

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
HEAD = "Events:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n"
FAILED = "  Warning  FailedCreatePodSandBox  12s  kubelet  Failed to create pod sandbox: rpc error: code = Unknown desc = no mood\n"


def read(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


def subjects(facts: list[Fact], kind: type[Fact]) -> set[tuple[str, str | None, str | None]]:
    return {(f.about.kind, f.about.within, f.about.name) for f in facts if isinstance(f, kind)}


def test_the_scheduler_names_the_pod_and_its_node():
    facts = read(
        f"{HEAD}  Normal  Scheduled  72s  default-scheduler  Successfully assigned f/web-0 to n-1\n{FAILED}"
    )
    assert subjects(facts, Failure) == {("Pod", "f", "web-0")}
    assert [f.node for f in facts if isinstance(f, Placement)] == [Ref("Node", None, "n-1")]


def test_before_1_12_the_scheduler_names_the_pod_alone():
    facts = read(
        f"{HEAD}  Normal  Scheduled  72s  default-scheduler  Successfully assigned web-0 to n-1\n{FAILED}"
    )
    assert subjects(facts, Failure) == {("Pod", None, "web-0")}


def test_two_pods_that_were_bound_name_nobody():
    rows = "".join(
        f"  Normal  Scheduled  72s  default-scheduler  Successfully assigned f/web-{n} to n-{n}\n"
        for n in (1, 2)
    )
    facts = read(f"{HEAD}{rows}{FAILED}")
    assert subjects(facts, Failure) == {("Pod", None, None)}
    assert not [f for f in facts if isinstance(f, Placement)]


def test_what_the_kernel_said_stands_in_events_of_the_node():
    facts = read(
        f"{HEAD}  Warning  TaskHung  15s  kernel-monitor  INFO: task dockerd:6500 blocked for more than 121 seconds.\n"
    )
    assert subjects(facts, Events) == {("Node", None, None)}
    (tasks,) = (f for f in facts if isinstance(f, HungTasks))
    assert [(t.comm, t.pid) for t in tasks.items] == [("dockerd", 6500)]


def test_a_kubelet_names_its_node_in_events_about_it():
    rows = (
        "  Normal  NodeHasDiskPressure  12m  kubelet  Node n-1 status is now: NodeHasDiskPressure\n"
        "  Normal  Starting  3m  kube-proxy  Starting kube-proxy.\n"
    )
    assert subjects(read(HEAD + rows), Events) == {("Node", None, "n-1")}
    assert subjects(read(f"{HEAD}  Normal  Starting  19m  kubelet, n-2  Starting kubelet.\n"), Events) == {
        ("Node", None, "n-2")
    }


def test_rows_of_conditions_alone_are_a_nodes():
    stamps = "Fri, 20 Nov 2026 10:42:49 +0800   Fri, 20 Nov 2026 10:28:00 +0800"
    facts = read(
        f"  Ready   False   {stamps}   KubeletNotReady   container runtime is down\n\n{HEAD}"
        "  Warning  ContainerGCFailed  22s (x16 over 15m)  kubelet  rpc error: code = Unavailable desc = connection error: desc = "
        '"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"\n'
    )
    (told,) = (f for f in facts if isinstance(f, Conditions))
    assert [(c.type, c.status) for c in told.items] == [("Ready", "False")]
    assert {f.about for f in facts if isinstance(f, Failure | Conditions | Events)} == {told.about}
    assert told.about.kind == "Node"
    assert not told.whole


def test_conditions_whose_title_was_cut_out_are_the_described_nodes():
    stamps = "Fri, 20 Nov 2026 10:42:49 +0000   Fri, 20 Nov 2026 10:28:00 +0000"
    facts = read(
        "$ kubectl describe nodes\n[...]\nName:               n-1\nRoles:              master\n"
        "  Type    Status  LastHeartbeatTime  LastTransitionTime  Reason  Message\n"
        f"  Ready   False   {stamps}   KubeletNotReady   PLEG is not healthy: pleg was last seen active 16h ago; threshold is 3m0s\n"
    )
    (told,) = (f for f in facts if isinstance(f, Conditions))
    assert (told.about.kind, told.about.name) == ("Node", "n-1")
    assert [(c.type, c.status) for c in told.items] == [("Ready", "False")]


ROWS = "NAME    READY   STATUS                       RESTARTS   AGE\nweb-0   2/2     Running                      0          2d\n"
AILING = "web-1   0/1     CreateContainerConfigError   0          2d\n"
UNNAMED = '  Warning  Failed  2s (x5 over 54s)  kubelet  Error: secret "s" not found\n'


def joined(text: str) -> list[str | None]:
    return [f.other.name for f in read(text) if isinstance(f, Same)]


def test_a_failure_without_a_name_is_not_of_a_pod_that_is_ready():
    assert joined(ROWS + AILING + UNNAMED) == ["web-1"]


def test_of_two_ailing_pods_it_is_nobodys():
    assert joined(ROWS + AILING + AILING.replace("web-1", "web-2") + UNNAMED) == []


def test_a_pod_without_a_node_is_the_one_that_the_scheduler_refuses():
    manifest = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\nspec:\n  containers:\n  - {name: c, image: nginx}\n"
    refused = (
        "Warning  FailedScheduling  56s  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.\n"
    )
    assert joined(refused + manifest) == ["web-0"]
    assert joined(refused + manifest.replace("spec:\n", "spec:\n  nodeName: n-1\n")) == []


def test_events_of_a_workload_are_those_of_the_only_one():
    row = "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    0/3     0            0           61s\n"
    scaled = (
        f"{HEAD}  Normal  ScalingReplicaSet  102s  deployment-controller  Scaled up replica set web-6b to 3\n"
    )
    assert joined(row + scaled) == ["web"]
    assert joined(row + "db     0/1     0            0           61s\n" + scaled) == []


def test_an_end_to_end_tests_log_names_the_pod_and_its_node():
    logged = (
        "May  4 15:49:12.579: INFO: At 2026-11-20 15:45:50 +0000 UTC - event for web-0: {kubelet n-1} Failed: "
        'Failed to pull image "a/b:1": rpc error: code = Unknown desc = toomanyrequests: You have reached your pull rate limit.\n'
    )
    facts = read(logged)
    assert subjects(facts, Failure) == {("Pod", None, "web-0")}
    assert [f.src.at for f in facts if isinstance(f, Failure)] == [
        datetime(2026, 11, 20, 15, 45, 50, tzinfo=UTC)
    ]


def test_a_line_that_only_the_kernel_says_needs_no_stamp():
    (events,) = (
        f
        for f in read("runc:[1:CHILD]: page allocation failure: order:6, mode:0x10c0d0\n")
        if isinstance(f, KernelEvents)
    )
    assert [(e.kind, e.what) for e in events.items] == [("allocation-failed", "6")]
    assert not [
        f
        for f in read("I saw a page allocation failure: order:6, in the log\n")
        if isinstance(f, KernelEvents)
    ]
