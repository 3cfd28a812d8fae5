"""Claims in pasted rows: the subjects of their events, and the waiting Pods."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.contract.support import judge_case
from unstuck.causes.scheduling import insufficient_cpu
from unstuck.collect.text.read import read_text
from unstuck.diagnosis.verdict import Match
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.core import Fact, Ref, Same
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
HEAD = "Events:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n"
CLAIM = Ref("PersistentVolumeClaim", "f", "data")
TRIES = '  Normal  Provisioning  4m (x14 over 24m)  ex.com/nfs_p-0_u  External provisioner is provisioning volume for claim "f/data"\n'
FAILED = "  Warning  ProvisioningFailed  4m (x12 over 24m)  ex.com/nfs_p-0_u  failed to provision volume: no room\n"


def read(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


def test_a_provisioners_rows_are_about_the_claim_that_it_names():
    assert {f.about for f in read(HEAD + TRIES + FAILED) if isinstance(f, Events)} == {CLAIM}


def test_without_its_name_they_are_about_a_claim_all_the_same():
    (events,) = (f for f in read(HEAD + FAILED) if isinstance(f, Events))
    assert (events.about.kind, events.about.name) == ("PersistentVolumeClaim", None)


def test_the_first_provisioners_told_their_pod_and_an_id():
    row = FAILED.replace(
        "ex.com/nfs_p-0_u", "rook.io/block rook-operator-7c-t ae7b64f6-21da-11e8-b0f7-9ad3f40997ae"
    )
    (events,) = (f for f in read(HEAD + row) if isinstance(f, Events))
    assert events.items[0].message == "failed to provision volume: no room"


def test_who_uses_a_described_claim_is_no_part_of_its_last_event():
    text = f"Name:  data\nNamespace:  f\nStorageClass:\nStatus:  Pending\nVolume:\n{HEAD}{FAILED}Mounted By:  web-0\n"
    (events,) = (f for f in read(text) if isinstance(f, Events))
    assert events.items[-1].message == "failed to provision volume: no room"


def test_a_claim_of_a_table_is_the_described_one_of_that_name():
    text = (
        "NAME   STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\ndata   Pending                                      fast           2m\n\n"
        f"Name:  data\nNamespace:  f\nStorageClass:  fast\nStatus:  Pending\nVolume:\n{HEAD}{FAILED}"
    )
    snap = Snapshot(read(text), NOW)
    assert {snap.canon(f.about) for f in snap.every(Phase)} == {CLAIM}


PODS = "NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          5m\nweb-1   0/1     Pending   0          4m\n\n"
REFUSED = "  Warning  FailedScheduling  4m  default-scheduler  0/1 nodes are available: 1 Insufficient cpu.\n"


def test_whom_the_scheduler_refuses_is_the_one_pod_that_waits():
    snap = Snapshot(read(PODS + HEAD + REFUSED), NOW)
    assert {snap.canon(f.about).name for f in snap.every(Unschedulable)} == {"web-1"}


def test_of_two_that_wait_it_may_be_either():
    waits = PODS.replace("1/1     Running", "0/1     Pending")
    assert not [f for f in read(waits + HEAD + REFUSED) if isinstance(f, Same)]


def test_a_row_without_its_type_column_is_the_schedulers_word():
    (told,) = (
        f
        for f in read("FailedScheduling 40m default-scheduler 0/1 nodes are available: 1 Insufficient cpu.")
        if isinstance(f, Unschedulable)
    )
    assert told.reasons == (("Insufficient cpu", 1),)


def test_a_summary_in_a_line_of_its_own_belongs_to_the_event():
    text = (
        "Events:\n  FirstSeen  LastSeen  Count  From  SubObjectPath  Type  Reason  Message\n"
        "  17m  5s  62  {default-scheduler }  Warning  FailedScheduling  pod (web-0) failed to fit in any node\n"
        "fit failure summary on nodes : MatchNodeSelector (1)\n"
    )
    (told,) = (f for f in read(text) if isinstance(f, Unschedulable))
    assert told.reasons == (("node(s) didn't match node selector", 1),)


def test_until_1_4_rows_told_times():
    text = (
        "LASTSEEN  FIRSTSEEN  COUNT  NAME  KIND  SUBOBJECT  TYPE  REASON  SOURCE  MESSAGE\n"
        "2026-11-21T03:00:22Z  2026-11-21T02:56:41Z  23  web  DaemonSet  Normal  FailedPlacement  {daemonset-controller }  "
        'failed to place pod on "n-1": host port conflict\n'
    )
    (events,) = (f for f in read(text) if isinstance(f, Events))
    assert (events.about.kind, events.items[0].reporter) == ("DaemonSet", "daemonset-controller")
    assert events.items[0].last == datetime(2026, 11, 21, 3, 0, 22, tzinfo=UTC)


def test_a_refusal_by_itself_is_of_who_makes_the_pods():
    failed = [
        f
        for f in read(
            'Error creating: pods "web-67bff9b789-" is forbidden: exceeded quota: c, requested: pods=1'
        )
        if isinstance(f, Failure)
    ]
    assert [f.about for f in failed] == [Ref("ReplicaSet", None, "web-67bff9b789")]


def test_a_pod_that_completed_and_was_not_started_anew_has_succeeded():
    told = {
        f.about.name: f.phase
        for f in read("job-1   0/1   Completed   0   5m\nweb-2   0/1   Completed   3   5m\n")
        if isinstance(f, Phase)
    }
    assert told == {"job-1": "Succeeded"}


WAITS = f"Name:  data\nNamespace:  f\nStorageClass:  fast\nStatus:  Pending\nVolume:\n{HEAD}"
WAITING = "  Normal  WaitForFirstConsumer  2s (x17 over 3m)  persistentvolume-controller  waiting for first consumer to be created before binding\n"


@pytest.mark.parametrize(
    ("rows", "state"), [(WAITING, "progressing"), (WAITING + FAILED.replace("4m (x12", "1s (x12"), "stuck")]
)
def test_a_claim_that_waits_for_a_pod_is_not_stuck(rows: str, state: str):
    snap = Snapshot(read(WAITS + rows), NOW)
    assert Evaluator().line_of(CLAIM, snap, None)[1].name == state


def test_what_an_autoscaler_says_stands_beside_the_cause():
    pod = "Name:  web-0\nNamespace:  f\nNode:  <none>\nStatus:  Pending\n"
    scaler = "  Normal  NotTriggerScaleUp  58s  cluster-autoscaler  pod didn't trigger scale-up: 1 max node group size reached\n"
    snap = Snapshot(read(pod + HEAD + REFUSED + scaler), NOW)
    found = judge_case(insufficient_cpu.CAUSE, Ref("Pod", "f", "web-0"), snap)
    assert isinstance(found, Match)
    assert any("max node group size reached" in note.en for note in found.finding.notes)


def test_kubectl_events_shows_kinds_as_their_objects_have_them():
    text = (
        "LAST SEEN              TYPE      REASON             OBJECT      MESSAGE\n"
        "2m11s (x5 over 22m)    Warning   FailedScheduling   Pod/web-0   0/3 nodes are available: 3 Insufficient cpu.\n"
    )
    (events,) = (f for f in read(text) if isinstance(f, Events))
    assert (events.about, events.items[0].count) == (Ref("Pod", None, "web-0"), 5)


def test_a_condition_cut_out_of_a_status_is_the_schedulers_word():
    text = (
        'status:\n  conditions:\n  - lastTransitionTime: "2026-11-21T03:00:00Z"\n    message: \'0/5 nodes are available: 2 Insufficient memory, 3 node(s) had\n'
        '      untolerated taint {a: b}.\'\n    reason: Unschedulable\n    status: "False"\n    type: PodScheduled\n  phase: Pending\n'
    )
    (told,) = (f for f in read(text) if isinstance(f, Unschedulable))
    assert (told.nodes, told.whole) == (5, False)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("", ""),
        ("Unschedulable: ", ""),
        ("> ", ""),
        ("FailedScheduling 12s (x8 over 8m) default-scheduler ", ""),
        ("Nothing fits (check your selectors) ", ""),
        ("No node takes your pod (", ")"),
    ],
)
def test_the_schedulers_sentence_by_itself(before: str, behind: str):
    (told,) = (
        f
        for f in read(f"{before}0/3 nodes are available: 3 Insufficient cpu.{behind}")
        if isinstance(f, Unschedulable)
    )
    assert told.reasons == (("Insufficient cpu", 3),)


def test_a_cut_out_nodes_description_is_known_by_its_taints():
    text = "Name:               n-1\nRoles:              <none>\nTaints:             node.kubernetes.io/disk-pressure:NoSchedule\nUnschedulable:      false\n"
    assert Ref("Node", None, "n-1") in {f.about for f in read(text)}
