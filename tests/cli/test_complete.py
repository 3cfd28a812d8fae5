"""Shell completion after `unstuck` and `kubectl unstuck`: quick, and silent on errors."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from tests.kube.server import Handler, serving
from tests.kube.small import Small, make_healthy_cluster, make_namespace, make_pod, small
from unstuck.api import completing
from unstuck.cli import complete
from unstuck.cli.app import app

OBJECTS = [
    *make_healthy_cluster(),
    make_namespace("shop"),
    make_pod("web-0", "default"),
    make_pod("web-1", "default"),
    make_pod("db-0", "shop"),
]


def offered(*words: str) -> list[str]:
    found = ShellComplete(app, {}, "unstuck", "").get_completions(list(words[:-1]), words[-1])
    return [item.value for item in found if item.type == "plain"]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with small(Small(OBJECTS), tmp_path) as (_, kubeconfig):
        monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
        yield kubeconfig


def test_kinds_then_names(cluster: Path) -> None:
    assert {"pod", "persistentvolumeclaim", "persistentvolume"} <= set(offered("why", "p"))
    assert offered("why", "pod", "web") == ["web-0", "web-1"]
    assert offered("why", "pod", "web-0", "web") == ["web-1"]
    assert offered("why", "po/w") == ["po/web-0", "po/web-1"]
    assert offered("why", "-n", "shop", "pod", "") == ["db-0"]
    assert offered("collect", "pod/d") == []


def test_namespaces_and_what_the_kubeconfig_has(cluster: Path) -> None:
    assert offered("scan", "-n", "s") == ["shop"]
    (context,) = offered("why", "--context", "")
    assert context and offered("why", "--cluster", "") and offered("scan", "--context", "no-such") == []


def test_causes_and_records() -> None:
    assert "file.immutable" in offered("explain", "file.")
    assert "configmap-missing" in offered("demo", "config")


def test_without_a_cluster_there_is_nothing_and_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "gone"))
    assert offered("why", "pod", "") == [] and offered("why", "--context", "") == []
    (tmp_path / "gone").write_text("contexts: [")
    assert offered("why", "pod", "") == [] and offered("why", "--context", "") == []
    assert capfd.readouterr() == ("", "")


def test_a_server_that_hangs_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.e2e.command import write_kubeconfig

    def hang(handler: Handler) -> None:
        handler.server.hold.wait(30)

    with serving(hang) as server:
        monkeypatch.setenv("KUBECONFIG", str(write_kubeconfig(tmp_path / "kubeconfig", server.url)))
        began = time.monotonic()
        assert offered("why", "pod", "") == []
        assert time.monotonic() - began < 10 * completing.SECONDS


def test_a_name_that_would_act_on_the_shell_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        completing, "list_object_names", lambda *_, **__: ("ok", "a$(id)", "b;c", "d e", "f\x1b[2J")
    )
    assert offered("why", "pod", "") == ["ok"]


def test_kubectl_gets_one_a_line_and_a_directive(
    cluster: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    left: list[int] = []
    monkeypatch.setattr(complete.os, "_exit", left.append)
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-unstuck", "why", "pod", "web"])
    complete.main()
    assert capsys.readouterr().out == "web-0\nweb-1\n:4\n" and left == [0]
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-unstuck", "no-such-command", ""])
    complete.main()
    assert capsys.readouterr().out == ":4\n"
