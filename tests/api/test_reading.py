"""Several texts at once."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unstuck.api.reading import read, read_paths
from unstuck.facts.aspects.objects import Failure

ROW = (
    "Warning  FailedCreatePodSandBox  40m  kubelet  Failed to create pod sandbox: rpc error: code = Unknown "
    "desc = "
    'failed to get sandbox image "{image}": failed to pull image "{image}": no such host\n'
)


def written(folder: Path, image: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.txt").write_text(ROW.format(image=image))
    return str(folder / "events.txt")


def test_what_nothing_names_in_files_of_one_name_is_not_one_object(tmp_path: Path) -> None:
    paths = (written(tmp_path / "a" / "x", "one:1"), written(tmp_path / "b" / "x", "two:2"))
    snap, seen = read_paths(paths)
    assert {f.about.block for f in snap.every(Failure)} == {"a/x/events.txt:1-1", "b/x/events.txt:1-1"}
    assert {f.src.where for f in snap.every(Failure)} == {"a/x/events.txt:1", "b/x/events.txt:1"}
    assert [place.partition(":")[0] for _, place in seen.understood] == ["a/x/events.txt", "b/x/events.txt"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path, "one:1")
    snap, seen = read_paths((path, str(tmp_path / "." / "x" / ".." / "events.txt"), path))
    assert [s for s in snap.sources if s.startswith("file:")] == [f"file:{path}"]
    assert [place for _, place in seen.understood] == ["events.txt:1"]
    assert not any("could be read" in said.en for said in seen.notes)


def test_an_object_that_nothing_speaks_of_is_named_beside_one_with_an_answer(tmp_path: Path) -> None:
    rows = [f"web-{n}   1/2   NotReady   0   12m" for n in range(1, 6)]
    paste = tmp_path / "pods.txt"
    paste.write_text(
        "\n".join(
            ["NAME   READY   STATUS   RESTARTS   AGE", "web-0   0/1   ImagePullBackOff   0   12m", *rows]
        )
    )
    report = read(paste)
    assert [d.subject.name for d in report.diagnoses] == ["web-0"]
    said = "the text says nothing about the state of 5 more objects: Pod web-1, Pod web-2, Pod web-3, …"
    assert [t.en for t in report.left_out] == [said]
    for told in (
        report.to_text(width=120),
        report.to_markdown(),
        report.to_html(),
        str(report.to_document()),
    ):
        assert "the state of 5 more objects: Pod web" in told
    assert not read(paste, subject="pod/web-0").left_out


CONTAINER = """\
    State:          Running
      Started:      Mon, 12 Apr 2021 15:45:23 +0100
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Mon, 12 Apr 2021 15:42:08 +0100
      Finished:     Mon, 12 Apr 2021 15:44:55 +0100
    Ready:          True
    Restart Count:  4
    Limits:
      memory:  100Mi
"""
EVENT = """\
Events:
  Type     Reason   Age  From     Message
  ----     ------   ---  ----     -------
  Warning  BackOff  2m   kubelet  Back-off restarting failed container
"""


def test_containers_without_events_are_read_as_of_the_last_thing_that_they_tell(tmp_path: Path) -> None:
    paste = tmp_path / "container.txt"
    paste.write_text(CONTAINER)
    snap, _ = read_paths((str(paste),))
    assert snap.now == datetime(2021, 4, 12, 14, 45, 23, tzinfo=UTC)
    (told,) = read(paste).diagnoses
    assert [c.id for c in told.causes] == ["container.out-of-memory"]


def test_with_events_their_ages_count_from_now(tmp_path: Path) -> None:
    paste = tmp_path / "container.txt"
    paste.write_text(CONTAINER + EVENT)
    snap, _ = read_paths((str(paste),))
    assert snap.now.year >= 2026


def test_a_file_called_as_standard_input_is_another_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ROW.format(image="two:2").encode())))
    (tmp_path / "-").write_text(ROW.format(image="one:1"))
    snap, _ = read_paths(("./-", "-"))
    assert {f.src.where for f in snap.every(Failure)} == {"-:1", "stdin:1"}


def test_a_text_in_which_nothing_could_be_read_is_told_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "helm.txt").write_text("Error: UPGRADE FAILED: timed out waiting for the condition\n")
    _, seen = read_paths((written(tmp_path, "one:1"), str(tmp_path / "helm.txt")))
    (said,) = seen.notes
    assert (
        "it is an error of Helm" in said.en
        and "它是 Helm 的错误" in said.zh
        and "kubectl get jobs,pods" in said.en
    )


def test_a_text_in_which_nothing_could_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("nothing\n")
    _, seen = read_paths((written(tmp_path, "one:1"), str(tmp_path / "other.txt")))
    assert [said.en for said in seen.notes] == [
        f"nothing in {tmp_path / 'other.txt'} could be read as Kubernetes evidence"
    ]


APISERVICE = """\
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: v1beta1.metrics.k8s.io
status:
  conditions:
  - {type: Available, status: "%s", reason: %s, message: "m"}
"""


def test_an_object_that_no_cause_is_about_is_told_where_it_calls_itself_broken(tmp_path: Path) -> None:
    broken, well = tmp_path / "broken.yaml", tmp_path / "well.yaml"
    broken.write_text(APISERVICE % ("False", "ServiceNotFound"))
    well.write_text(APISERVICE % ("True", "Passed"))
    assert [d.state.name for d in read(broken).diagnoses] == ["stuck"]
    assert not read(well).diagnoses


def test_what_a_log_told_last_is_of_now_whenever_it_was_saved(tmp_path: Path) -> None:
    log = tmp_path / "kubelet.log"
    log.write_text(
        "Sep 06 20:35:22 lab-1 kubelet[7]: F0906 20:35:22.000000       7 server.go:269] inotify_init: too "
        "many open files\n"
    )
    last = read_paths((str(log),))[0].now
    assert (last.month, last.day, last.hour, last.minute) == (9, 6, 20, 35)
    rows = written(tmp_path, "one:1")
    assert read_paths((rows,))[0].now > last, "an age counts back from when it was saved"


KERNEL = "[Tue Nov 20 22:30:22 2018] nf_conntrack: table full, dropping packet\n"


@pytest.mark.parametrize(
    ("below", "moment"),
    [
        ("", datetime(2018, 11, 20, 22, 30, 22, tzinfo=UTC)),
        # A later kernel line about another subject shows that it is over, or long ago.
        ("[Tue Nov 27 22:30:27 2018] eth0: link up\n", datetime(2018, 11, 27, 22, 30, 27, tzinfo=UTC)),
    ],
)
def test_a_kernels_log_is_of_the_moment_of_its_last_line(
    tmp_path: Path, below: str, moment: datetime
) -> None:
    path = tmp_path / "dmesg.txt"
    path.write_text(KERNEL + below, encoding="utf-8")
    assert read_paths((str(path),))[0].now == moment
