"""`read`, `explain`, `demo`: answers and pages without a cluster."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

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
    assert out.startswith("✗ Pod default/ed-immut — Terminating for")
    assert "unstuck why pod/ed-immut -n default --ssh=lab-1" in out


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_what_windows_wrote_reads_alike(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path = tmp_path / "pod.txt"
    path.write_bytes((mark + POD.replace("\n", "\r\n")).encode(encoding))
    assert run(["read", str(path), "--lang", "en"], "unstuck") == 2
    assert capsys.readouterr().out.startswith("✗ Pod default/ed-immut — Terminating for")


@pytest.mark.parametrize(("restarts", "before"), [(0, False), (2, True)])
def test_the_log_that_is_named_is_that_of_the_run_that_ended(
    restarts: int, before: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = {
        "terminated": {
            "exitCode": 3,
            "reason": "Error",
            "startedAt": "2026-11-21T03:00:20Z",
            "finishedAt": "2026-11-21T03:00:22Z",
        }
    }
    again = {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": ended}
    status = {"name": "c", "image": "b", "ready": False, "restartCount": restarts} | (
        again if restarts else {"state": ended}
    )
    found = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "namespace": "f",
            "uid": "u-1",
            "creationTimestamp": "2026-11-21T02:58:40Z",
        },
        "spec": {
            "nodeName": "n1",
            "restartPolicy": "Always" if restarts else "Never",
            "containers": [{"name": "c", "image": "b"}],
        },
        "status": {"phase": "Running" if restarts else "Failed", "containerStatuses": [status]},
    }
    path = tmp_path / "pod.json"
    path.write_text(json.dumps(found))
    run(["read", str(path), "-o", "json"], "unstuck")
    (cause,) = json.loads(capsys.readouterr().out)["diagnoses"][0]["causes"]
    assert cause["id"] == "container.exits-by-itself"
    assert ("--previous" in cause["help"][0]["command"]) is before


def test_only_one_subject(pod: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", pod, "--subject", "pod/ed-immut", "-o", "json"], "unstuck") == 2
    assert [d["subject"]["name"] for d in json.loads(capsys.readouterr().out)["diagnoses"]] == ["ed-immut"]
    assert run(["read", pod, "--subject", "pod/other"], "unstuck") == 3
    assert "Pod default/ed-immut" in capsys.readouterr().err


def test_what_was_read_can_be_shown(pod: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", pod, "--show-facts"], "unstuck") == 0
    out = capsys.readouterr().out
    assert "Deletion" in out and "pod.yaml" in out and "not understood" not in out


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_what_was_read_is_a_snapshot_for_a_program(
    pod: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["read", pod, "--show-facts", "-o", form], "unstuck") == 0
    document = yaml.safe_load(capsys.readouterr().out)
    assert "Deletion" in {fact["type"] for fact in document["facts"]}
    (tmp_path / "facts.json").write_text(json.dumps(document))
    assert run(["replay", str(tmp_path / "facts.json"), "-o", "json"], "unstuck") == 2
    assert [d["subject"]["name"] for d in json.loads(capsys.readouterr().out)["diagnoses"]] == ["ed-immut"]


def test_facts_are_shown_in_no_form_that_is_of_an_answer(
    pod: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["read", pod, "--show-facts", "-o", "html"], "unstuck") == 3
    assert "--show-facts goes with" in capsys.readouterr().err


def test_what_was_not_understood_is_told(
    pod: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


@pytest.mark.parametrize("word", ["vane", "vanes", "Vane.weather.example.com"])
def test_a_kind_that_is_not_kubernetes_own_is_asked_about_as_it_is_typed(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meta = {
        "name": "v1",
        "namespace": "f",
        "uid": "u-1",
        "deletionTimestamp": "2026-11-21T02:58:40Z",
        "finalizers": ["weather.example.com/x"],
    }
    path = tmp_path / "vane.json"
    path.write_text(json.dumps({"apiVersion": "weather.example.com/v1", "kind": "Vane", "metadata": meta}))
    assert run(["read", str(path), "--subject", f"{word}/v1", "-n", "f", "-o", "json"], "unstuck") == 2
    assert (
        json.loads(capsys.readouterr().out)["diagnoses"][0]["subject"]["kind"] == "Vane.weather.example.com"
    )


@pytest.mark.parametrize("word", ["flowschema", "flowschemas.flowcontrol.apiserver.k8s.io", "FlowSchema"])
def test_a_built_in_kind_is_found_in_any_typed_form(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dangles = {"type": "Dangling", "status": "True", "reason": "NotFound", "message": "no such level"}
    doc = {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": "slow-lane", "uid": "u-1"},
        "spec": {"matchingPrecedence": 9},
        "status": {"conditions": [dangles]},
    }
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(doc))
    assert run(["read", str(path), "--subject", f"{word}/slow-lane", "-o", "json"], "unstuck") == 1
    assert json.loads(capsys.readouterr().out)["diagnoses"][0]["subject"]["kind"] == "FlowSchema"


def test_a_pod_that_a_log_names_by_its_uid_is_found_by_its_own_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uid = "bdc082fe-bc8c-4071-ba11-db03af935e49"
    path = tmp_path / "paste.txt"
    path.write_text(
        "$ kubectl describe pod late -n f\nName:  late\nNamespace:  f\nNode:  n-1/10.0.0.1\nStatus:  "
        "Pending\n"
        "Containers:\n  c:\n    Image:  a\nEvents:  <none>\n"
        f"[root@n-1 ~]# grep {uid} /proc/$(pgrep -o kubelet)/mountinfo\n"
        f"1 2 0:3 / /var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~projected/t rw - tmpfs tmpfs rw\n"
        "[root@n-1 ~]# journalctl -u kubelet -o cat | grep -E '^[EW]'\n"
        'E1122 01:26:43.000001      95 nestedpendingoperations.go:348] Operation for "x" failed. Error: '
        'MountVolume.SetUp failed for volume "v" '
        f'(UniqueName: "kubernetes.io/nfs/{uid}-v") pod "late" (UID: "{uid}") : mount failed: exit status '
        "32\n"
    )
    run(["read", str(path), "--subject", "pod/late", "-n", "f", "-o", "json"], "unstuck")
    assert json.loads(capsys.readouterr().out)["diagnoses"][0]["subject"]["name"] == "late"


DESCRIBED = """\
Name:             restless
Namespace:        f
Node:             lab-2/10.222.0.12
Start Time:       Sat, 21 Nov 2026 00:26:16 +0000
Status:           Running
Containers:
  c:
    Container ID:  containerd://966fcd90465145bc8e992fcf303d3644d7b0fde59dbe83dc6006031099044748
    Image:         lab.local/busybox:1
    State:          Running
      Started:      Sat, 21 Nov 2026 00:31:50 +0000
    Last State:     Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      Sat, 21 Nov 2026 00:28:54 +0000
      Finished:     Sat, 21 Nov 2026 00:29:17 +0000
    Ready:          False
    Restart Count:  3
    Liveness:       exec [false] delay=20s timeout=1s period=2s #success=1 #failure=2
    Environment:    <none>
Volumes:  <none>
Events:
  Type     Reason     Age                    From               Message
  ----     ------     ----                   ----               -------
  Normal   Scheduled  5m45s                  default-scheduler  Successfully assigned f/restless to lab-2
  Normal   Killing    2m44s (x3 over 5m18s)  kubelet            Container c failed liveness probe, will be restarted
  Normal   Started    11s (x4 over 5m41s)    kubelet            Started container c
"""


@pytest.mark.parametrize("later", [timedelta(seconds=1), timedelta(minutes=11), timedelta(days=400)])
def test_a_description_is_of_when_it_was_printed(
    later: timedelta, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of ten minutes is in no loop: its age when somebody reads of it is not how long it lasted."""
    printed = datetime(2026, 11, 21, 0, 32, 1, tzinfo=UTC)
    monkeypatch.setattr("unstuck.api.reading.now", lambda: printed + later)
    path = tmp_path / "pod.txt"
    path.write_text(DESCRIBED)
    assert run(["read", str(path), "-o", "json"], "unstuck") == 1
    report = json.loads(capsys.readouterr().out)
    assert [c["id"] for c in report["diagnoses"][0]["causes"]][:1] == ["container.killed-by-liveness"]
    assert printed <= datetime.fromisoformat(report["at"]) <= printed + timedelta(seconds=2)


def test_a_programs_log_alone_is_no_sign_that_all_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "paste.txt"
    path.write_text("$ kubectl logs web -n shop\nrequest served in 12 ms\n")
    assert run(["read", str(path), "--lang", "en"], "unstuck") == 3
    assert (
        "nothing but a container's own log; its last line: request served in 12 ms" in capsys.readouterr().err
    )
    path.write_text("$ kubectl logs web -n shop\nmkdir /data: permission denied\n")
    assert run(["read", str(path), "--lang", "en"], "unstuck") == 1
    assert "program.permission-denied" in capsys.readouterr().out


def test_a_text_of_which_a_part_was_not_understood_is_not_called_fine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pasted = tmp_path / "pasted.txt"
    table = "NAME     STATUS   ROLES    AGE   VERSION\nnode-1   Ready    <none>   8d    v1.34.0\n"
    pasted.write_text(f"$ kubectl get nodes\n{table}")
    assert run(["read", str(pasted), "--lang", "en"], "unstuck") == 0
    pasted.write_text(f"$ kubectl get nodes\n{table}\n$ gearctl list gears\nGEAR   TEETH   TURNS\n")
    assert run(["read", str(pasted), "--lang", "en"], "unstuck") == 3
    assert "not all of it was understood" in capsys.readouterr().err
