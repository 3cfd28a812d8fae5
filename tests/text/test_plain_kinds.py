"""Descriptions of kinds with few fields, and a webhook's message of several lines."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeVar

from unstuck.collect.text import read_text
from unstuck.facts.aspects.cluster import Backends, StorageClass
from unstuck.facts.aspects.grants import Bindings
from unstuck.facts.aspects.limits import Quota
from unstuck.facts.aspects.objects import Conditions, Failure, Names
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.core import Fact, Ref, Same

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)


F = TypeVar("F", bound=Fact)


def read(text: str, kind: type[F]) -> list[F]:
    return [f for f in read_text(text, "paste.txt", NOW).facts if isinstance(f, kind)]


def test_a_described_storage_class_tells_whether_it_is_the_default() -> None:
    text = (
        "$ kubectl describe sc quick\nName:                  quick\nIsDefaultClass:        No\n"
        "Annotations:           <none>\nProvisioner:           example.com/disk\nReclaimPolicy:         Delete\n"
        "VolumeBindingMode:     WaitForFirstConsumer\nEvents:                <none>\n"
    )
    (found,) = read(text, StorageClass)
    assert (found.about, found.provisioner, found.default, found.waits, found.whole) == (
        Ref("StorageClass", None, "quick"),
        "example.com/disk",
        False,
        True,
        False,
    )


def test_a_described_quota_has_its_amounts() -> None:
    text = (
        "$ kubectl describe quota team -n shop\nName:            team\nNamespace:       shop\n"
        "Resource         Used  Hard\n--------         ----  ----\npods             4     4\nrequests.cpu     1500m  2\n"
    )
    (found,) = read(text, Quota)
    assert dict(found.hard) == {"pods": "4", "requests.cpu": "2"}
    assert dict(found.used) == {"pods": "4", "requests.cpu": "1500m"}


def test_described_endpoints_count_what_is_not_ready() -> None:
    text = (
        "$ kubectl describe ep web -n shop\nName:         web\nNamespace:    shop\nLabels:       <none>\nSubsets:\n"
        "  Addresses:          <none>\n  NotReadyAddresses:  10.244.1.7,10.244.1.8\n  Ports:\n    Name   Port  Protocol\n"
    )
    (found,) = read(text, Backends)
    assert (found.about, found.ready, found.total) == (Ref("Service", "shop", "web"), 0, 2)


def test_a_ready_address_says_nothing() -> None:
    text = (
        "$ kubectl describe ep web -n shop\nName:         web\nNamespace:    shop\nLabels:       <none>\nSubsets:\n"
        "  Addresses:          10.244.1.7\n  NotReadyAddresses:  <none>\n"
    )
    assert read(text, Backends) == []


def test_a_described_binding_has_its_accounts() -> None:
    text = (
        "$ kubectl describe clusterrolebinding watcher\nName:         watcher\nLabels:       <none>\nAnnotations:  <none>\n"
        "Role:\n  Kind:  ClusterRole\n  Name:  view\nSubjects:\n  Kind            Name     Namespace\n"
        "  ----            ----     ---------\n  ServiceAccount  watcher  tools\n"
    )
    (found,) = read(text, Bindings)
    (one,) = found.items
    assert found.about == Ref("ClusterRoleBindingList")
    assert (one.role, one.accounts) == (
        Ref("ClusterRole", None, "view"),
        (Ref("ServiceAccount", "tools", "watcher"),),
    )


def test_a_webhooks_message_of_several_lines_is_read_to_its_end() -> None:
    text = (
        '$ kubectl create deployment web --image=web\nerror: failed to create deployment: admission webhook "guard.example.com" '
        "denied the request: \n\nblocked by these rules\n\nowner-label:\n  check: 'label owner is\n    required'\n\n"
        "$ kubectl get pods\nNo resources found\n"
    )
    (found,) = read(text, Refusals)
    assert found.items[0].why == "blocked by these rules owner-label: check: 'label owner is required'"


def test_a_list_of_the_nodes_with_a_label_may_be_empty() -> None:
    (found,) = read("$ kubectl get nodes -l pool=quick\nNo resources found\n", Names)
    assert (found.about, found.names, found.asked_all, found.selector) == (
        Ref("NodeList"),
        (),
        False,
        "pool=quick",
    )


def test_all_described_objects_are_a_list() -> None:
    text = (
        "$ kubectl describe sc\nName:                  quick\nIsDefaultClass:        No\n"
        "Provisioner:           example.com/disk\nReclaimPolicy:         Delete\nEvents:                <none>\n"
    )
    (found,) = read(text, Names)
    assert (found.about, found.names, found.asked_all) == (Ref("StorageClassList"), ("quick",), True)


def test_a_custom_row_names_another_one_that_is_not_ready() -> None:
    text = (
        "$ kubectl get gadgets,stores -n shop\nNAME                             STATUS          READY\n"
        "store.ex-ample.com/vault         InvalidConfig   False\n\n"
        "NAME                             STORE   STATUS      READY\n"
        "gadget.ex-ample.com/keys         vault   SyncError   False\n"
    )
    (found,) = read(text, References)
    assert found.about == Ref("gadget.ex-ample.com", "shop", "keys")
    assert [one.to for one in found.items] == [Ref("store.ex-ample.com", "shop", "vault")]


def test_a_custom_objects_status_is_read_below_its_command() -> None:
    text = (
        "$ kubectl describe gadget keys -n shop\nStatus:\n  Conditions:\n    Message:  the store refuses it\n"
        "    Reason:   Refused\n    Status:   False\n    Type:     Ready\n"
    )
    found = [f for f in read(text, Conditions) if f.items]
    assert [(f.about, f.items[0].type, f.items[0].message) for f in found] == [
        (Ref("gadget", "shop", "keys"), "Ready", "the store refuses it")
    ]


def test_who_has_the_volume_stands_on_the_next_line() -> None:
    text = 'Multi-Attach error for volume "pvc-1" \nVolume is already used by pod(s) web-1\n'
    (found,) = read(text, Failure)
    assert "web-1" in found.src.quote


def test_nameless_events_below_a_described_container_are_its_own() -> None:
    text = (
        "Last State:  Terminated\n  Reason:    Error\n  Exit Code: 143\nRestart Count: 3\n"
        "Events: Liveness probe failed: context deadline exceeded  (x4 over 2m8s)\n"
        "        Container app failed liveness probe, will be restarted\n"
    )
    joined = read(text, Same)
    assert {one.other.block for one in joined} == {"paste.txt:1-4"}
    assert len(joined) == 2


def test_nameless_failures_apart_stay_apart() -> None:
    text = (
        "Last State:  Terminated\n  Reason:    Error\n  Exit Code: 143\nRestart Count: 3\n\n"
        "Container app failed liveness probe, will be restarted\n"
    )
    assert read(text, Same) == []


def test_an_event_without_a_type_may_report_a_failure() -> None:
    text = (
        "- apiVersion: v1\n  kind: Event\n  involvedObject: {kind: Pod, name: web-0, namespace: shop}\n"
        "  reason: Failed\n  source: {component: kubelet}\n"
        "  message: 'Failed to pull image \"r.example/web:9\": Tag 9 not found in repository r.example/web'\n"
    )
    assert [(f.about.name, f.error) for f in read(text, Failure)] == [("web-0", "not-found")]
