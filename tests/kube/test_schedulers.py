"""A scheduler's activity, from one list of its Pods."""

from __future__ import annotations

from typing import Any

from tests.kube.cluster import cluster, make_list
from unstuck.collect.kube.questions.schedulers import work
from unstuck.collect.kube.transport.session import Session
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.core import Fact, Ref, Refused, Want

PODS = "/api/v1/pods"


def pod(name: str, at: str = "", status: str = "True", node: str = "") -> dict[str, Any]:
    said = [{"type": "PodScheduled", "status": status, "lastTransitionTime": at}] if at else []
    meta = {"name": name, "namespace": "shop", "uid": f"uid-{name}"}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": meta,
        "spec": {"nodeName": node},
        "status": {"conditions": said},
    }


def asked(name: str | None, page: Any) -> tuple[list[Fact], list[dict[str, str]]]:
    seen: list[dict[str, str]] = []

    def pods(query: dict[str, str]) -> tuple[int, Any]:
        seen.append(query)
        return page if isinstance(page, tuple) else (200, page)

    with cluster({PODS: pods}) as c:
        return work(Session(c.client, "shop"), Want(SchedulerWork, Ref("Scheduler", None, name))), seen


def test_the_latest_word_counts_whether_it_bound_or_refused_and_who_was_never_tried_is_named() -> None:
    early, late = "2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z"
    page = make_list(pod("a", early, node="n"), pod("b", late, status="False"), pod("c"), pod("d", node="n"))
    (found,), (query,) = asked("volcano", page)
    assert (
        isinstance(found, SchedulerWork) and found.whole and found.about == Ref("Scheduler", None, "volcano")
    )
    assert found.latest is not None and found.latest.isoformat() == "2026-11-20T01:00:00+00:00"
    # A Pod with a Node but without a scheduler's condition names the Node itself.
    assert [r.name for r in found.untried] == ["c"]
    assert query["fieldSelector"] == "spec.schedulerName=volcano"


def test_a_gated_pod_is_no_word_of_a_scheduler_and_does_not_wait_for_one() -> None:
    gated = pod("g", "2026-11-20T00:00:00Z", status="False")
    gated["status"]["conditions"][0]["reason"] = "SchedulingGated"
    (found,), _ = asked("volcano", make_list(gated))
    assert isinstance(found, SchedulerWork) and found.latest is None and found.untried == ()


def test_of_the_default_scheduler_only_pods_without_a_node_are_listed() -> None:
    (found,), (query,) = asked("default-scheduler", make_list())
    assert isinstance(found, SchedulerWork) and found.latest is None and found.untried == ()
    assert query["fieldSelector"] == "spec.schedulerName=default-scheduler,spec.nodeName="


def test_a_list_that_goes_on_is_not_whole() -> None:
    (found,), _ = asked("volcano", make_list(pod("c"), **{"continue": "more"}))
    assert isinstance(found, SchedulerWork) and not found.whole


def test_what_cannot_be_told() -> None:
    (denied,), _ = asked("volcano", (403, {"kind": "Status"}))
    assert isinstance(denied, Refused) and denied.why == "denied"
    (nameless,), none = asked(None, make_list())
    assert isinstance(nameless, Refused) and nameless.why == "not-asked" and not none
