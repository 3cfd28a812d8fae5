"""The benchmark of what is proposed counts what it says, shown on answers that are made up."""

from __future__ import annotations

from typing import Any

from benchmarks.next_on_lab import MOST, Document, Walk, figures, walk, without_reading

from unstuck.diagnosis.asking import described, piped
from unstuck.facts.core import Ref


def answer(*causes: str, open_: tuple[str, ...] = ("a.b",), then: str = "kubectl get x") -> Document:
    proposed: list[dict[str, Any]] = [{"from": "here", "command": then.split()}] if then else []
    return {
        "diagnoses": [
            {
                "causes": [{"id": c, "consequence_of": None} for c in causes],
                "undecided": [{"id": o, "possible": False} for o in open_],
                "next": proposed,
            }
        ]
    }


def test_a_right_cause_of_the_description_needs_no_command() -> None:
    assert walk("f", ("a.b",), answer("a.b"), lambda _, __: None) == Walk("f", 0, 0, ())


def test_each_command_is_run_as_it_is_printed_until_it_decides() -> None:
    ran: list[tuple[str, list[str]]] = []
    answers = iter((answer(open_=("a.b", "c.d"), then="two"), answer("a.b")))

    def run(at: str, argv: list[str]) -> Document:
        ran.append((at, argv))
        return next(answers)

    found = walk("f", ("a.b",), answer(open_=("a.b", "c.d", "e.f"), then="one"), run)
    assert (found.after, found.idle, ran) == (2, 0, [("here", ["one"]), ("here", ["two"])])


def test_a_command_that_narrows_nothing_is_idle_and_four_are_the_most() -> None:
    found = walk("f", ("a.b",), answer(), lambda _, __: answer())
    assert (found.after, found.idle, len(found.commands)) == (None, MOST, MOST)


def test_another_cause_ends_it_as_wrong() -> None:
    assert walk("f", ("a.b",), answer(), lambda _, __: answer("c.d")).wrong


def test_idle_commands_count_twice() -> None:
    shown = "\n".join(figures([Walk("f", 1, 0, ("x",)), Walk("g", 2, 1, ("x", "y")), Walk("h", None, 0, ())]))
    assert "mean over those decided: 2.00" in shown and "never: 1 (33%): h" in shown


def test_what_is_printed_is_kept_and_not_read_at_once() -> None:
    printed = piped(described(Ref("Pod", "shop", "web-0")), ["paste.txt"])
    assert without_reading([*printed.argv])[:2] == ["sh", "-c"] and "unstuck" not in without_reading([*printed.argv])[2]
