"""No string from outside reaches a terminal, a JSON reader or a YAML reader as anything but visible
characters.
"""

from __future__ import annotations

import json
import unicodedata
from datetime import timedelta

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from tests.render.support import (
    NODE,
    NOW,
    POD,
    make_deleted_pod,
    make_denied,
    make_node_facts,
    make_snapshot,
    report,
)
from unstuck.diagnosis.answer import (
    Answer,
    CauseMatch,
    Diagnosis,
    Evaluation,
    Incident,
    OpenCause,
    Stage,
    State,
)
from unstuck.diagnosis.command import Words, command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Evidence, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.render.cells import count_cells, cut, cut_front, line, paint, wrap
from unstuck.render.explain import explain, lay_out_by_family, lay_out_page
from unstuck.render.facts import write_facts
from unstuck.render.json import make_document, write_json
from unstuck.render.scan import scan
from unstuck.render.text import write_text
from unstuck.render.visible import visible
from unstuck.render.yaml import write_yaml

NASTY = st.one_of(
    st.text(min_size=1, max_size=30),
    st.sampled_from(
        [
            "\x1b[2J",
            "\x1b]0;t\x07",
            "a\nb",
            "\r",
            "\x9b31m",
            "\u202eevil",
            "\u2066x\u2069",
            "\ud800",
            "\U000e0041",
            "\x00",
            "\u200b",
            "-\u2028",
        ]
    ),
)


def harmful(out: str) -> set[str]:
    """Return characters other than line ends that are invisible or have an effect."""
    return {
        c
        for c in set(out)
        if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    }


def hostile(s: str) -> Answer:
    """Return a report with this string in every foreign field."""
    said = Text(f"a {s} b", f"甲{s}乙")
    who = Ref("Pod", s, s, s)
    failure = Failure(
        about=who,
        src=Source(f"lab {s}", s, NOW - timedelta(seconds=9)),
        whole=False,
        operation=s,
        error=s,
        message=s,
        count=3,
    )
    evidence = (Evidence("decisive", failure), Evidence("supporting", failure))
    step = Step(
        said,
        f"node:{s}",
        command("rm {file}", file=Words((s,))),
        "loses-data",
        command("undo {what}", what=Words((s,))),
        said,
    )
    finding = Finding(
        said, Ref("File", s, s), (who,), notes=(said,), help=(step,), do_not=(DoNot(said, said),)
    )
    causes = (
        CauseMatch("a.b", said, "proven", finding, evidence, reach=(("Pod", 2),), via=who),
        CauseMatch("a.c", said, "likely", finding, evidence, consequence_of=0),
    )
    stage = Stage("ready", said, "not-done", NOW, (failure,), note=said)
    open_ = report(make_snapshot(*make_deleted_pod()[:2])).diagnoses[0].undecided
    more = tuple(OpenCause(o.id, said, True, evidence, o.questions) for o in open_)
    refused = (make_denied(Ref("Pod", s, s)),)
    out = Evaluation("x.y", who, Sign(False, seen=(failure,)), lambda: Signs(lambda: finding, {}))
    d = Diagnosis(who, State("stuck", said, NOW, (failure,)), (stage,), causes, more, (out,), (out,), refused)
    return Answer(NOW, (s,), (d,), (Incident(1, "a.b", said, who, 0, (who,), ((s or "Pod", 2),), NOW),), s)


@settings(max_examples=scale_examples(150), deadline=None)
@given(NASTY, st.sampled_from(["en", "zh"]), st.integers(20, 200))
def test_text_shows_only_visible_characters(s: str, lang: str, width: int) -> None:
    for render in (write_text, scan, explain):
        assert not harmful(render(hostile(s), lang, width, False))


@settings(max_examples=scale_examples(60), deadline=None)
@given(NASTY)
def test_colour_adds_only_its_own_escapes(s: str) -> None:
    out = write_text(hostile(s), "en", 100, True)
    for sequence in ("0", "1", "2", "31", "32", "33", "36"):
        out = out.replace(f"\x1b[{sequence}m", "")
    assert not harmful(out)


@settings(max_examples=scale_examples(100), deadline=None)
@given(NASTY)
def test_json_and_yaml_say_exactly_what_was_seen_in_visible_characters(s: str) -> None:
    said = write_json(hostile(s))
    assert not harmful(said)
    assert json.loads(said) == make_document(hostile(s))
    if not any(unicodedata.category(c) == "Cs" for c in s):
        written = write_yaml(hostile(s))
        assert not harmful(written)
        assert yaml.safe_load(written) == make_document(hostile(s))


@settings(deadline=None)
@given(NASTY)
def test_lists_and_pages_too(s: str) -> None:
    facts = [Failure(about=Ref("Pod", s, s), src=Source(s, s), whole=False, operation=s, error=s)]
    for out in (
        lay_out_by_family([(s, s)], False),
        lay_out_page(s, s, False),
        write_facts(facts, "en", False, [s]),
    ):
        assert not harmful(out)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_visible_text_stays_as_it_is_and_visible_is_idempotent(s: str) -> None:
    once = visible(s)
    assert visible(once) == once
    if not harmful(s) and "\n" not in s:
        assert once == s


@pytest.mark.parametrize("s", ["普通中文，标点。", "naïve café", "✗ ✓ · …", "tab-free ascii"])
def test_ordinary_text_is_not_touched(s: str) -> None:
    assert visible(s) == s


@settings(deadline=None)
@given(
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")) | st.just(" "), max_size=120
    ),
    st.integers(8, 60),
)
def test_wrapping_loses_nothing_and_fits(s: str, width: int) -> None:
    lines = wrap(s, width)
    assert all(count_cells(one) <= width for one in lines)
    assert "".join(lines).replace(" ", "") == s.replace(" ", "")


@settings(deadline=None)
@given(st.text(alphabet="ab/中文字é ", max_size=80), st.integers(4, 40))
def test_cutting_keeps_within_the_width(s: str, width: int) -> None:
    assert count_cells(cut(s, width)) <= width
    assert count_cells(cut_front(s, width)) <= width


def test_a_name_with_an_escape_is_shown_and_not_obeyed() -> None:
    facts = make_node_facts(path="/x/\x1b[2J\u202e")
    out = write_text(report(make_snapshot(*make_deleted_pod(), *facts)), "en", 100, False)
    assert r"\x1b[2J\u202e" in out
    assert POD.name in out and NODE.name in out


def test_no_line_is_a_command_to_a_pipelines_runner() -> None:
    """GitHub's runner reads `::set-output name=x::y` from whatever is printed, blanks before it or not."""
    for told in ("::set-output name=x::y", "  ::add-mask::y", "see ##[add-mask]y", "::stop-commands::x"):
        printed = paint([line(told)], colour=False)
        assert not printed.lstrip().startswith("::") and "##[" not in printed
    assert paint([line("::1 is an address"), line("a::b::c")], colour=False) == "::1 is an address\na::b::c\n"
