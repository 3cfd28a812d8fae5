"""No step proposes to ask again what was asked."""

from __future__ import annotations

from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.engine.own_question import ask_otherwise
from unstuck.facts.core import Ref

HALL, WING = Ref("Hall.acme.example", "shop", "north"), Ref("Hall.acme.example", "shop", "south")


def list_commands(asked: Ref) -> list[str]:
    steps = tuple(Step(Text("see", "see"), command=ask_why(ref)) for ref in (HALL, WING))
    return [s.command.line for s in ask_otherwise(Finding(Text("x", "x"), HALL, (), help=steps), asked).help]


def test_the_object_that_was_asked_about_is_described() -> None:
    first, second = list_commands(HALL)
    assert first.startswith("kubectl describe hall.acme.example/north") and second == ask_why(WING).line


def test_another_is_asked_about() -> None:
    assert list_commands(Ref("Pod", "shop", "p")) == [ask_why(HALL).line, ask_why(WING).line]
