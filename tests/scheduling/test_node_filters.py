"""The filters on a Node's own fields: cordon, taints, labels."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.make import decide_on, list_reasons, make_node, make_pod

CORDONED = "node(s) were unschedulable"
TAINTED = "node(s) had untolerated taint(s)"
UNMATCHED = "node(s) didn't match Pod's node affinity/selector"


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "node.kubernetes.io/unschedulable"}, True),
        ({"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "node.kubernetes.io/unschedulable", "operator": "exists"}, False),
    ],
)
def test_a_cordoned_node_takes_what_tolerates_its_taint(toleration: dict[str, str], fits: bool) -> None:
    found = decide_on(make_pod(tolerations=[toleration]), make_node("a", cordoned=True))
    assert list_reasons(found, "a") == ([] if fits else [CORDONED])


@pytest.mark.parametrize(
    ("taint", "toleration", "fits"),
    [
        ("k=v:NoSchedule", {"key": "k", "value": "v"}, True),
        ("k=v:NoSchedule", {"key": "k", "operator": "Equal", "value": "w"}, False),
        ("k=v:NoSchedule", {"key": "k", "operator": "Exists", "value": "w"}, True),
        ("k=v:NoExecute", {"key": "k", "operator": "Exists", "effect": "NoSchedule"}, False),
        ("k=v:NoExecute", {"operator": "Exists"}, True),
        ("k=:NoSchedule", {"value": ""}, True),
        ("k=v:PreferNoSchedule", {"key": "x"}, True),
        ("k=v:NoSchedule", {"key": "k", "operator": "Gt", "value": "v"}, False),
    ],
)
def test_taints(taint: str, toleration: dict[str, str], fits: bool) -> None:
    found = decide_on(make_pod(tolerations=[toleration]), make_node("a", taints=(taint,)))
    assert list_reasons(found, "a") == ([] if fits else [TAINTED])
    assert all(r.outcome == "unresolvable" for r in found.refused.get("a", ()))


def test_every_taint_has_to_be_tolerated() -> None:
    wanted = make_pod(tolerations=[{"key": "a", "operator": "Exists"}])
    assert list_reasons(
        decide_on(wanted, make_node("n", taints=("a=:NoSchedule", "b=:NoSchedule"))), "n"
    ) == [TAINTED]


def _required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    }


def _expr(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("term", "fits"),
    [
        (_expr("disk", "In", "ssd", "nvme"), True),
        (_expr("disk", "NotIn", "ssd"), False),
        (_expr("gpu", "NotIn", "x"), True),
        (_expr("gpu", "Exists"), False),
        (_expr("gpu", "DoesNotExist"), True),
        (_expr("cores", "Gt", "7"), True),
        (_expr("cores", "Lt", "8"), False),
        (_expr("disk", "Gt", "7"), False),
        (_expr("disk", "In"), False),
        (_expr("disk", "Is", "ssd"), False),
        ({}, False),
        ({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}]}, False),
        ({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["b"]}]}, True),
        (
            {
                **_expr("disk", "In", "ssd"),
                "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}],
            },
            True,
        ),
    ],
)
def test_required_node_affinity(term: dict[str, Any], fits: bool) -> None:
    found = decide_on(
        make_pod(affinity=_required(term)), make_node("a", labels={"disk": "ssd", "cores": "8"})
    )
    assert list_reasons(found, "a") == ([] if fits else [UNMATCHED])


def test_terms_are_alternatives_and_a_faulty_one_hides_no_other() -> None:
    affinity = _required(_expr("cores", "Gt", "many"), _expr("disk", "Exists"))
    assert decide_on(make_pod(affinity=affinity), make_node("a", labels={"disk": "ssd"})).fits == ("a",)


def test_no_terms_match_no_node() -> None:
    assert list_reasons(decide_on(make_pod(affinity=_required()), make_node("a")), "a") == [UNMATCHED]


def test_node_selector_and_affinity_must_both_be_met() -> None:
    wanted = make_pod(nodeSelector={"disk": "ssd"}, affinity=_required(_expr("zone", "Exists")))
    found = decide_on(
        wanted, make_node("a", labels={"disk": "ssd"}), make_node("b", labels={"disk": "ssd", "zone": "z"})
    )
    assert found.fits == ("b",) and list_reasons(found, "a") == [UNMATCHED]


@pytest.mark.parametrize(
    "spec",
    [
        {"tolerations": [{"key": 5, "operator": "Exists"}]},
        {"tolerations": "all"},
        {"nodeSelector": ["disk"]},
        {"affinity": []},
        {"affinity": _required({"matchExpressions": "disk"})},
    ],
)
def test_a_field_that_does_not_read_is_named_and_nothing_decided(spec: dict[str, Any]) -> None:
    found = decide_on(make_pod(**spec), make_node("a"))
    assert not found.fits and found.message == ""
    assert found.rejected and found.rejected.outcome == "unknown"
    assert found.rejected.message.startswith(f"spec.{next(iter(spec))}")


@pytest.mark.parametrize(
    ("field", "value"),
    [(("spec", "taints"), "none"), (("spec", "taints"), [{"key": 1}]), (("spec", "unschedulable"), "true")],
)
def test_a_node_with_a_field_that_does_not_read_is_left_open(field: tuple[str, str], value: object) -> None:
    broken = make_node("a")
    broken[field[0]][field[1]] = value
    found = decide_on(make_pod(), broken, make_node("b", cordoned=True))
    assert not found.fits and list(found.undecided or ()) == ["a"] and list(found.refused) == ["b"]


def test_a_node_whose_labels_do_not_read_is_left_open() -> None:
    broken = make_node("a")
    broken["metadata"]["labels"] = {"disk": ["ssd"]}
    found = decide_on(make_pod(nodeSelector={"disk": "ssd"}), broken)
    assert list_reasons(found, "a") == ["metadata.labels: \"{'disk': ['ssd']}\" is no mapping of strings"]
