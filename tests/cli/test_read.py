"""`read`, `explain`, `demo`: answers and pages without a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unstuck.cli.run import run
from unstuck.engine import discover

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: ed-immut
  namespace: default
  uid: 41300886-c8c1-4a0e-9f4e-0a1b2c3d4e5f
  creationTimestamp: "2025-11-20T23:00:00Z"
  deletionTimestamp: "2025-11-20T23:55:32Z"
  deletionGracePeriodSeconds: 2
spec:
  nodeName: lab-1
  containers:
  - {name: main, image: busybox}
status:
  phase: Failed
"""


@pytest.fixture
def pod(tmp_path: Path) -> str:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    return str(path)


def test_a_pasted_object_is_diagnosed(pod: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", pod, "--lang", "en"], "unstuck") == 2
    out = capsys.readouterr().out
    assert out.startswith("✗ Pod default/ed-immut has been deleting for")
    assert "on lab-1: unstuck node --here --pod 41300886-c8c1-4a0e-9f4e-0a1b2c3d4e5f" in out


def test_only_one_subject(pod: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", pod, "--subject", "pod/ed-immut", "-o", "json"], "unstuck") == 2
    assert [d["subject"]["name"] for d in json.loads(capsys.readouterr().out)["diagnoses"]] == ["ed-immut"]
    assert run(["read", pod, "--subject", "pod/other"], "unstuck") == 3
    assert "Pod default/ed-immut" in capsys.readouterr().err


def test_what_was_read_can_be_shown(pod: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", pod, "--show-facts"], "unstuck") == 0
    out = capsys.readouterr().out
    assert "Deletion" in out and "pod.yaml" in out and "not understood" not in out


def test_what_was_not_understood_is_told(pod: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "note.txt").write_text("nothing that Kubernetes ever said\n")
    assert run(["read", pod, str(tmp_path / "note.txt"), "--show-facts", "--lang", "en"], "unstuck") == 0
    assert "not understood: note.txt:1" in capsys.readouterr().out


def test_what_was_read_replays(pod: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = str(tmp_path / "s.json.gz")
    assert run(["read", pod, "--save", saved, "--lang", "zh"], "unstuck") == 2
    first = capsys.readouterr().out
    assert run(["replay", saved, "--lang", "zh"], "unstuck") == 2
    assert capsys.readouterr().out == first


def test_what_is_no_text_is_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "noise"
    path.write_bytes(bytes(range(256)) * 200)
    assert run(["read", str(path)], "unstuck") == 3
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_cause_has_its_page(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--lang", lang], "unstuck") == 0
    listed = capsys.readouterr().out
    for cause in discover():
        assert cause.id in listed
        assert run(["explain", cause.id, "--lang", lang], "unstuck") == 0
        page = capsys.readouterr().out
        assert ("How it happens" if lang == "en" else "成因") in page, cause.id


def test_causes_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "-o", "json"], "unstuck") == 0
    assert {c["id"] for c in json.loads(capsys.readouterr().out)} == {c.id for c in discover()}


def test_the_demo_names_its_records(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--list"], "unstuck") == 0
    for name in capsys.readouterr().out.split():
        assert run(["demo", name], "unstuck") in (0, 1, 2)


def test_the_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"], "unstuck") == 0
    assert json.loads(capsys.readouterr().out)["title"] == "unstuck/v1"
