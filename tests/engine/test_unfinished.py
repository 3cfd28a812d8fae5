"""An operation in progress for more than a minute without a known cause is undecided, and leads to the next
object of the chain.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.stages.test_referred import Doc, made
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.diagnosis.answer import Diagnosis, find_messages
from unstuck.engine import investigate, list_causes
from unstuck.facts.aspects.objects import Below, Events, Failure
from unstuck.facts.core import Fact, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)


def ago(seconds: int) -> str:
    return (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def asked(subject: Doc, *others: Doc, after: float | None = None) -> Diagnosis:
    """Return the answer about the first object, from a server with all questions asked."""
    refs = [r for o in others if (r := ref_of(o))]
    ref = ref_of(subject)
    assert ref is not None
    told: list[Fact] = [f for obj in (subject, *others) for f in facts_of(obj, "/apis/x", NOW)]
    told += [
        Below(about=ref, src=Source("/pods"), kind="Pod", refs=tuple(r for r in refs if r.kind == "Pod"))
    ]
    told += [Events(about=r, src=Source("/events", "no events"), items=()) for r in (ref, *refs)]
    return investigate(ref, Snapshot(tuple(told), NOW, ("live:lab",)), list_causes(), lambda _: (), after)[1]


def deployment(seconds: int) -> Doc:
    rows = [
        {
            "type": "Available",
            "status": "False",
            "reason": "MinimumReplicasUnavailable",
            "lastTransitionTime": ago(seconds),
        }
    ]
    status = {
        "observedGeneration": 1,
        "replicas": 1,
        "updatedReplicas": 1,
        "unavailableReplicas": 1,
        "conditions": rows,
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}}
    return made("apps/v1", "Deployment", "web", spec=spec, status=status, meta={"generation": 1})


def pod(seconds: int, containers: list[Doc], statuses: list[Doc]) -> Doc:
    since = {"lastTransitionTime": ago(seconds)}
    rows = [
        {"type": "PodScheduled", "status": "True", **since},
        {"type": "PodReadyToStartContainers", "status": "True", **since},
        {"type": "Initialized", "status": "True", **since},
        {"type": "Ready", "status": "False", "reason": "ContainersNotReady", **since},
    ]
    status = {"phase": "Running", "conditions": rows, "containerStatuses": statuses}
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "web",
        "uid": "ReplicaSet-web",
        "controller": True,
    }
    meta = {"creationTimestamp": ago(seconds), "ownerReferences": [owner]}
    return made(
        "v1", "Pod", "web-1", spec={"nodeName": "lab-1", "containers": containers}, status=status, meta=meta
    )


def slow_pod(seconds: int) -> Doc:
    """Return a Pod with a running container that its startup probe does not consider started, after a
    minute.
    """
    probe = {"exec": {"command": ["test", "-f", "/tmp/ready"]}, "periodSeconds": 1, "failureThreshold": 60}
    up = {
        "name": "proxy",
        "image": "i",
        "ready": False,
        "started": False,
        "restartCount": 0,
        "containerID": "containerd://a",
    }
    runs = [{**up, "state": {"running": {"startedAt": ago(seconds)}}}]
    return pod(seconds, [{"name": "proxy", "image": "i", "startupProbe": probe}], runs)


def test_a_deployment_that_is_not_up_after_a_minute_leads_to_the_container_that_is_not_up() -> None:
    found = asked(deployment(90), slow_pod(88))
    assert (found.state.name, found.causes, found.broken) == ("unknown", (), True)
    assert "1 of 1 not ready; it waits for Pod shop/web-1: " in found.state.headline.en
    assert found.next[0].command.line == "kubectl logs -n shop pod/web-1 --container=proxy --tail=50"


def test_within_a_minute_it_is_under_way() -> None:
    found = asked(deployment(50), slow_pod(48))
    assert (found.state.name, found.broken, found.next) == ("progressing", False, ())
    # `--after` replaces every threshold.
    assert asked(deployment(50), slow_pod(48), after=40).state.name != "progressing"


def test_a_pod_is_granted_the_time_before_its_first_probe_and_so_is_who_waits_for_it() -> None:
    probe = {"readinessProbe": {"exec": {"command": ["a"]}, "initialDelaySeconds": 300}}
    up = {
        "name": "c",
        "image": "i",
        "ready": False,
        "started": True,
        "restartCount": 0,
        "containerID": "containerd://a",
    }
    runs = [{**up, "state": {"running": {"startedAt": ago(88)}}}]
    slow = pod(88, [{"name": "c", "image": "i", **probe}], runs)
    assert asked(slow).state.name == "progressing"
    assert asked(deployment(90), slow).state.name == "progressing"


def test_a_set_without_any_pod_leads_to_the_name_that_its_first_one_will_have() -> None:
    spec = {"replicas": 2, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}}}
    meta = {"generation": 1, "creationTimestamp": ago(75)}
    found = asked(
        made(
            "apps/v1",
            "StatefulSet",
            "db",
            spec=spec,
            status={"observedGeneration": 1, "replicas": 0},
            meta=meta,
        )
    )
    assert (found.state.name, found.broken) == ("unknown", True)
    assert found.next[0].command.line == "kubectl get pod/db-0 -n shop -o yaml"


@pytest.mark.parametrize("seconds", [90, 3600])
def test_what_its_controller_calls_at_work_is_granted_the_time(seconds: int) -> None:
    at_work = {
        "type": "Reconciling",
        "status": "True",
        "reason": "Provisioning",
        "lastTransitionTime": ago(seconds),
    }
    found = asked(
        made("db.example.com/v1", "Database", "crm", spec={"size": 1}, status={"conditions": [at_work]})
    )
    assert found.state.name == ("progressing" if seconds < 3600 else "unknown")


def crashing(name: str, seconds: int, owner: str) -> Doc:
    """Return a Pod of this age with a container that exits."""
    ended = {
        "name": "c",
        "image": "i",
        "ready": False,
        "started": False,
        "restartCount": 2,
        "containerID": "containerd://a",
    }
    waits = {
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 143, "reason": "Error"}},
    }
    one = pod(seconds, [{"name": "c", "image": "i"}], [{**ended, **waits}])
    of = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": owner,
        "uid": f"ReplicaSet-{owner}",
        "controller": True,
    }
    return {**one, "metadata": {**one["metadata"], "name": name, "uid": f"u-{name}", "ownerReferences": [of]}}


@pytest.mark.parametrize(
    ("others", "state"),
    [
        # It will not come up by waiting, which it reports within its progress deadline.
        (((crashing("web-1", 22, "web"),)), "stuck"),
        # It has ended permanently, and another one is created.
        (({**crashing("web-1", 22, "web"), "status": {"phase": "Failed"}},), "progressing"),
        # The template was corrected a moment ago.
        (
            (
                crashing("web-1", 400, "web"),
                {**slow_pod(8), "metadata": {**crashing("web-2", 8, "web-b")["metadata"]}},
            ),
            "progressing",
        ),
        # A later template that crashes as well.
        ((crashing("web-1", 400, "web"), crashing("web-2", 8, "web-b")), "stuck"),
    ],
)
def test_a_deployment_is_stuck_as_soon_as_a_pod_of_its_newest_template_is(
    others: tuple[Doc, ...], state: str
) -> None:
    found = asked(deployment(22), *others)
    assert found.state.name == state
    if state == "stuck":
        assert found.broken and found.next and not found.next[0].command.line.startswith("kubectl describe")


def test_what_was_said_of_the_last_object_is_told_where_no_cause_is_known() -> None:
    waiting = {
        "name": "proxy",
        "image": "i",
        "ready": False,
        "restartCount": 0,
        "state": {"waiting": {"reason": "ContainerCreating"}},
    }
    ill = pod(600, [{"name": "proxy", "image": "i"}], [waiting])
    said = "frobnication of plug 7 ended with 12"
    event = made(
        "v1",
        "Event",
        "web-1.1",
        reason="FailedFrobnication",
        message=said,
        type="Warning",
        count=9,
        firstTimestamp=ago(500),
        lastTimestamp=ago(5),
        involvedObject={"kind": "Pod", "namespace": "shop", "name": "web-1", "uid": ill["metadata"]["uid"]},
        source={"component": "frobnicator"},
    )
    d = asked(deployment(600), ill, event)
    assert not d.causes
    assert any(
        said in (f.message if isinstance(f, Failure) else f.items[-1].message) for f in find_messages(d)
    )
