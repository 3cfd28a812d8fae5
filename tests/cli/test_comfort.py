"""A text is called fine only if an object in it is known to be fine, and no line contradicts that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.text.test_frames import SENTENCES
from unstuck.cli.run import run

HEALTHY = "NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          55d\n"
ALARMING = {
    "klog's last words": (
        "F0424 21:30:21.070421       1 main.go:67] Cloud provider could not be initialized: Network default "
        "not found\n"
    ),
    "a panic": "panic: runtime error: invalid memory address or nil pointer dereference\n",
    "a line of no format": "the frobnicator failed to start\n",
    "an error of somebody else": "error: unable to frobnicate\n",
    "a dead APIService": """\
NAME                     SERVICE              AVAILABLE                 AGE
v1beta1.metrics.k8s.io   monitoring/adapter   False (ServiceNotFound)   75d
""",
    "a Deployment without Pods": """\
NAME   READY   UP-TO-DATE   AVAILABLE   AGE
dep    0/3     0            0           61s
""",
    "a quota of 0": """\
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: shop}
spec: {hard: {pods: "0"}}
status: {hard: {pods: "0"}, used: {pods: "0"}}
""",
}


def _read(text: str, tmp_path: Path) -> int:
    path = tmp_path / "paste.txt"
    path.write_text(text)
    return run(["read", str(path), "--lang", "en"], "unstuck")


def test_healthy_rows_are_called_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _read(HEALTHY, tmp_path) == 0
    assert capsys.readouterr().out.startswith("✓")


@pytest.mark.parametrize("name", ALARMING)
@pytest.mark.parametrize("before", ["", HEALTHY + "\n"], ids=["alone", "below healthy rows"])
def test_what_speaks_against_it_is_never_called_fine(
    name: str, before: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _read(before + ALARMING[name], tmp_path) in (1, 2, 3)
    assert not capsys.readouterr().out.startswith("✓")


def test_the_line_that_looks_like_the_reason_is_quoted_without_its_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _read(HEALTHY + "\nthe frobnicator failed: password=hunter2\n", tmp_path) == 3
    told = capsys.readouterr().err
    assert "the frobnicator failed" in told and "hunter2" not in told


def test_objects_that_say_nothing_of_their_state_are_not_called_fine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        _read("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {}\n", tmp_path)
        == 3
    )
    assert not capsys.readouterr().out.startswith("✓")


@pytest.mark.parametrize("sentence", SENTENCES[::40])
def test_a_known_sentence_below_healthy_rows_is_never_called_fine(
    sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _read(f"{HEALTHY}\n{sentence}\n", tmp_path) in (1, 2, 3)
    assert not capsys.readouterr().out.startswith("✓")
