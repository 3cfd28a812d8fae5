"""An object that says nothing of itself is as well as the objects that use it, and leads to their root."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import SPACE, ask, crashing, deployment, roots
from tests.kube.small import make_object, make_pod, make_pod_with_map

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]
MAP = make_object("ConfigMap", "quote-conf", SPACE)


def with_map(pod: Doc) -> Doc:
    named = make_pod_with_map(pod["metadata"]["name"], SPACE, "quote-conf")
    return {**pod, "spec": named["spec"]}


def test_what_running_pods_use_is_well(tmp_path: Path, capsys: Err) -> None:
    pods = [with_map(make_pod(f"quote-{n}", SPACE)) for n in "ab"]
    status, answer, _ = ask([MAP, *pods, make_pod("other", SPACE)], tmp_path, capsys, "cm/quote-conf")
    assert (status, answer["state"]) == (0, "fine")
    assert "2 running Pods (quote-a, quote-b)" in answer["headline"]["en"]


def test_what_no_pod_uses_stays_undecided(tmp_path: Path, capsys: Err) -> None:
    status, answer, _ = ask([MAP, make_pod("other", SPACE)], tmp_path, capsys, "cm/quote-conf")
    assert (status, answer["state"]) == (2, "unknown")


def test_it_leads_to_the_root_of_a_pod_that_uses_it(tmp_path: Path, capsys: Err) -> None:
    pods = [with_map(make_pod("quote-a", SPACE)), with_map(crashing("quote-b"))]
    lines = {"quote-b": "flag provided but not defined: -cache-ttl"}
    status, answer, _ = ask([MAP, *pods], tmp_path, capsys, "cm/quote-conf", lines=lines)
    assert (status, answer["state"], roots(answer)) == (1, "stuck", ["program.option-unknown"])


def test_an_account_is_used_by_the_pods_that_run_as_it(tmp_path: Path, capsys: Err) -> None:
    account = make_object("ServiceAccount", "quote", SPACE)
    pod = make_pod("quote-a", SPACE)
    pod["spec"]["serviceAccountName"] = "quote"
    status, answer, _ = ask([account, pod, make_pod("other", SPACE)], tmp_path, capsys, "sa/quote")
    assert (status, answer["state"]) == (0, "fine") and "1 running Pod (quote-a)" in answer["headline"]["en"]


def test_a_class_leads_to_the_claim_that_waits_for_it(tmp_path: Path, capsys: Err) -> None:
    kind = {**make_object("StorageClass", "fast", None), "provisioner": "csi.gone.example.com"}
    claims = [
        make_object(
            "PersistentVolumeClaim",
            f"data-{name}",
            SPACE,
            spec={"storageClassName": name, "accessModes": ["ReadWriteOnce"]},
            status={"phase": "Pending"},
        )
        for name in ("fast", "slow")
    ]
    _, answer, _ = ask([kind, *claims], tmp_path, capsys, "storageclass/fast")
    assert (
        answer["state"] == "stuck" and "PersistentVolumeClaim default/data-fast" in answer["headline"]["en"]
    )


@pytest.mark.parametrize("refused", [True, False])
def test_a_limit_leads_to_the_workload_that_it_refuses(refused: bool, tmp_path: Path, capsys: Err) -> None:
    limit = make_object("LimitRange", "bounds", SPACE, spec={"limits": []})
    told = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "is forbidden"}
    above = deployment(
        "quote", 2, {"app": "quote"}, replicas=0, readyReplicas=0, conditions=[told] if refused else []
    )
    _, answer, _ = ask([limit, above], tmp_path, capsys, "limits/bounds")
    assert (answer["state"] == "stuck") is refused
