"""Log lines of the control plane's components become facts about their object: their Events, the scheduler's
refusals, a provisioner's errors.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Fact, Ref

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
NO_FIT = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector."
KLOG = "1121 03:00:05.000000       1"


def read(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


@pytest.mark.parametrize(
    "line",
    [
        f'I{KLOG} schedule_one.go:826] "Unable to schedule pod; no fit; waiting" pod="f/web-0" err="{NO_FIT}"',
        f"I{KLOG} factory.go:339] Unable to schedule f/web-0: no fit: {NO_FIT}; waiting",
        f"I{KLOG} factory.go:1147] Unable to schedule f web-0: no fit: {NO_FIT}; waiting",
        f'2026-11-21T04:00:05.1234567+01:00 stderr F I{KLOG} factory.go:322] "Unable to schedule pod; no fit; waiting" pod="f/web-0" err="{NO_FIT}"',
    ],
    ids=["1.26", "1.13", "1.11", "in a container's log"],
)
def test_the_schedulers_refusal(line: str):
    (told,) = (f for f in read(line) if isinstance(f, Unschedulable))
    assert told.about == Ref("Pod", "f", "web-0")
    assert told.nodes == 3
    assert ("Insufficient cpu", 1) in told.reasons


def test_of_many_tries_the_last_is_told():
    lines = [
        f'I1121 03:00:0{n}.000000       1 schedule_one.go:826] "Unable to schedule pod; no fit; waiting" pod="f/web-0" '
        f'err="0/{n} nodes are available: {n} Insufficient cpu."'
        for n in (1, 2, 3)
    ]
    assert [f.nodes for f in read("\n".join(lines)) if isinstance(f, Unschedulable)] == [3]


REFUSED = 'pods \\"web-67bff9b789-\\" is forbidden: exceeded quota: cpu, requested: pods=1, used: pods=2, limited: pods=2'
OCCURRED = (
    f'I{KLOG} event.go:294] "Event occurred" object="f/web-67bff9b789" kind="ReplicaSet" apiVersion="apps/v1" type="Warning" '
    f'reason="FailedCreate" message="Error creating: {REFUSED}"'
)
WRITTEN = (
    f'I{KLOG} event.go:221] Event(v1.ObjectReference{{Kind:"ReplicaSet", Namespace:"f", Name:"web-67bff9b789", UID:"u", APIVersion:"apps/v1", '
    "ResourceVersion:\"7\", FieldPath:\"\"}): type: 'Warning' reason: 'FailedCreate' Error creating: "
    + REFUSED.replace("\\", "")
)


@pytest.mark.parametrize("line", [OCCURRED, WRITTEN], ids=["1.19", "1.18"])
def test_an_event_is_about_its_object_and_tells_what_failed(line: str):
    facts = read("\n".join([line, line]))
    of_set = Ref("ReplicaSet", "f", "web-67bff9b789")
    (events,) = (f for f in facts if isinstance(f, Events))
    (failed,) = (f for f in facts if isinstance(f, Failure))
    assert (events.about, events.items[0].count) == (of_set, 2)
    assert (failed.about, failed.error, failed.object) == (
        of_set,
        "quota-exceeded",
        Ref("ResourceQuota", "f", "cpu"),
    )


def test_the_autoscalers_words_are_about_the_pod():
    line = (
        f'I{KLOG} event.go:281] Event(v1.ObjectReference{{Kind:"Pod", Namespace:"f", Name:"web-0", UID:"u", APIVersion:"v1", '
        "ResourceVersion:\"7\", FieldPath:\"\"}): type: 'Normal' reason: 'NotTriggerScaleUp' pod didn't trigger scale-up: 1 max node group size "
        "reached"
    )
    (events,) = (f for f in read(line) if isinstance(f, Events))
    assert events.about == Ref("Pod", "f", "web-0")
    assert events.items[0].reason == "NotTriggerScaleUp"


@pytest.mark.parametrize(
    ("severity", "told"),
    [
        ("E", ["unexpected error getting claim reference: selfLink was empty, can't make reference"]),
        ("I", []),
    ],
)
def test_a_provisioners_error_is_about_the_claim(severity: str, told: list[str]):
    line = f'{severity}{KLOG} controller.go:1004] provision "f/data" class "nfs": unexpected error getting claim reference: selfLink was empty, can\'t make reference'
    failed = [f for f in read(line) if isinstance(f, Failure)]
    assert [f.message for f in failed] == told
    assert {f.about for f in failed} <= {Ref("PersistentVolumeClaim", "f", "data")}


def test_what_a_container_prints_is_no_components_word():
    assert not [f for f in read(f"$ kubectl logs web-0 -n f\n{OCCURRED}") if isinstance(f, Events | Failure)]
