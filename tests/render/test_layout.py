"""The layout of an answer's parts: related parts stay together, and copyable parts are never cut."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.support import NOW, make_deleted_pod, make_node_facts, make_snapshot, report
from tests.render.together import merge
from unstuck.api.reading import read
from unstuck.render.cells import Line, Span, count_cells, cut_middle, join_parts, paint
from unstuck.render.evidence import EvidenceRow, lay_out_evidence
from unstuck.render.markdown import write_markdown
from unstuck.render.page import HANGING, lay_out
from unstuck.render.scan import scan
from unstuck.render.text import write_text
from unstuck.render.words import WORDS, Lang, in_lang

WIDTHS = (60, 80, 160)
CLAIM = "PersistentVolumeClaim shop-in-a-long-namespace/data-of-a-database-with-a-name-0"
MOUNT = 'FailedMount ×8: MountVolume.SetUp failed for volume "conf" : configmap "app-conf" not found'


def rows(lines: list[Line]) -> list[str]:
    return paint(lines, colour=False).splitlines()


@pytest.mark.parametrize("width", WIDTHS)
def test_words_of_the_api_begin_beside_their_source(width: int) -> None:
    row = EvidenceRow("api", "", MOUNT, 8, NOW - timedelta(seconds=15))
    first, *rest = rows(lay_out_evidence([row], lay_out("en", width, NOW), Span("PROOF")))
    assert first.split()[:2] == ["PROOF", "api"] and "FailedMount" in first
    assert (rest or [first])[-1].endswith("last 15 s ago")
    assert " ".join(" ".join([first, *rest]).split()) == f"PROOF api {MOUNT} last 15 s ago"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_name_of_an_object_is_not_cut(width: int) -> None:
    row = EvidenceRow("api", CLAIM[: width - 20], "storageClassName fast, volumeName none", 1, None)
    assert CLAIM[: width - 20] in "\n".join(
        rows(lay_out_evidence([row], lay_out("en", width, NOW), Span("PROOF")))
    )


def test_a_file_stands_once_before_its_line() -> None:
    (one,) = rows(
        lay_out_evidence(
            [EvidenceRow("row.txt", "row.txt:2", "web-0   0/1", 1, None)],
            lay_out("en", 80, NOW),
            Span("PROOF"),
        )
    )
    assert one.split() == ["PROOF", "row.txt:2", "web-0", "0/1"]


@given(st.text(alphabet="ab c/", min_size=80, max_size=200), st.integers(20, 60))
def test_what_was_cut_in_a_word_does_not_look_whole(said: str, width: int) -> None:
    head, _, tail = cut_middle(said, width).partition("…")
    assert count_cells(head) + 1 + count_cells(tail) <= width + 1
    assert said.startswith(head.rstrip()) and said.endswith(tail.lstrip())
    if head and not head.endswith(" "):
        assert said[: len(head)] == head


@given(
    st.lists(st.text(alphabet="ab 卷✓", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=9),
    st.integers(30, 60),
)
def test_lines_break_between_parts(parts: list[str], width: int) -> None:
    lines = join_parts(parts, " · ", width)
    assert all(count_cells(one) <= width for one in lines)
    assert " · ".join(lines).split() == " · ".join(parts).split()
    assert all(part.strip() in "\n".join(lines) for part in parts)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", range(40, 161, 8))
def test_a_steps_mark_stands_behind_its_name(lang: Lang, width: int) -> None:
    shown = write_text(
        report(make_snapshot(*make_deleted_pod(), *make_node_facts())), lang, width, colour=False
    )
    assert ("unmount volumes ✗" if lang == "en" else "卸载卷 ✗") in shown
    assert not [one for one in shown.splitlines() if one.strip()[:1] in ("✓", "?")]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_id_of_what_follows_lies_deeper_than_what_is_told(width: int) -> None:
    shown = write_text(
        report(make_snapshot(*make_deleted_pod(), *make_node_facts())), "en", width, colour=False
    ).splitlines()
    page = lay_out("en", width, NOW)
    begins = [len(one) - len(one.lstrip()) for one in shown if one.strip().startswith("proven test.silent")]
    assert all(at == page.column + HANGING for at in begins)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_fine_and_has_a_cause_is_not_headed_as_fine(lang: Lang) -> None:
    (fine,) = [d for d in merge().diagnoses if d.state.name == "fine"]
    assert fine.causes
    shown = write_text(replace(merge(), diagnoses=(fine,)), lang, 80, colour=False)
    assert shown.startswith("!") and in_lang(WORDS["but"], lang) in shown


@pytest.mark.parametrize("width", WIDTHS)
def test_a_scan_tells_a_long_path_by_its_end(width: int) -> None:
    shown = scan(merge(), "en", width, colour=False)
    assert "…/kubernetes.io~empty-dir/d" in shown and "/var/lib/kubelet/pods/" not in shown


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_messages_of_one_text_that_show_the_same_are_one_block(lang: Lang, tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    first = 'Warning  Failed     4m11s (x6 over 4m53s)  kubelet, <name>  Error: secrets "db" not found\n'
    second = (
        "Warning  FailedMount  2m57s (x8 over 4m1s)  kubelet, <name>  MountVolume.SetUp failed for volume "
        '"v" : secrets "db" not found\n'
    )
    paste.write_text(first + second)
    shown = read(paste).to_text(lang, 80)
    assert shown.count("config.secret-missing") == 1
    assert (
        "2 unnamed Pods (paste.txt, lines 1, 2)"
        if lang == "en"
        else "2 个未写明名称的 Pod（paste.txt 第 1、2 行）"
    ) in shown


def test_a_stage_of_which_nothing_is_known_is_no_place_to_wait_at(tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    paste.write_text("NAME    READY   STATUS    RESTARTS   AGE\nweb-0   0/1     Running   0          74m\n")
    (d,) = read(paste).diagnoses
    assert d.state.headline.en.endswith("Running, but not ready")


def test_beside_a_likely_cause_the_next_command_is_there_to_be_sure() -> None:
    shown = write_text(
        replace(merge(), diagnoses=tuple(d for d in merge().diagnoses if d.subject.name == "hungry")),
        "en",
        80,
        colour=False,
    )
    assert "to be sure: looks at lab-2, read-only:" in shown


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_done_in_the_manifest_is_said_once_for_steps_in_a_row(lang: Lang) -> None:
    missing = tuple(d for d in merge().diagnoses if d.subject.name == "wants-data")
    steps = missing[0].causes[0].finding.help
    assert [s.where for s in steps] == ["source", "source"]
    for shown in (
        write_text(replace(merge(), diagnoses=missing), lang, 80, colour=False),
        write_markdown(replace(merge(), diagnoses=missing), lang, survey=False),
    ):
        assert shown.count(in_lang(WORDS["source"], lang).strip()) == 1


def test_words_that_stand_among_the_evidence_are_no_note_beside_it(tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    words = "container has runAsNonRoot and image has non-numeric user"
    paste.write_text(
        f"19m   Warning   Failed   pod/web-0   Error: {words} (node), cannot verify user is non-root\n"
    )
    assert read(paste).to_text("en", 160).count(words) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
@given(
    indent=st.integers(0, 6),
    words=st.lists(st.text("abc→文", min_size=1, max_size=12), min_size=1, max_size=40),
    width=st.integers(60, 160),
)
def test_a_wrapped_text_holds_each_character_once_and_keeps_its_indentation(
    lang: Lang, indent: int, words: list[str], width: int
) -> None:
    page = lay_out(lang, width, NOW)
    text = " " * indent + " ".join(words)
    first, *rest = page.flow(text, page.column)
    assert "".join((first + "".join(rest)).split()) == "".join(words)
    assert len(first) - len(first.lstrip(" ")) == indent
