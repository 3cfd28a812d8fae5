"""Refused removals of a finalizer: from the log of kube-controller-manager if it runs as a Pod, and by a dry
run.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kube.cluster import cluster as pages_of
from tests.kube.cluster import make_list, make_object
from tests.kube.server import Handler, serving
from unstuck.collect.kube.collector import KubeCollector
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.facts.aspects.protection import Removal, Uncounted
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.core import Fact, Ref, Refused, Want

POD = {
    "kind": "Pod",
    "apiVersion": "v1",
    **make_object("count-7", "shop", finalizers=["batch.kubernetes.io/job-tracking"]),
}
ABOUT = Ref("Pod", "shop", "count-7")
SYSTEM = "/api/v1/namespaces/kube-system/pods"
# In the stored form of kubelets and the API server, with a leading time. It combines two of Kubernetes'
# quoting styles.
LOG = (
    '2026-11-21T00:50:00.123456789Z E1121 00:50:00.123456       1 job_controller.go:1390] "Removing '
    'tracking finalizer"'
    " err=\"pods \\\"count-7\\\" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied "
    'request: finalizers stay"\n'
    '2026-11-21T00:50:01.123456789Z E1121 00:50:01.123456       1 job_controller.go:1390] "Removing '
    'tracking finalizer"'
    " err=\"pods \\\"count-70\\\" is forbidden: ValidatingAdmissionPolicy 'other' with binding 'other' "
    'denied request: not mine"\n'
)


def running(name: str) -> dict[str, Any]:
    return {**make_object(name, "kube-system"), "status": {"phase": "Running"}}


def asked(pages: dict[str, Any]) -> tuple[list[Any], list[str]]:
    with pages_of({"/api/v1/namespaces/shop/pods/count-7": POD, **pages}) as c:
        return list(c.collector.collect([Want(Refusals, ABOUT)])), c.asked()


def test_the_controller_managers_log_tells_what_the_job_controller_was_refused() -> None:
    (told,), paths = asked(
        {SYSTEM: make_list(running("kcm-a")), f"{SYSTEM}/kcm-a/log": lambda _: (200, LOG.encode())}
    )
    (one,) = told.items
    assert (one.error, one.by, one.to.name) == (
        "admission-denied",
        Ref("ValidatingAdmissionPolicy", None, "keep"),
        "kcm-a",
    )
    assert one.why.startswith("finalizers stay")
    assert (told.whole, [r.name for r in told.logs]) == (False, ["kcm-a"])
    # No workload is searched for it.
    assert not [p for p in paths if "deployments" in p]


def test_without_such_a_pod_the_question_stays_open() -> None:
    (told,), _ = asked({SYSTEM: make_list()})
    assert isinstance(told, Refused) and told.why == "not-offered"


def test_a_job_names_the_pods_that_it_has_yet_to_let_go() -> None:
    job = {
        "kind": "Job",
        "apiVersion": "batch/v1",
        **make_object("count", "shop"),
        "spec": {"completions": 2},
        "status": {"uncountedTerminatedPods": {"succeeded": ["u-1"], "failed": ["u-2"]}},
    }
    with pages_of({"/apis/batch/v1/namespaces/shop/jobs/count": job}) as c:
        (told,) = [
            f
            for f in c.collector.collect([Want(Uncounted, Ref("Job", "shop", "count"))])
            if isinstance(f, Uncounted)
        ]
    assert told.uids == ("u-1", "u-2")


PATH = "/api/v1/namespaces/shop/pods/count-7"
DENIED = (
    "pods \"count-7\" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: "
    "finalizers stay"
)


def tried(
    status: int, message: str, *, dry_run: bool = True
) -> tuple[list[Fact], list[tuple[str, str, Any]]]:
    """Return the result with this answer to the dry run, and the received writes."""

    def script(h: Handler) -> None:
        if h.command == "GET":
            return h.say(200, POD)
        return h.say(status, {"kind": "Status", "message": message} if status != 200 else POD)

    with serving(script) as server:
        collector = KubeCollector(Client(Access("test", server.url, "shop"), 5, env={}), dry_run=dry_run)
        facts = list(collector.collect([Want(Removal, ABOUT)]))
        return facts, [
            (s.path, s.headers["Content-Type"], json.loads(s.body)) for s in server.seen if s.method != "GET"
        ]


def test_a_dry_run_is_sent_only_where_it_is_wanted() -> None:
    (told,), writes = tried(200, "", dry_run=False)
    assert isinstance(told, Refused) and told.why == "not-asked"
    assert writes == []


def test_the_dry_run_takes_one_finalizer_off_this_very_object_and_writes_nothing() -> None:
    (told,), (write,) = tried(200, "")
    assert isinstance(told, Removal) and told.passes
    assert write[:2] == (f"{PATH}?dryRun=All", "application/json-patch+json")
    assert [(c["op"], c["path"]) for c in write[2]] == [
        ("test", "/metadata/uid"),
        ("test", "/metadata/finalizers/0"),
        ("remove", "/metadata/finalizers/0"),
    ]


def test_the_servers_refusal_of_the_dry_run_is_told_with_who_refuses() -> None:
    (told, refused), _ = tried(403, DENIED)
    assert isinstance(told, Removal) and not told.passes
    assert isinstance(refused, Refusals)
    assert refused.items[0].by == Ref("ValidatingAdmissionPolicy", None, "keep")


@pytest.mark.parametrize(
    ("status", "message", "why"),
    [
        (
            403,
            (
                'pods "count-7" is forbidden: User "reader" cannot patch resource "pods" in API group "" in '
                'the namespace "shop"'
            ),
            "denied",
        ),
        (422, "the server rejected our request due to an error in our request", "not-offered"),
        (400, 'admission webhook "w.example.com" does not support dry run', "not-offered"),
    ],
)
def test_what_no_rule_refused_leaves_the_question_open(status: int, message: str, why: str) -> None:
    (told,), _ = tried(status, message)
    assert isinstance(told, Refused) and told.why == why
