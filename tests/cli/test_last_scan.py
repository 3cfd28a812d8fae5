"""`unstuck why @3` opens the third of the last scan, as long as it is the same object in the same cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.kube.small import Small, make_healthy_cluster, make_namespace, make_pod_with_map, small
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]
PODS = ("web-1", "web-2", "web-3")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "unstuck" / "last-scan.json"


def cluster() -> Small:
    return Small(
        [
            *make_healthy_cluster(),
            make_namespace("kube-system"),
            *(make_pod_with_map(name, "default", f"conf-{name}") for name in PODS),
        ]
    )


@contextmanager
def scanned(tmp_path: Path, capsys: Err) -> Iterator[tuple[Small, str, list[str]]]:
    """Yield the cluster, its kubeconfig, and the names in the order of their numbers."""
    there = cluster()
    with small(there, tmp_path) as (_, kubeconfig):
        assert run(["scan", "--kubeconfig", str(kubeconfig)], "unstuck") == 1
        out = capsys.readouterr().out
        shown = [row.split()[2].rpartition("/")[2] for row in out.splitlines() if row[:3].strip().isdigit()]
        assert sorted(shown) == list(PODS) and "open one: unstuck why @3" in out
        yield there, str(kubeconfig), shown


def why(number: str, kubeconfig: str, *more: str) -> int:
    return run(["why", number, "--kubeconfig", kubeconfig, "--no-node", *more], "unstuck")


def change(state: Path, **fields: Any) -> None:
    state.write_text(json.dumps({**json.loads(state.read_text()), **fields}))


def test_each_number_opens_its_own(tmp_path: Path, capsys: Err, state: Path) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, shown):
        for n, name in enumerate(shown, 1):
            assert why(f"@{n}", kubeconfig) == 1
            assert f"default/{name} " in capsys.readouterr().out


def test_the_file_is_its_owners_alone_and_says_which_cluster_and_which_objects(
    tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (_, _, shown):
        assert (state.stat().st_mode & 0o777, state.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        document = json.loads(state.read_text())
        assert (document["context"], document["cluster"]) == ("live:here", "uid-namespace-kube-system")
        assert document["rows"] == [
            [n, "Pod", "default", name, f"uid-pod-{name}"] for n, name in enumerate(shown, 1)
        ]


@pytest.mark.parametrize("number", ["@4", "@99"])
def test_a_number_that_was_not_shown_is_refused(
    number: str, tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        assert why(number, kubeconfig) == 3
        assert "the last scan has 3 incidents" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["@0"], ["@"], ["@x"], ["@1", "@2"], ["pod/x", "@1"], ["@1x"]])
def test_what_is_no_number_is_refused_before_anything_is_asked(words: list[str], capsys: Err) -> None:
    assert run(["why", *words], "unstuck") == 3
    assert "not one number of the last scan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("age", "status"), [(timedelta(minutes=59), 1), (timedelta(minutes=61), 3), (-timedelta(hours=5), 3)]
)
def test_a_number_is_good_for_an_hour(
    age: timedelta, status: int, tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        change(state, at=(datetime.now(UTC) - age).isoformat())
        assert why("@1", kubeconfig) == status
        assert ("good for an hour" in capsys.readouterr().err) == (status == 3)


def test_another_context_is_said_and_refused(tmp_path: Path, capsys: Err, state: Path) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        change(state, context="live:prod")
        assert why("@1", kubeconfig) == 3
        said = capsys.readouterr().err
        assert "was of context prod, this is here" in said and "--context prod" in said
        assert why("@1", kubeconfig, "--lang", "zh") == 3
        assert "上次扫描的是上下文 prod" in capsys.readouterr().err


def test_another_cluster_behind_the_same_context_is_said_and_refused(
    tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        change(state, cluster="uid-of-another")
        assert why("@1", kubeconfig) == 3
        assert "another cluster" in capsys.readouterr().err


def test_another_object_of_the_same_name_is_said_and_refused(
    tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (there, kubeconfig, shown):
        for one in there.objects:
            if one["metadata"]["name"] == shown[1]:
                one["metadata"]["uid"] = "uid-made-anew"
        assert why("@2", kubeconfig) == 3
        assert f"@2 was Pod default/{shown[1]}, which is gone" in capsys.readouterr().err
        assert why("@1", kubeconfig) == 1


def test_options_that_choose_objects_do_not_go_with_a_number(
    tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        for more in (["-n", "other"], ["-A"], ["-l", "app=web"]):
            assert why("@1", kubeconfig, *more) == 3
            assert "@1 is one object" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b"\xff\xfe",
        b'{"format": "unstuck/last-scan/1"}',
        b"[" * 100_000,
        b'{"format": "unstuck/last-scan/2"}',
    ],
)
def test_a_broken_file_is_no_scan(content: bytes, tmp_path: Path, capsys: Err, state: Path) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        state.write_bytes(content)
        assert why("@1", kubeconfig) == 3
        assert "no scan is kept" in capsys.readouterr().err


def test_a_file_that_others_could_have_written_is_no_scan(tmp_path: Path, capsys: Err, state: Path) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        state.chmod(0o666)
        assert why("@1", kubeconfig) == 3
        moved = state.rename(tmp_path / "elsewhere.json")
        moved.chmod(0o600)
        state.symlink_to(moved)
        assert why("@1", kubeconfig) == 3
        state.unlink()
        os.mkfifo(state, 0o600)
        assert why("@1", kubeconfig) == 3
        assert capsys.readouterr().err.count("no scan is kept") == 3


def test_where_numbers_cannot_be_kept_none_is_offered_and_the_old_ones_are_gone(
    tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (_, kubeconfig, _):
        state.unlink()
        state.mkdir()
        assert run(["scan", "--kubeconfig", kubeconfig], "unstuck") == 1
        out = capsys.readouterr().out
        assert "why @" not in out and "unstuck why pod/web-1 -n default" in out


def test_a_scan_that_shows_no_numbers_leaves_those_that_were_shown(
    tmp_path: Path, capsys: Err, state: Path
) -> None:
    with scanned(tmp_path, capsys) as (there, kubeconfig, _):
        there.objects[:] = [*make_healthy_cluster(), make_namespace("kube-system")]
        before = state.read_bytes()
        assert run(["scan", "-o", "json", "--kubeconfig", kubeconfig], "unstuck") == 0
        assert state.read_bytes() == before


def test_without_the_right_to_read_the_cluster_s_uid_the_object_s_own_is_compared(
    tmp_path: Path, capsys: Err, state: Path
) -> None:
    there = Small([*make_healthy_cluster(), make_pod_with_map("web-1", "default")])
    with small(there, tmp_path) as (_, kubeconfig):
        assert run(["scan", "--kubeconfig", str(kubeconfig)], "unstuck") == 1
        assert json.loads(state.read_text())["cluster"] == ""
        assert why("@1", str(kubeconfig)) == 1
        there.objects[-1]["metadata"]["uid"] = "uid-made-anew"
        assert why("@1", str(kubeconfig)) == 3
        capsys.readouterr()
