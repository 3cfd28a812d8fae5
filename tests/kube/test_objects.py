"""Objects of any shape become facts. `recorded/objects.json` was read from a real 1.34 API server."""

from __future__ import annotations

import base64
import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from unstuck.collect.objects import facts_of, metadata_of
from unstuck.facts.aspects.cluster import (
    ApiService,
    Claim,
    Lease,
    NodeInfo,
    NodeShape,
    StorageClass,
    Unschedulable,
    Workload,
)
from unstuck.facts.aspects.objects import (
    Conditions,
    Deletion,
    Events,
    Failure,
    Finalizers,
    Keys,
    Phase,
    Presence,
    Touches,
)
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Demands, Life, Needs, Placement, Volumes
from unstuck.facts.aspects.references import References
from unstuck.facts.codec import read_fact, to_json
from unstuck.facts.core import F, Fact, Ref

OBJECTS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "recorded" / "objects.json").read_text())
POD = {Placement, Containers, ContainerStatuses, Needs, Volumes, Demands, Life, Conditions, Phase}
TELLS: dict[str, set[type[Fact]]] = {
    "Pod": POD,
    "Node": {NodeShape, NodeInfo, Conditions},
    "Namespace": {Phase},
    "Lease": {Lease},
    "ConfigMap": {Keys},
    "Secret": {Keys},
    "PersistentVolumeClaim": {Claim, Phase},
    "StorageClass": {StorageClass},
    "Deployment": {Workload, Conditions},
    "StatefulSet": {Workload},
    "DaemonSet": {Workload},
    "ReplicaSet": {Workload},
    "Job": {Workload, Conditions},
    "Widget": {Conditions},
    "APIService": {ApiService, Conditions},
}


def recorded(kind: str, name: str = "") -> dict[str, Any]:
    return next(o for o in OBJECTS if o["kind"] == kind and name in ("", o["metadata"]["name"]))


def one(obj: dict[str, Any], kind: type[F]) -> F:
    return next(f for f in facts_of(obj, "/x") if isinstance(f, kind))


@pytest.mark.parametrize("obj", OBJECTS, ids=lambda o: f"{o['kind']}-{o['metadata']['name']}")
def test_a_real_object_tells_all_that_its_kind_tells(obj):
    facts = facts_of(obj, "/x")
    if obj["kind"] == "Event":
        assert isinstance(facts[0], Events)
        return
    assert {type(f) for f in facts} >= {Presence, Deletion, Finalizers, Touches, *TELLS[obj["kind"]]}
    # References of an object of an unknown type are in unknown fields.
    unknown = Failure if obj["kind"] != "Widget" else (Failure, References)
    assert all(f.whole for f in facts if not isinstance(f, unknown))
    assert all(f.src.where for f in facts)


def test_no_secret_value_and_no_command_line_gets_through():
    for obj in OBJECTS:
        told = repr(facts_of(obj, "/x"))
        assert "hunter22" not in told
        assert base64.b64encode(b"hunter22").decode() not in told
        assert "10000" not in told.replace("'pods', 110", "")


def test_requests_are_summed_as_the_scheduler_sums_them():
    # init 20m + 8Mi, then a sidecar of 5m beside a main container of 10m + 16Mi.
    assert one(recorded("Pod", "rich"), Demands).requests == (("cpu", 20), ("memory", 16 << 20))


@pytest.mark.parametrize(
    ("spec", "requests"),
    [
        (
            {"containers": [{"resources": {"requests": {"cpu": "1"}}}] * 2, "overhead": {"cpu": "250m"}},
            {"cpu": 2250},
        ),
        ({"containers": [{"resources": {"limits": {"cpu": 2}}}]}, {"cpu": 2000}),
        (
            {
                "initContainers": [
                    {"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
                    {"resources": {"requests": {"cpu": "3"}}},
                ],
                "containers": [{"resources": {"requests": {"cpu": "2"}}}],
            },
            {"cpu": 4000},
        ),
        (
            {
                "resources": {"requests": {"cpu": "7"}},
                "containers": [{"resources": {"requests": {"cpu": "1", "memory": "1"}}}],
            },
            {"cpu": 7000, "memory": 1},
        ),
    ],
)
def test_sums_with_overhead_limits_sidecars_and_pod_level_requests(spec, requests):
    assert (
        dict(one({"kind": "Pod", "metadata": {"name": "p", "uid": "u"}, "spec": spec}, Demands).requests)
        == requests
    )


def test_an_amount_that_is_no_quantity_is_told_not_counted():
    spec = {"containers": [{"resources": {"requests": {"cpu": "1Gb", "memory": "1Mi"}}}]}
    demands = one({"kind": "Pod", "metadata": {"name": "p", "uid": "u"}, "spec": spec}, Demands)
    assert (demands.requests, demands.unreadable) == ((("memory", 1 << 20),), (("cpu", "1Gb"),))


def test_needs_name_every_reference_with_its_key_and_whether_it_may_lack():
    needs = {
        (n.object.kind, n.object.name, n.by, n.key, n.optional)
        for n in one(recorded("Pod", "rich"), Needs).items
    }
    assert needs == {
        ("Secret", "pull", "pull-secret", None, True),
        ("ConfigMap", "app-config", "volume", None, False),
        ("ConfigMap", "app-config", "volume", "a", False),
        ("Secret", "db", "volume", None, False),
        ("Secret", "db", "envFrom", None, False),
        ("ConfigMap", "maybe", "envFrom", None, True),
        ("ConfigMap", "app-config", "env", "a", False),
    }


def test_container_states_keep_the_order_of_the_spec_and_what_ended():
    statuses = one(recorded("Pod", "init-oom"), ContainerStatuses).items
    assert statuses[0].kind == "init"
    assert (statuses[0].last or statuses[0].ended).reason == "OOMKilled"
    assert [s.name for s in one(recorded("Pod", "rich"), ContainerStatuses).items] == ["first", "side", "c"]


def test_the_schedulers_words_come_from_the_condition():
    told = one(recorded("Pod", "big-cpu"), Unschedulable)
    assert (told.nodes, told.reasons) == (2, (("Insufficient cpu", 2),))


def test_what_a_container_status_says_is_a_failure_of_that_container():
    failure = next(f for f in facts_of(recorded("Pod", "bad-image"), "/x") if isinstance(f, Failure))
    assert (failure.operation, failure.error, failure.container, failure.whole) == (
        "image-pull",
        "connection-refused",
        "c",
        False,
    )


def test_a_manifest_proves_nothing_about_a_cluster():
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "d"},
        "spec": {"containers": [{"name": "c"}]},
    }
    facts = facts_of(pod, "p.yaml:1")
    assert not any(isinstance(f, Presence | Deletion) for f in facts)
    assert not any(f.whole for f in facts if isinstance(f, Finalizers | Placement | Life))


def test_metadata_alone_concludes_nothing_from_what_was_not_read():
    assert {type(f) for f in metadata_of(recorded("Pod", "rich"), "/x")} == {
        type(f) for f in metadata_of(recorded("Node"), "/x")
    }


def test_both_apis_of_events_read_alike():
    old = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "namespace": "d", "name": "p", "fieldPath": "spec.containers{c}"},
        "type": "Warning",
        "reason": "Unhealthy",
        "message": "Liveness probe failed: x",
        "count": 3,
        "firstTimestamp": "2026-11-21T00:00:00Z",
        "lastTimestamp": "2026-11-21T00:01:00Z",
        "source": {"component": "kubelet", "host": "n"},
    }
    new = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "e"},
        "regarding": old["involvedObject"],
        "type": "Warning",
        "reason": "Unhealthy",
        "note": "Liveness probe failed: x",
        "eventTime": "2026-11-21T00:00:00.000000Z",
        "series": {"count": 3, "lastObservedTime": "2026-11-21T00:01:00.000000Z"},
        "reportingController": "kubelet",
        "reportingInstance": "n",
    }
    for obj in (old, new):
        events = one(obj, Events)
        assert (events.about, events.whole) == (Ref("Pod", "d", "p"), False)
        event = events.items[0]
        assert (event.count, event.warning, event.reporter) == (3, True, "kubelet, n")
        assert event.last == datetime(2026, 11, 21, 0, 1, tzinfo=UTC)
        failure = one(obj, Failure)
        assert (failure.container, failure.count, failure.src.at) == ("c", 3, event.last)


def test_events_of_a_list_are_gathered_by_their_object():
    events = [o for o in OBJECTS if o["kind"] == "Event"]
    told = [f for f in facts_of({"kind": "List", "items": events}, "x:1") if isinstance(f, Events)]
    assert len(told) == 1
    assert len(told[0].items) == len(events)
    last = [e.last for e in told[0].items]
    assert last == sorted(last)


def test_a_typed_list_gives_its_items_their_kind():
    items = [{k: v for k, v in recorded("Pod", "rich").items() if k not in ("kind", "apiVersion")}]
    assert any(
        isinstance(f, Containers)
        for f in facts_of({"kind": "PodList", "apiVersion": "v1", "items": items}, "x")
    )


def test_yaml_reads_as_json_does():
    # YAML decodes times and numbers by itself.
    pod = recorded("Pod", "finalizer")
    assert facts_of(yaml.safe_load(yaml.safe_dump(pod)), "/x") == facts_of(pod, "/x")
    unquoted = yaml.safe_load(yaml.safe_dump(pod).replace("'", ""))
    assert one(unquoted, Deletion).due == one(pod, Deletion).due


JUNK = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        1.5,
        float("nan"),
        10**400,
        "",
        "x",
        "\x1b[31m",
        "\ud800",
        [],
        {},
        [None],
        {"a": None},
        {1: 2},
    ]
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    out = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        out += paths(inner, (*path, key))
    return out


@st.composite
def mangled(draw: st.DrawFn) -> Any:
    obj = copy.deepcopy(draw(st.sampled_from(OBJECTS)))
    for _ in range(draw(st.integers(1, 4))):
        known = paths(obj)
        if not known:
            break
        *front, last = draw(st.sampled_from(known))
        at = obj
        for key in front:
            at = at[key]
        if draw(st.booleans()) and isinstance(at, dict):
            del at[last]
        else:
            at[last] = copy.deepcopy(
                draw(JUNK)
            )  # otherwise a drawn list would be changed for the next example
    return obj


@given(mangled())
@settings(max_examples=scale_examples(600), deadline=None)
def test_no_mangled_object_ends_in_a_traceback_or_in_facts_that_cannot_be_saved(obj):
    for fact in facts_of(obj, "/x"):
        hash(fact)
        assert read_fact(to_json(fact)) == fact


@given(
    st.recursive(
        JUNK,
        lambda v: (
            st.lists(v, max_size=3)
            | st.dictionaries(st.sampled_from(["kind", "items", "metadata", "spec", "status"]), v)
        ),
    )
)
@settings(max_examples=scale_examples(200), deadline=None)
def test_no_document_at_all_ends_in_a_traceback(doc):
    facts_of(doc, "/x")
    facts_of({"kind": "Pod", "metadata": {"name": "p", "uid": "u"}, "spec": doc, "status": doc}, "/x")
    facts_of({"kind": "List", "items": [doc, {"kind": "Event", "involvedObject": doc}]}, "/x")
