"""The screen of a continuing scan, and the effect of keys."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.render.together import merge
from unstuck.diagnosis.answer import Answer
from unstuck.engine.incidents import rank
from unstuck.facts.core import Ref, Refused, Source
from unstuck.render.cells import Line, Span, count_cells
from unstuck.render.key_actions import act_on_key
from unstuck.render.watching import MARKED, View, fold, lay_out_frame, make_next_round, select_rows
from unstuck.render.words import Lang

LANGS: tuple[Lang, ...] = ("en", "zh")


def without(report: Answer, *numbers: int) -> Answer:
    left = [i for i in report.incidents if i.id not in numbers]
    return replace(report, incidents=rank(left, report.diagnoses), at=report.at + timedelta(seconds=10))


def view(*reports: Answer, lang: Lang = "en") -> View:
    last = None
    for one in reports:
        last = make_next_round(last, one, 2.0, lang)
    return View(lang, "live:lab", 10.0, round=last)


def drawn(of: View, width: int = 100, height: int = 400) -> list[str]:
    assert of.round is not None
    return ["".join(s.text for s in one) for one in lay_out_frame(of, of.round.report.at, width, height)]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("height", [2, 5, 24, 60])
@pytest.mark.parametrize("width", [20, 60, 80, 100, 160])
def test_no_screen_is_wider_or_higher_than_the_terminal(width: int, height: int, lang: Lang) -> None:
    for of in (view(merge(), lang=lang), view(merge(), without(merge(), 2, 3), lang=lang)):
        for one in (
            of,
            replace(of, members=True),
            replace(of, error="x" * 300),
            replace(of, input="/abc", filter="abc"),
            replace(of, top=9),
        ):
            lines = drawn(one, width, height)
            assert len(lines) <= height and all(count_cells(row) <= width for row in lines)


def test_nothing_is_new_in_the_first_round() -> None:
    assert not [row for row in drawn(view(merge())) if row.startswith("+")]


def test_what_came_and_what_went_is_marked_for_a_minute() -> None:
    less = without(merge(), 2, 3)
    more = replace(merge(), at=less.at + timedelta(seconds=10))
    came, went = view(less, more), view(merge(), less)
    assert [row[:3] for row in drawn(came) if row.startswith("+")] == ["+ 2", "+ 3"]
    assert "  +2" in drawn(came)[0]
    gone = [r.name for r in view(merge()).round.rows if r.number in (2, 3)]
    assert [row.split()[1] for row in drawn(went) if row.startswith("  - ")] == gone and "  -2" in drawn(
        went
    )[0]
    later = replace(less, at=less.at + MARKED + timedelta(seconds=1))
    assert not [row for row in drawn(view(merge(), less, later)) if row.startswith(("+", "  - "))]
    assert not [
        row for row in drawn(view(less, more, replace(more, at=more.at + MARKED))) if row.startswith("+")
    ]


def test_what_came_back_is_not_gone() -> None:
    back = replace(merge(), at=merge().at + timedelta(seconds=20))
    assert not [row for row in drawn(view(merge(), without(merge(), 2), back)) if row.startswith("  - ")]


def test_where_less_could_be_seen_nothing_is_called_gone() -> None:
    refused = Refused(
        about=Ref("PodList", "shop"), src=Source("x"), want="Names", why="timeout", detail="late"
    )
    less = replace(without(merge(), 2), not_seen=(refused,))
    text = "\n".join(drawn(view(merge(), less)))
    assert (
        " s ago" in text and "gone 0 s" not in text and "not seen any more" in text and "PodList shop" in text
    )


def press(of: View, *keys: str) -> View:
    for key in keys:
        of = act_on_key(of, key, 20).view
    return of


def test_a_filter_follows_what_is_typed_and_goes_with_escape() -> None:
    of = press(view(merge()), "/", *"LIVENESS")
    assert [r.name for r in select_rows(of)] == ["f-liveness/pod/restless"] and of.input == "/LIVENESS"
    assert press(of, "enter").input == "" and press(of, "enter").filter == "LIVENESS"
    assert press(of, "back").filter == "LIVENES"
    # The round was read before any key.
    assert press(of, "escape").filter == "" and len(select_rows(press(of, "escape"))) == len(of.round.rows)
    # Letters that are keys elsewhere are letters here.
    assert press(of, "q", "m").filter == "LIVENESSqm"
    assert press(view(merge()), "/", "x", "page-down", "y").filter == "x y"


def test_a_number_opens_its_incident_and_enter_alone_the_first() -> None:
    of = view(merge())
    done = act_on_key(press(of, "1", "2"), "enter", 20)
    assert (done.effect, done.number, done.view.input) == ("open", 12, "")
    assert act_on_key(of, "enter", 20).number == 1
    assert act_on_key(press(of, "9", "9"), "enter", 20).effect == ""
    assert act_on_key(press(of, "1", "2", "back"), "enter", 20).number == 1
    filtered = press(of, "/", *"liveness", "enter")
    assert act_on_key(filtered, "enter", 20).number == select_rows(filtered)[0].number


def test_q_leaves_and_from_an_answer_goes_back() -> None:
    of = view(merge())
    assert act_on_key(of, "q", 20).effect == "quit"
    over = replace(of, overlay=((Span("an answer"),),))
    assert drawn(over)[1:] == ["an answer"] and "q back" in drawn(over)[0]
    assert act_on_key(over, "q", 20) == act_on_key(over, "escape", 20)
    assert act_on_key(over, "q", 20).view.overlay is None


@pytest.mark.parametrize("text", ["", "abc", "x" * 100, "故障" * 40, "a故" * 30])
@pytest.mark.parametrize("width", [2, 3, 7, 20])
def test_what_is_folded_is_whole(text: str, width: int) -> None:
    one: Line = (Span(text[:5], "bold"), Span(text[5:]))
    pieces = fold(one, width)
    assert "".join(s.text for piece in pieces for s in piece) == text
    assert all(sum(count_cells(s.text) for s in piece) <= width for piece in pieces)
