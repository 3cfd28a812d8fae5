"""Following references over a real connection: the target is requested once, and nothing without a
reference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kube.small import Doc, Small, make_healthy_cluster, make_node, make_object, small
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]


def deployment(ready: int, **template: Any) -> Doc:
    status = {"replicas": ready, "updatedReplicas": ready, "readyReplicas": ready}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {"spec": template}}
    return make_object("Deployment", "web", "default", (f"{ready}/1",), spec=spec, status=status)


def why(deploy: Doc, path: Path) -> tuple[int, list[str]]:
    cluster = Small([*make_healthy_cluster(), make_node("n-2"), deploy])
    with small(cluster, path) as (_, kubeconfig):
        return run(["why", "deploy/web", "--kubeconfig", str(kubeconfig)], "unstuck"), [
            p for p, _ in cluster.asked
        ]


def test_a_template_for_a_node_that_is_not_there_is_told_before_there_is_a_pod(
    tmp_path: Path, capsys: Err
) -> None:
    code, asked = why(deployment(0, nodeName="lab-9"), tmp_path)
    out = " ".join(capsys.readouterr().out.split())
    assert code == 1 and "reference.target-missing" in out and "proven" in out
    assert "refers to Node lab-9 in spec.template.spec.nodeName" in out
    assert asked.count("/api/v1/nodes/lab-9") == 1


@pytest.mark.parametrize("template", [{}, {"nodeName": "lab-9"}])
def test_nothing_is_followed_from_what_has_all_that_it_wants(
    template: Doc, tmp_path: Path, capsys: Err
) -> None:
    code, asked = why(deployment(1, **template), tmp_path)
    assert code == 0 and "/api/v1/nodes/lab-9" not in asked
    assert "reference." not in capsys.readouterr().out
