"""Our verdict on generated clusters is kube-scheduler's own: per Node and plugin, and in the message."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.scheduling.agreement import compare, list_filters
from tests.scheduling.generate import make_case
from tests.scheduling.generate.draw import Json
from tests.scheduling.reasons import KNOWN, ORDER, UNREACHABLE
from tests.scheduling.shrink import shrink
from unstuck.scheduling.decide import FILTERS


def _cannot(why: str) -> None:
    """Skip with a reason if the oracle is unavailable, which in CI is an error."""
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_cases_of_a_seed_agree() -> None:
    """CASES (1000) of SEED (1)."""
    pytest.importorskip("unstuck_lab", reason="the lab is not installed: make .venv/.stamp-lab")
    if not (shutil.which("go") or shutil.which("/usr/local/go/bin/go")):
        _cannot("the scheduler's filters are not asked: Go is not installed")
    from tests.scheduling.check import format_report, run
    from unstuck_lab.errors import LabError

    try:
        report = run(int(os.environ.get("CASES", "1000")), int(os.environ.get("SEED", "1")))
    except LabError as error:
        _cannot(f"the scheduler's filters are not asked: {error}")
        return
    lines = list(format_report(report))
    assert not report.differ, "\n".join(lines)
    assert lines[-1].endswith(" agree, 0 differ")
    assert not [k for k in UNREACHABLE if k in report.reached], (
        "a reason that is said to be out of reach was reached"
    )


def test_a_seed_is_always_the_same_cases() -> None:
    assert [make_case(7, i) for i in range(20)] == [make_case(7, i) for i in range(20)]
    assert make_case(7, 0) != make_case(8, 0)


def test_shrinking_keeps_what_fails_and_the_objects_whole() -> None:
    case = next(
        c for c in (make_case(1, i) for i in range(100)) if len(c["nodes"]) > 2 and len(c["pods"]) > 3
    )

    def fails(tried: dict[str, object]) -> bool:
        return len(tried.get("nodes", [])) >= 2

    small = shrink(case, fails)
    assert len(small["nodes"]) == 2 and not small.get("pods")
    assert small["pod"]["spec"]["containers"][0]["name"]


def _alone(**constraints: object) -> Json:
    pod = {
        "metadata": {"name": "p", "namespace": "default", "uid": "u"},
        "spec": {"containers": [{"name": "c"}], **constraints},
    }
    node = {"metadata": {"name": "n1"}, "spec": {}, "status": {"allocatable": {"pods": "110"}}}
    return {"pod": pod, "nodes": [node]}


def _said(**fields: object) -> Json:
    return {"preenqueue": {}, "prefilter": {}, "filter": {}, "fits": [], "nodes": {}, **fields}


def test_what_the_scheduler_says_and_we_do_not_is_noticed() -> None:
    assert not compare(_alone(), _said(fits=["n1"]), ORDER).differences
    refusal = {"code": "UnschedulableAndUnresolvable", "reasons": ["node(s) were unschedulable"]}
    for verdict in (
        _said(fits=[]),
        _said(fits=["n1"], filter={"n1": {"NodeUnschedulable": refusal}}),
        _said(fits=["n1"], prefilter={"VolumeZone": refusal}),
        _said(fits=["n1"], preenqueue={"SchedulingGates": refusal}),
        _said(error="a plugin failed"),
        _said(fits=["n1"], message="0/1 nodes are available: 1 Too many pods."),
    ):
        assert compare(_alone(), verdict, ORDER).differences, verdict


def test_what_we_say_and_the_scheduler_does_not_is_noticed() -> None:
    case = _alone(nodeSelector={"disk": "ssd"})
    reason = "node(s) didn't match Pod's node affinity/selector"
    message = f"0/1 nodes are available: 1 {reason}."
    refusal = {"code": "UnschedulableAndUnresolvable", "reasons": [reason]}
    assert not compare(
        case, _said(filter={"n1": {"NodeAffinity": refusal}}, message=message), ORDER
    ).differences
    for change in ({"code": "Unschedulable"}, {"reasons": ["another"]}, {"reasons": [reason, "and another"]}):
        assert compare(
            case, _said(filter={"n1": {"NodeAffinity": {**refusal, **change}}}, message=message), ORDER
        ).differences, change
    assert compare(
        case,
        _said(filter={"n1": {"NodeAffinity": refusal}}, message="0/1 nodes are available: another."),
        ORDER,
    ).differences
    assert compare(case, _said(fits=["n1"]), ORDER).differences


def test_every_filter_of_the_scheduler_is_held() -> None:
    assert tuple(f.name for f in FILTERS) == ORDER
    assert {f.name for f in list_filters()} == set(ORDER)


def test_what_is_out_of_reach_is_listed_with_why() -> None:
    assert set(UNREACHABLE) <= set(KNOWN)
    assert all(UNREACHABLE.values())
