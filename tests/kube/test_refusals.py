"""What the job controller was refused, by the log of kube-controller-manager where it runs as a Pod."""

from __future__ import annotations

from typing import Any

from tests.kube.cluster import cluster, listed, named
from unstuck.facts.aspects.protection import Uncounted
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.core import Ref, Refused, Want

POD = {"kind": "Pod", "apiVersion": "v1", **named("count-7", "shop", finalizers=["batch.kubernetes.io/job-tracking"])}
ABOUT = Ref("Pod", "shop", "count-7")
SYSTEM = "/api/v1/namespaces/kube-system/pods"
# As kubelets store it and the API server hands it out, with the time in front. Two of Kubernetes' ways to quote in one.
LOG = (
    '2026-11-21T00:50:00.123456789Z E1121 00:50:00.123456       1 job_controller.go:1390] "Removing tracking finalizer"'
    " err=\"pods \\\"count-7\\\" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: finalizers stay\"\n"
    '2026-11-21T00:50:01.123456789Z E1121 00:50:01.123456       1 job_controller.go:1390] "Removing tracking finalizer"'
    " err=\"pods \\\"count-70\\\" is forbidden: ValidatingAdmissionPolicy 'other' with binding 'other' denied request: not mine\"\n"
)


def running(name: str) -> dict[str, Any]:
    return {**named(name, "kube-system"), "status": {"phase": "Running"}}


def asked(pages: dict[str, Any]) -> tuple[list[Any], list[str]]:
    with cluster({"/api/v1/namespaces/shop/pods/count-7": POD, **pages}) as c:
        return list(c.collector.collect([Want(Refusals, ABOUT)])), c.asked()


def test_the_controller_managers_log_tells_what_the_job_controller_was_refused() -> None:
    (told,), paths = asked({SYSTEM: listed(running("kcm-a")), f"{SYSTEM}/kcm-a/log": lambda _: (200, LOG.encode())})
    (one,) = told.items
    assert (one.error, one.by, one.to.name) == ("admission-denied", Ref("ValidatingAdmissionPolicy", None, "keep"), "kcm-a")
    assert one.why.startswith("finalizers stay")
    assert (told.whole, [r.name for r in told.logs]) == (False, ["kcm-a"])
    # No workload is looked through for it.
    assert not [p for p in paths if "deployments" in p]


def test_without_such_a_pod_the_question_stays_open() -> None:
    (told,), _ = asked({SYSTEM: listed()})
    assert isinstance(told, Refused) and told.why == "not-offered"


def test_a_job_names_the_pods_that_it_has_yet_to_let_go() -> None:
    job = {
        "kind": "Job",
        "apiVersion": "batch/v1",
        **named("count", "shop"),
        "spec": {"completions": 2},
        "status": {"uncountedTerminatedPods": {"succeeded": ["u-1"], "failed": ["u-2"]}},
    }
    with cluster({"/apis/batch/v1/namespaces/shop/jobs/count": job}) as c:
        (told,) = [f for f in c.collector.collect([Want(Uncounted, Ref("Job", "shop", "count"))]) if isinstance(f, Uncounted)]
    assert told.uids == ("u-1", "u-2")
