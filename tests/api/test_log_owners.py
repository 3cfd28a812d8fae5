"""A log without an owner is attributed to the only failed container in the other texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from unstuck.api.reading import read, read_paths
from unstuck.api.report import Report
from unstuck.facts.aspects.pod import LastLines

CRASHED = """\
Name:             web-0
Namespace:        shop
Node:             node-a/10.0.0.7
Status:           Running
Containers:
{containers}
Conditions:
  Type              Status
  Ready             False
Events:             <none>
"""
FAILED = """\
  {name}:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       {reason}
      Exit Code:    1
    Ready:          False
    Restart Count:  3"""
RUNNING = """\
  {name}:
    State:          Running
    Ready:          True
    Restart Count:  0"""
PANIC = "starting up\npanic: open /etc/app/config.yaml: no such file or directory\n"


def given(folder: Path, *containers: str, log: str = PANIC) -> tuple[str, str]:
    (folder / "pod.txt").write_text(CRASHED.format(containers="\n".join(containers)))
    (folder / "out.txt").write_text(log)
    return str(folder / "pod.txt"), str(folder / "out.txt")


def failed(name: str, reason: str = "Error") -> str:
    return FAILED.format(name=name, reason=reason)


def logs(paths: tuple[str, str]) -> set[str]:
    return {f"{f.about.within}/{f.about.name}" for f in read_paths(paths)[0].every(LastLines)}


def causes(report: Report) -> list[str]:
    return [c.id for d in report.diagnoses for c in d.causes]


def test_it_explains_the_only_container_that_failed(tmp_path: Path) -> None:
    paths = given(tmp_path, failed("app"), RUNNING.format(name="sidecar"))
    assert logs(paths) == {"shop/web-0/app"}
    assert causes(read(*paths, subject="pod/web-0"))[0] == "program.file-missing"


def test_the_order_of_the_texts_means_nothing(tmp_path: Path) -> None:
    first, second = given(tmp_path, failed("app"))
    assert causes(read(first, second)) == causes(read(second, first))


@pytest.mark.parametrize(
    "containers",
    [
        pytest.param((failed("app"), failed("worker")), id="two failed"),
        pytest.param((RUNNING.format(name="app"),), id="none failed"),
        pytest.param((failed("app", "StartError"),), id="its program never began"),
    ],
)
def test_where_it_may_be_anybodys_it_is_nobodys(tmp_path: Path, containers: tuple[str, ...]) -> None:
    assert not logs(given(tmp_path, *containers))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("$ ./migrate.sh\n" + PANIC, id="somebody ran it"),
        pytest.param("Error: INSTALLATION FAILED: timed out waiting for the condition\n", id="Helm"),
        pytest.param(
            'Error from server (BadRequest): previous terminated container "app" in pod "web-0" not found\n',
            id="kubectl",
        ),
        pytest.param(
            "# Runbook\n\nIf the program cannot start, look at its configuration first and call us.\n",
            id="prose",
        ),
    ],
)
def test_what_no_container_prints_is_no_log(tmp_path: Path, text: str) -> None:
    assert not logs(given(tmp_path, failed("app"), log=text))


def test_of_two_nameless_logs_neither_is_told_of_it(tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("panic: assignment to entry in nil map\n")
    paths = (*given(tmp_path, failed("app")), str(tmp_path / "more.txt"))
    assert not read_paths(paths)[0].every(LastLines)


def test_what_was_brought_is_not_asked_for_again(tmp_path: Path) -> None:
    paths = given(tmp_path, failed("app"), log="it does not work out today\n")
    ran = [n.command.line for d in read(*paths, subject="pod/web-0").diagnoses for n in d.next]
    assert ran
    assert not [line for line in ran if line.startswith(("kubectl logs", "kubectl describe pod/web-0"))]
