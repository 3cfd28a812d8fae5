"""What explains a failure outlives the lab."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unstuck_lab import Lab
from unstuck_lab.asking import FaultQuestion, ask
from unstuck_lab.fault import find
from unstuck_lab.pytest_plugin import LOGS

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")


def test_a_failed_test_keeps_the_logs_of_all_components_and_the_last_answers(
    lab: Lab, tmp_path: Path
) -> None:
    ask(lab, FaultQuestion(find("healthy-nodes"), "node/lab-1", "api"))
    (tmp_path / "test_red.py").write_text(
        "def test_red(lab):\n    print('seen just before')\n    assert lab.nodes == 'three'\n"
    )
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    # A worker's lab is named by its environment already.
    env = {k: v for k, v in os.environ.items() if k != "PYTEST_XDIST_WORKER"} | {LOGS: str(tmp_path / "kept")}
    argv = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        str(tmp_path / "test_red.py"),
    ]
    done = subprocess.run(argv, capture_output=True, text=True, env=env, check=False, timeout=300)
    assert done.returncode == 1, (worker, done.stdout, done.stderr)
    (kept,) = (tmp_path / "kept" / "labs" / "gw0").iterdir()
    report = (kept / "report.txt").read_text()
    assert "lab.nodes == 'three'" in report and "seen just before" in report
    for file in (
        "control/log/kube-apiserver.log",
        "lab-1/log/kubelet.log",
        "lab-1/log/containerd.log",
        "events.yaml",
        "nodes.yaml",
    ):
        assert (kept / file).stat().st_size > 0, file
    assert "lab-1" in (kept / "answers" / "healthy-nodes_node_lab-1_api.txt").read_text()
