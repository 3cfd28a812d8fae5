"""A scan at any width: no line is longer than the terminal, no name is cut, no text is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.render.together import merge
from unstuck.diagnosis.answer import Answer, Trouble
from unstuck.diagnosis.text import Text
from unstuck.facts.core import Ref
from unstuck.render.cells import count_cells
from unstuck.render.incident_names import format_age
from unstuck.render.page import Page
from unstuck.render.scan import OF_EACH, ROWS, Manner, Row, choose_fitting_rows, list_rows, scan
from unstuck.render.words import WORDS, Lang, in_lang

LANGS: tuple[Lang, ...] = ("en", "zh")
WIDTHS = (20, 60, 80, 100, 120, 160)
MANNERS = (Manner(), Manner(members=True), Manner(ids=True, opened="by-number"))
TROUBLES: tuple[Trouble, ...] = ("not-starting", "crashing", "not-going-away", "nodes", "other")
# 253 characters, the maximum of the API server.
LONG = "-".join(["a-name-that-somebody-made"] * 9)[:253]


def rows(report: Answer, lang: Lang, width: int) -> list[Row]:
    return list_rows(report, Page(lang, width, report.at))


def solid(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_longer_than_the_terminal_and_no_name_is_cut(
    width: int, lang: Lang, manner: Manner
) -> None:
    report = merge()
    shown = rows(report, lang, width)
    lines = scan(report, lang, width, False, manner).splitlines()
    for row in shown:
        (mine,) = [one for one in lines if one.startswith(f"{row.number:>3} ") and row.name in one]
        # A name longer than the terminal is copied from a separate line.
        assert count_cells(mine) <= width or mine.endswith(row.name)
    of_their_own = [one for one in lines if count_cells(one) > width]
    allowed = [r.name for r in shown] + [
        "unstuck why ",
        *(["Pod ", "Namespace ", ".example.com "] if manner.members else []),
    ]
    assert not [one for one in of_their_own if not any(name in one for name in allowed)]
    assert width < 80 or manner.opened == "by-name" or not of_their_own


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", [20, 60, 80, 99])
def test_in_two_lines_the_whole_sentence_stands(width: int, lang: Lang) -> None:
    report = merge()
    text = solid(scan(report, lang, width, False))
    for row in rows(report, lang, width):
        assert solid(row.why) in text and (not row.since or solid(row.since) in text)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", [100, 120, 160])
def test_in_two_columns_the_whole_sentence_stands(width: int, lang: Lang) -> None:
    report = merge()
    told = scan(report, lang, width, False)
    for row in rows(report, lang, width):
        assert all(word in told for word in row.why.split() if count_cells(word) < 20 and word.isascii())


@pytest.mark.parametrize("lang", LANGS)
def test_rows_are_numbered_as_the_incidents_and_sorted_by_what_does_not_go_on(lang: Lang) -> None:
    report = merge()
    shown = rows(report, lang, 80)
    assert (
        [r.number for r in shown]
        == list(range(1, len(shown) + 1))
        == [i.id for i in report.incidents[: len(shown)]]
    )
    order = list(dict.fromkeys(r.trouble for r in shown))
    lines = scan(report, lang, 80, False).splitlines()
    headings = [one.strip() for one in lines if one.strip() in {in_lang(WORDS[t], lang) for t in TROUBLES}]
    assert headings == [in_lang(WORDS[t], lang) for t in order]
    assert set(order) == {"not-starting", "crashing", "not-going-away"}


@pytest.mark.parametrize("lang", LANGS)
def test_the_head_counts_what_the_rows_show(lang: Lang) -> None:
    report = merge()
    shown = rows(report, lang, 160)
    head = scan(report, lang, 160, False).splitlines()[0]
    for sure in ("proven", "likely", "open"):
        assert f"{sum(r.sure == sure for r in shown)} {in_lang(WORDS[sure], lang)}" in head
    assert f"{len(shown)} incidents, " in head or f"{len(shown)} 起故障" in head


@pytest.mark.parametrize("lang", LANGS)
def test_the_ids_of_causes_are_shown_where_they_are_asked_for(lang: Lang) -> None:
    report = merge()
    plain, wide = (scan(report, lang, 160, False, Manner(ids=ids)) for ids in (False, True))
    for cause in {r.cause for r in rows(report, lang, 160) if r.cause}:
        assert cause in wide and cause not in plain


@pytest.mark.parametrize("width", WIDTHS)
def test_the_longest_name_is_whole(width: int) -> None:
    report = merge()
    (first, *others) = report.incidents
    pod = Ref("Pod", "shop", LONG)
    diagnoses = list(report.diagnoses)
    diagnoses[first.representative] = replace(diagnoses[first.representative], subject=pod)
    one = replace(report, diagnoses=tuple(diagnoses), incidents=(replace(first, members=(pod,)), *others))
    lines = scan(one, "en", width, False, Manner(opened="by-number")).splitlines()
    assert [row for row in lines if row.endswith(f"shop/pod/{LONG}")]


def test_however_many_there_are_of_one_sort_the_others_are_shown() -> None:
    (first, *_) = rows(merge(), "en", 80)
    many = [replace(first, number=n) for n in range(1, 101)]
    nodes = [replace(first, number=n, trouble="nodes") for n in range(101, 111)]
    shown = choose_fitting_rows([*many, *nodes])
    assert [r.number for r in shown] == [*range(1, ROWS + 1), *range(101, 101 + OF_EACH)]


def test_what_is_not_shown_is_counted() -> None:
    report = merge()
    copies = tuple(replace(report.incidents[0], id=n) for n in range(1, 101))
    many = replace(report, incidents=(*copies, *report.incidents[1:]))
    there, shown = rows(many, "en", 80), choose_fitting_rows(rows(many, "en", 80))
    text = scan(many, "en", 80, False, Manner(opened="by-number"))
    assert f"{len(there)} incidents" in text and f"… {len(there) - len(shown)} more: --members" in text
    assert len(shown) < len(there)
    assert "more:" not in scan(many, "en", 80, False, Manner(members=True))
    # For a saved scan there is no other way to see them.
    assert f"… {len(there) - len(shown)} more: -o json" in scan(many, "en", 80, False)


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [
        (9, "9s", "9 秒"),
        (119, "119s", "119 秒"),
        (720, "12m", "12 分钟"),
        (12000, "3h20m", "3 小时 20 分钟"),
        (500000, "5d", "5 天"),
    ],
)
def test_ages_are_written_as_kubectl_does(seconds: int, en: str, zh: str) -> None:
    at = merge().at
    since = at - timedelta(seconds=seconds)
    assert [format_age(since, Page(lang, 80, at)) for lang in LANGS] == [en, zh]
    assert format_age(None, Page("en", 80, at)) == ""


def test_what_no_rule_knows_is_quoted() -> None:
    from tests.render.support import POD, diagnose_flagged, make_snapshot, make_source
    from unstuck.diagnosis.answer import Stage
    from unstuck.facts.aspects.objects import Failure
    from unstuck.render.scan import summarise

    said = Failure(
        about=POD,
        src=make_source("api"),
        whole=False,
        operation="container-create",
        error="other",
        message="cannot load seccomp",
    )
    stage = Stage("containers-created", Text("create containers", "创建容器"), "not-done", evidence=(said,))
    first = replace(diagnose_flagged(make_snapshot(said)), stages=(stage,), undecided=())
    incident = replace(merge().incidents[0], cause="")
    assert (
        summarise(None, incident, first, Page("en", 80, merge().at))
        == "“cannot load seccomp”: no rule knows this"
    )


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "unnamed Pod (input.txt, lines 1-5)"), ("zh", "未写明名称的 Pod（input.txt 第 1-5 行）")],
)
def test_what_nothing_names_is_called_by_where_it_was_read(lang: Lang, words: str) -> None:
    report = merge()
    (first, *others) = report.incidents
    diagnoses = list(report.diagnoses)
    pod = Ref("Pod", block="input.txt:1-5")
    diagnoses[first.representative] = replace(diagnoses[first.representative], subject=pod)
    one = replace(report, diagnoses=tuple(diagnoses), incidents=(replace(first, members=(pod,)), *others))
    assert rows(one, lang, 100)[0].name == words
