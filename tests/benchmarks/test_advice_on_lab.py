"""The benchmark of advice counts correctly, shown with a fake lab and fake answers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any, cast

import pytest
from benchmarks.advice_on_lab import (
    USUAL,
    Advice,
    Tried,
    find_obstacle,
    format_figures,
    list_acts,
    run,
    time_promised,
    try_advice,
)

from benchmarks import on_lab
from unstuck_lab import asking
from unstuck_lab.asking import CommandReply
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import TimedOutError
from unstuck_lab.fault import Fault


def step(
    *command: str, risk: str = "reversible", where: str = "cluster", then: str = "it is gone within 10 s"
) -> dict[str, Any]:
    return {"command": [*command], "risk": risk, "where": where, "verify": {"en": then, "zh": ""}}


class LabOfNothing:
    """A lab with a fault that ends after a command, if at all. becomes_ready: whether its Pod becomes ready,
    though the fault's event stays.
    """

    def __init__(self, over: bool, becomes_ready: bool = False) -> None:
        self.over, self.held, self.becomes_ready, self.ready = over, True, becomes_ready, False

    def get_pod(self, *_: str) -> dict[str, Any]:
        return {"status": {"conditions": [{"type": "Ready", "status": str(self.ready)}]}}

    def wait(self, predicate: Callable[[], object], timeout: float, what: str) -> object:
        if found := predicate():
            return found
        raise TimedOutError(f"not within {timeout}", what)


def tried(
    monkeypatch: pytest.MonkeyPatch,
    *steps: dict[str, Any],
    over: bool = True,
    status: int = 0,
    becomes_ready: bool = False,
) -> Tried:
    lab = LabOfNothing(over, becomes_ready)

    def run(_: Lab, __: str, argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        lab.held, lab.ready = not lab.over, lab.becomes_ready
        return subprocess.CompletedProcess(argv, status, "", "no")

    causes = [{"id": "a.b", "help": [*steps]}] if steps else []
    monkeypatch.setattr(on_lab, "run", run)
    monkeypatch.setattr(
        asking, "ask", lambda *_: CommandReply(1, {"diagnoses": [{"causes": causes}]}, "", 0.0)
    )

    def held(_: Lab) -> str | None:
        return "held" if lab.held else None

    def nothing(_: Lab) -> None:
        pass

    fault = Fault(
        "f", "", "pod", "pod/x", "shop", ("a.b",), "proven", "proven", False, nothing, held, nothing
    )
    return try_advice(cast("Lab", lab), fault)


def test_a_promise_that_comes_true_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tried(monkeypatch, step("true"))
    assert (found.outcome, found.cause) == ("kept", "a.b") and found.after is not None


def test_a_fault_that_is_still_there_breaks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(monkeypatch, step("true"), over=False).outcome == "broken"


def test_a_fault_whose_event_stays_is_over_once_its_pod_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(monkeypatch, step("true"), over=False).outcome == "broken"
    assert tried(monkeypatch, step("true"), over=False, becomes_ready=True).outcome == "kept"


def test_a_command_that_ends_badly_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tried(monkeypatch, step("kubectl", "x"), status=1)
    assert (found.outcome, found.why) == ("refused", "kubectl x: no")


def test_a_command_that_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(_: Lab, __: str, argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(argv, 90)

    monkeypatch.setattr(on_lab, "run", hang)
    assert "timed out after 90 seconds" in run(
        cast("Lab", None), Advice("cluster", ("kubectl", "x"), "reversible", "")
    )


def test_what_the_lab_has_no_program_for_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(monkeypatch, step("kubeadm", "x"), status=127).outcome == "not run"


def test_a_look_is_no_act_and_a_value_of_the_readers_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(monkeypatch, step("kubectl", "get", "x", risk="none")).outcome == "no act"
    assert tried(monkeypatch, step("kubectl", "scale", "NAME")).outcome == "not run"
    assert tried(monkeypatch).why == "no cause is told"
    assert find_obstacle(Advice("source", ("x",), "reversible", "")) == "is for source"
    assert (
        find_obstacle(Advice("cluster", ("kubectl", "edit", "pv/x"), "reversible", ""))
        == "waits for an editor"
    )


@pytest.mark.parametrize(
    ("then", "seconds"),
    [
        ("the kubelet retries within about 2 min", 120),
        ("the node becomes Ready within a minute", 60),
        ("gone within 30 s", 30),
        ("it goes", USUAL),
    ],
)
def test_the_time_is_the_one_that_is_promised(then: str, seconds: float) -> None:
    assert time_promised(then) == seconds


def test_every_outcome_is_counted() -> None:
    lines = format_figures(
        [Tried("g", "a.b", "kept", after=3.0), Tried("f", "", "no act", "no cause is told")]
    )
    assert lines == [
        "g: kept, a.b, after 3 s",
        "f: no act, no cause: no cause is told",
        "1 kept, 1 no act; 2 faults in all",
    ]
    assert list_acts({"help": [step("x"), step("y", risk="none"), {"risk": "disrupts"}]}) == [
        Advice("cluster", ("x",), "reversible", "it is gone within 10 s")
    ]
