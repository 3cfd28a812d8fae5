"""Known troubles are left out, counted with their reason in every format, and the exit status follows from
the rest.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.closed import CLOSED
from tests.kube.small import Small, make_healthy_cluster, make_pod_with_map, small
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]
SOON = (datetime.now(UTC) + timedelta(days=20)).date()
WEB = (
    "known:\n- {cause: config.configmap-missing, object: pod/web-1, namespace: default, reason: OPS-12, "
    f"until: {SOON}}}\n"
)
BROKEN = [
    *make_healthy_cluster(),
    make_pod_with_map("web-1", "default"),
    make_pod_with_map("db-0", "default", "db-conf"),
]


def asked(path: Path, settings: str, *args: str) -> int:
    (path / "u.yaml").write_text(settings)
    with small(Small(BROKEN), path) as (_, kubeconfig):
        return run([*args, "--kubeconfig", str(kubeconfig), "--config", str(path / "u.yaml")], "unstuck")


def test_what_is_known_is_left_out_and_counted(tmp_path: Path, capsys: Err) -> None:
    assert asked(tmp_path, WEB, "scan", "-o", "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert list(CLOSED.iter_errors(document)) == []
    assert [d["subject"]["name"] for d in document["diagnoses"]] == ["db-0"] and len(
        document["incidents"]
    ) == 1
    (one,) = document["ignored"]
    assert (one["subject"]["name"], one["cause"], one["until"]) == (
        "web-1",
        "config.configmap-missing",
        str(SOON),
    )
    assert "OPS-12" in one["reason"]["en"]


@pytest.mark.parametrize("form", ["text", "json", "yaml", "markdown", "html", "junit", "github", "name"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_format_says_how_many_and_why(tmp_path: Path, capsys: Err, form: str, lang: str) -> None:
    asked(tmp_path, WEB, "scan", "-o", form, "--lang", lang)
    out, err = capsys.readouterr()
    assert "OPS-12" in (out + err if form == "name" else out).replace("OPS\\-12", "OPS-12")


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_where_only_what_is_known_is_wrong_nothing_is_called_fine(
    tmp_path: Path, capsys: Err, form: str
) -> None:
    both = WEB + WEB.removeprefix("known:\n").replace("web-1", "db-0")
    assert asked(tmp_path, both, "scan", "-o", form) == 0
    out = capsys.readouterr().out
    assert "Nothing else is wrong" in out and "nothing is stuck" not in out


def test_the_answer_about_one_object_says_that_it_is_known(tmp_path: Path, capsys: Err) -> None:
    assert asked(tmp_path, WEB, "why", "pod/web-1", "--no-node") == 0
    out = capsys.readouterr().out
    assert "Nothing else is wrong" in out and "OPS-12" in out and "--no-ignore" in out


def test_all_is_shown_where_that_is_wanted(tmp_path: Path, capsys: Err) -> None:
    assert asked(tmp_path, WEB, "scan", "--no-ignore", "-o", "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert "ignored" not in document and len(document["diagnoses"]) == 2


def test_a_namespace_may_be_left_out(tmp_path: Path, capsys: Err) -> None:
    assert asked(tmp_path, "leave-out: ['def*']\n", "scan", "-A", "-o", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["diagnoses"] == [] and {i["subject"]["name"] for i in document["ignored"]} == {
        "web-1",
        "db-0",
    }


def test_an_entry_that_matches_nothing_or_more_than_it_was_written_for_is_said(
    tmp_path: Path, capsys: Err
) -> None:
    asked(tmp_path, WEB.replace("web-1", "gone"), "scan")
    assert "u.yaml:2: config.configmap-missing of pod/gone matches nothing" in " ".join(
        capsys.readouterr().out.split()
    )
    asked(tmp_path, WEB.replace("pod/web-1", "'pod/*'"), "scan")
    assert "matches 2 objects, written for 1" in " ".join(capsys.readouterr().out.split())


def test_a_broken_file_is_said_with_its_line_and_the_answer_comes_without_it(
    tmp_path: Path, capsys: Err
) -> None:
    assert asked(tmp_path, WEB + "server: https://x\n", "scan", "-o", "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert len(document["diagnoses"]) == 2 and "u.yaml:3: no key 'server'" in document["left_out"][0]["en"]


def test_the_language_of_the_file_holds_where_none_was_asked_for(tmp_path: Path, capsys: Err) -> None:
    asked(tmp_path, "language: zh\n", "scan")
    assert "incidents" not in capsys.readouterr().out
    asked(tmp_path, "language: zh\n", "scan", "--lang", "en")
    assert "incident" in capsys.readouterr().out
