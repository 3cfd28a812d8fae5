"""The benchmark of proposed commands counts correctly, shown with fake answers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from benchmarks.next_on_lab import (
    MOST,
    Document,
    Kept,
    Walk,
    format_figures,
    list_missed,
    strip_reading,
    walk,
)
from benchmarks.on_lab import draw_share
from scripts.accept.area import find_closing_lines

from benchmarks import next_on_lab
from unstuck.diagnosis.asking import describe, pipe
from unstuck.facts.core import Ref
from unstuck_lab.fault import list_faults
from unstuck_lab.matrix import FaultHold


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


def test_a_cause_that_names_another_object_leads_on_by_its_help() -> None:
    told = answer("c.d", then="")
    told["diagnoses"][0]["causes"][0]["help"] = [{"command": ["unstuck", "why", "pod/x"]}]
    found = walk("f", ("a.b",), ("c.d",), told, lambda _, __: answer("a.b"))
    assert (found.after, found.commands) == (1, ("unstuck why pod/x",))


def test_a_right_cause_of_the_description_needs_no_command() -> None:
    assert walk("f", ("a.b",), (), answer("a.b"), lambda _, __: None) == Walk("f", 0, 0, ())


def test_each_command_is_run_as_it_is_printed_until_it_decides() -> None:
    ran: list[tuple[str, list[str]]] = []
    answers = iter((answer(open_=("a.b", "c.d"), then="two"), answer("a.b")))

    def run(at: str, argv: list[str]) -> Document:
        ran.append((at, argv))
        return next(answers)

    found = walk("f", ("a.b",), (), answer(open_=("a.b", "c.d", "e.f"), then="one"), run)
    assert (found.after, found.idle, ran) == (2, 0, [("here", ["one"]), ("here", ["two"])])


def test_a_command_that_narrows_nothing_is_idle_and_four_are_the_most() -> None:
    found = walk("f", ("a.b",), (), answer(), lambda _, __: answer())
    assert (found.after, found.idle, len(found.commands)) == (None, MOST, MOST)


def test_another_cause_ends_it_as_wrong() -> None:
    assert walk("f", ("a.b",), (), answer(), lambda _, __: answer("c.d")).wrong


def test_what_follows_from_a_right_cause_is_true_and_decides_nothing() -> None:
    found = walk("f", ("a.b",), ("c.d",), answer("c.d", then="one"), lambda _, __: answer("a.b"))
    assert (found.after, found.wrong) == (1, False)
    assert walk("f", ("a.b",), ("c.d",), answer("c.d", then=""), lambda _, __: None) == Walk("f", None, 0, ())


DECIDED, LATE, NEVER = Walk("f", 1, 0, ("x",)), Walk("g", 2, 1, ("x", "y")), Walk("h", None, 0, ())


def test_idle_commands_count_twice() -> None:
    shown = "\n".join(format_figures([DECIDED, LATE, NEVER]))
    assert "mean over those decided: 2.00" in shown and "never: 1 (33%)" in shown
    assert find_closing_lines(shown).endswith("3 in all")


def test_each_fault_that_takes_more_than_one_command_has_a_row() -> None:
    rows = format_figures([DECIDED, LATE, NEVER])
    assert rows[:2] == ["g: after 2, 1 idle: x  →  y", "h: never, 0 idle: nothing was proposed"]
    assert not any(row.startswith("f:") for row in rows)


def test_what_is_wanted_is_said_where_it_is_not_met() -> None:
    assert list_missed([DECIDED]) == []
    assert list_missed([Walk("f", 4, 0, ("x",) * 4)]) == [
        "a mean of at most 1.3",
        "none after the third command: 1",
    ]
    assert list_missed([DECIDED, NEVER]) == ["never at most 3%"]
    assert list_missed([*[DECIDED] * 40, Walk("w", None, 0, (), wrong=True)]) == ["no other cause: w"]
    assert list_missed([]) == ["at least one fault"], "nothing looked at shows nothing"


def test_a_seed_draws_the_same_share_again() -> None:
    faults = list_faults()
    some = draw_share(faults, 7, 0.25)
    assert [f.name for f in some] == [f.name for f in draw_share(faults, 7, 0.25)]
    assert len(some) == round(len(faults) * 0.25) and [f for f in faults if f in some] == some
    assert [f.name for f in some] != [f.name for f in draw_share(faults, 8, 0.25)]
    assert draw_share(faults, 7, 1) == faults and len(draw_share(faults, 7, 0)) == 1


def test_a_run_that_was_ended_goes_on_behind_what_it_kept(tmp_path: Path) -> None:
    file = tmp_path / "build" / "walks.jsonl"
    Kept(file, "one").add(LATE)
    with file.open("a") as cut:
        cut.write('\n{"commit": "one", "walk": {"fau')
    Kept(file, "one").add(DECIDED)
    assert Kept(file, "one").read_walks() == {"g": LATE, "f": DECIDED}
    assert Kept(file, "two").read_walks() == {}, "another commit has no answers yet"


def test_the_faults_are_put_in_walked_healed_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a lab that is made up: one is told at once, one does not take hold, and what was walked is not
    walked again.
    """
    names = ["configmap-missing", "file-immutable"]
    healed: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(next_on_lab.Lab, "from_environment", lambda: None)
    monkeypatch.setattr(
        next_on_lab.matrix,
        "take_hold",
        lambda _lab, one, *_: FaultHold(
            "seen" if one.name == names[0] else None, datetime.now(UTC), -1e9, False
        ),
    )
    monkeypatch.setattr(
        next_on_lab.matrix, "heal_all", lambda _lab, faults, _say: healed.extend(f.name for f in faults)
    )
    monkeypatch.setattr(next_on_lab.OnLab, "begin", lambda self: answer(*self._fault.accepts[:1]))
    assert next_on_lab.main(names) == 1, "one did not take hold"
    assert sorted(healed) == names
    told = capsys.readouterr().out
    assert "did not take hold: file-immutable" in told and "decided after 0: 1 of 1 (100%)" in told
    healed.clear()
    assert next_on_lab.main(names[:1]) == 0 and healed == []
    assert "1 in all" in capsys.readouterr().out


def test_a_fault_that_is_not_there_is_refused() -> None:
    with pytest.raises(SystemExit):
        next_on_lab.main(["no-such-fault"])


def test_what_is_printed_is_kept_and_not_read_at_once() -> None:
    printed = pipe(describe(Ref("Pod", "shop", "web-0")), ["paste.txt"])
    assert (
        strip_reading([*printed.argv])[:2] == ["sh", "-c"]
        and "unstuck" not in strip_reading([*printed.argv])[2]
    )
