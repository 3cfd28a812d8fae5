"""Pods that wait for each other's Services: a real circle is reported with its members."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import SPACE, ask, crashing, service
from tests.kube.small import LONG_AGO, make_pod

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]


def waiting(name: str, app: str) -> Doc:
    """Return a Pod with a running init container."""
    one = make_pod(name, SPACE, "Init:0/1", {"reason": "PodInitializing"}, labels={"app": app})
    one["spec"]["initContainers"] = [{"name": "wait", "image": "registry.example.com/app:1"}]
    running = {"name": "wait", "ready": False, "started": True, "restartCount": 0}
    one["status"]["initContainerStatuses"] = [{**running, "state": {"running": {"startedAt": LONG_AGO}}}]
    for condition in one["status"]["conditions"]:
        condition["status"] = "True" if condition["type"] == "PodScheduled" else "False"
    return one


def told(answer: Doc) -> list[str]:
    return [
        c["says"]["en"]
        for c in answer["causes"]
        if "circle" in c["says"]["en"] or "itself:" in c["says"]["en"]
    ]


def test_two_that_wait_for_each_other(tmp_path: Path, capsys: Err) -> None:
    objects = [
        service("tax", app="tax"),
        service("mail", app="mail"),
        waiting("tax-1", "tax"),
        waiting("mail-1", "mail"),
    ]
    lines = {"tax-1": "waiting for mail:6379", "mail-1": "waiting for tax:6379"}
    status, answer, _ = ask(objects, tmp_path, capsys, "pod/tax-1", lines=lines)
    (says,) = told(answer)
    assert status == 1 and all(
        w in says for w in ("Service default/tax", "Service default/mail", "mail-1", "tax-1")
    )
    helped = next(c for c in answer["causes"] if c["says"]["en"] == says)
    assert "break the circle" in helped["help"][0]["says"]["en"]
    assert not any("remove the init container" in d["says"]["en"] for d in helped["do_not"])


def test_one_that_waits_for_itself(tmp_path: Path, capsys: Err) -> None:
    objects = [service("tax", app="tax"), waiting("tax-1", "tax")]
    _, answer, _ = ask(objects, tmp_path, capsys, "pod/tax-1", lines={"tax-1": "waiting for tax:6379"})
    assert len(told(answer)) == 1


@pytest.mark.parametrize("behind", ["mail", "tax"])
def test_who_is_down_for_a_reason_of_its_own_is_the_root(behind: str, tmp_path: Path, capsys: Err) -> None:
    objects = [service("tax", app="tax"), service("mail", app="mail"), waiting("tax-1", "tax")]
    objects.append(crashing("mail-1", labels={"app": behind}))
    _, answer, _ = ask(
        objects, tmp_path, capsys, "pod/tax-1", lines={"tax-1": f"waiting for {behind}:6379", "mail-1": "x"}
    )
    assert not told(answer)
