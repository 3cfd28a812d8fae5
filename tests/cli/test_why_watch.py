"""`why -w` asks until all is fine, and prints the changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kube.small import Small, make_healthy_cluster, make_object, make_pod, make_pod_with_map, small
from unstuck.api import following
from unstuck.cli import terminal
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]


def watched(path: Path, cluster: Small, rounds: list[list[object]], monkeypatch: pytest.MonkeyPatch) -> int:
    """Watch a cluster that has the next objects after each pause."""
    todo = iter(rounds)

    def pause(_seconds: float) -> None:
        cluster.objects = next(todo)

    monkeypatch.setattr(following.follow, "__defaults__", (pause,))
    with small(cluster, path) as (_, kubeconfig):
        return run(["why", "pod/web-0", "-w", "--no-node", "--kubeconfig", str(kubeconfig)], "unstuck")


def test_until_it_is_fine(tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, fixed = (
        [*make_healthy_cluster(), make_pod_with_map("web-0", "default")],
        [*make_healthy_cluster(), make_pod("web-0", "default")],
    )
    assert watched(tmp_path, Small(broken), [broken, fixed], monkeypatch) == 0
    out = capsys.readouterr().out
    assert out.count("app-conf") >= 1 and "config.configmap-missing is no longer the cause" in out


def test_until_it_is_gone(tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [*make_healthy_cluster(), make_pod_with_map("web-0", "default")]
    assert watched(tmp_path, Small(broken), [make_healthy_cluster()], monkeypatch) == 0
    assert capsys.readouterr().out.endswith("gone\n")


def test_a_new_cause_comes_with_what_to_do(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [
        *make_healthy_cluster(),
        make_pod_with_map("web-0", "default"),
        make_object("ConfigMap", "app-conf", "default", data={}),
    ]
    then = [*make_healthy_cluster(), make_pod_with_map("web-0", "default")]
    watched(
        tmp_path, Small(first), [then, [*make_healthy_cluster(), make_pod("web-0", "default")]], monkeypatch
    )
    out = capsys.readouterr().out
    assert "proven: " in out or "likely: " in out


def test_until_nobody_reads_it(tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [*make_healthy_cluster(), make_pod_with_map("web-0", "default")]
    left = iter([True, True, False])
    monkeypatch.setattr(terminal, "reader_check", lambda: lambda: next(left))
    assert watched(tmp_path, Small(broken), [broken, broken], monkeypatch) == 1
    assert "app-conf" in capsys.readouterr().out


@pytest.mark.parametrize("more", [("-o", "json"), ("--wait",)])
def test_what_it_does_not_go_with(more: tuple[str, ...], capsys: Err) -> None:
    assert run(["why", "pod/x", "-w", *more], "unstuck") == 3
    assert len(capsys.readouterr().err.splitlines()) == 1
