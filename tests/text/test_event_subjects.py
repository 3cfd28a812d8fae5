"""Rows of events that name no object: whom they are about all the same."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.kernel import HungTasks
from unstuck.facts.aspects.objects import Conditions, Events, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
HEAD = "Events:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n"
FAILED = "  Warning  FailedCreatePodSandBox  12s  kubelet  Failed to create pod sandbox: rpc error: code = Unknown desc = no mood\n"


def read(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


def subjects(facts: list[Fact], kind: type[Fact]) -> set[tuple[str, str | None, str | None]]:
    return {(f.about.kind, f.about.within, f.about.name) for f in facts if isinstance(f, kind)}


def test_the_scheduler_names_the_pod_and_its_node():
    facts = read(f"{HEAD}  Normal  Scheduled  72s  default-scheduler  Successfully assigned f/web-0 to n-1\n{FAILED}")
    assert subjects(facts, Failure) == {("Pod", "f", "web-0")}
    assert [f.node for f in facts if isinstance(f, Placement)] == [Ref("Node", None, "n-1")]


def test_before_1_12_the_scheduler_names_the_pod_alone():
    facts = read(f"{HEAD}  Normal  Scheduled  72s  default-scheduler  Successfully assigned web-0 to n-1\n{FAILED}")
    assert subjects(facts, Failure) == {("Pod", None, "web-0")}


def test_two_pods_that_were_bound_name_nobody():
    rows = "".join(f"  Normal  Scheduled  72s  default-scheduler  Successfully assigned f/web-{n} to n-{n}\n" for n in (1, 2))
    facts = read(f"{HEAD}{rows}{FAILED}")
    assert subjects(facts, Failure) == {("Pod", None, None)}
    assert not [f for f in facts if isinstance(f, Placement)]


def test_what_the_kernel_said_stands_in_events_of_the_node():
    facts = read(f"{HEAD}  Warning  TaskHung  15s  kernel-monitor  INFO: task dockerd:6500 blocked for more than 121 seconds.\n")
    assert subjects(facts, Events) == {("Node", None, None)}
    (tasks,) = (f for f in facts if isinstance(f, HungTasks))
    assert [(t.comm, t.pid) for t in tasks.items] == [("dockerd", 6500)]


def test_a_kubelet_names_its_node_in_events_about_it():
    rows = (
        "  Normal  NodeHasDiskPressure  12m  kubelet  Node n-1 status is now: NodeHasDiskPressure\n"
        "  Normal  Starting  3m  kube-proxy  Starting kube-proxy.\n"
    )
    assert subjects(read(HEAD + rows), Events) == {("Node", None, "n-1")}
    assert subjects(read(f"{HEAD}  Normal  Starting  19m  kubelet, n-2  Starting kubelet.\n"), Events) == {("Node", None, "n-2")}


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
