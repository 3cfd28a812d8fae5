"""The parts folded to fit a screen, and the parts never folded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import pytest

from tests.render.support import make_deleted_pod, make_node_facts, make_snapshot, report
from unstuck.api.replaying import replay_saved
from unstuck.api.saved_files import parse_saved
from unstuck.diagnosis.answer import Answer, Diagnosis, OpenCause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Evidence
from unstuck.engine.leads import leads
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.render.cells import count_cells, paint
from unstuck.render.evidence import make_rows
from unstuck.render.github import write_github
from unstuck.render.html import write_html
from unstuck.render.json import make_document
from unstuck.render.junit import write_junit
from unstuck.render.markdown import write_markdown
from unstuck.render.page import lay_out
from unstuck.render.selection import ALL, EXTENTS, PAGE, Extent, select_content
from unstuck.render.similar_diagnoses import group_similar
from unstuck.render.text import _omission_lines, write_text
from unstuck.render.words import LANGS, Lang, word

SCREEN = 24


def recorded() -> Iterator[tuple[str, Answer]]:
    for record in sorted((files("unstuck") / "demo").iterdir(), key=lambda f: f.name):
        if record.name.endswith(".json.gz"):
            yield record.name, replay_saved(parse_saved(record.read_bytes(), record.name)).answer


RECORDS = dict(recorded())


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("extent", [*EXTENTS, ALL], ids=str)
def test_a_cause_that_is_told_keeps_its_proof_its_fix_and_what_not_to_do(name: str, extent: Extent) -> None:
    for d in RECORDS[name].diagnoses:
        for why in select_content((d,), extent).whys:
            evidence = [e for e in why.cause.evidence if e.fact.src.quote]
            assert bool(why.proof) == bool(evidence) or not why.cause.evidence
            assert why.do_not == why.cause.finding.do_not
            assert bool(why.steps) == bool(why.cause.finding.help)


@pytest.mark.parametrize("name", RECORDS)
def test_what_is_folded_is_counted_and_all_of_it_is_told_on_demand(name: str) -> None:
    for d in RECORDS[name].diagnoses:
        everything = select_content((d,), ALL)
        assert everything.folded == () and not everything.others
        for extent in EXTENTS:
            less = select_content((d,), extent)
            left = sum(len(why.proof) for why in everything.whys) - sum(len(why.proof) for why in less.whys)
            rows = dict(less.folded).get("rows", 0)
            assert left == 0 or rows > 0 or less.others


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_answer_about_one_object_fits_a_terminal(name: str, lang: str) -> None:
    for d in RECORDS[name].diagnoses:
        shown = write_text(replace(RECORDS[name], diagnoses=(d,)), lang, 80, colour=False).splitlines()
        assert sum(max(1, -(-count_cells(one) // 80)) for one in shown) <= SCREEN


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("width", [60, 80, 160])
def test_both_languages_tell_the_same_risks(name: str, width: int) -> None:
    for d in RECORDS[name].diagnoses:
        shown = {
            lang: write_text(replace(RECORDS[name], diagnoses=(d,)), lang, width, colour=False)
            for lang in LANGS
        }
        for risk in ("reversible", "disrupts", "loses-data"):
            assert len({shown[lang].lower().count(word(risk, lang).lower()) for lang in LANGS}) == 1


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("extent", EXTENTS, ids=str)
def test_where_few_steps_fit_a_remedy_is_among_them(name: str, extent: Extent) -> None:
    for d in RECORDS[name].diagnoses:
        for why in select_content((d,), extent).whys:
            remedies = [s for s in why.cause.finding.help if s.risk != "none" or s.where == "source"]
            assert not remedies or any(s in remedies or s.verify for s in why.steps)


def test_a_later_root_does_not_repeat_what_stands_above() -> None:
    one, other = two_causes().causes
    step, act = one.finding.help[0], one.finding.do_not[0]
    finding = replace(other.finding, help=(step, *other.finding.help), do_not=(act,))
    d = replace(two_causes(), causes=(one, replace(other, finding=finding)))
    shown = " ".join(
        write_text(
            replace(RECORDS["file-immutable.json.gz"], diagnoses=(d,)), "en", 400, False, "wide"
        ).split()
    )
    assert shown.count(act.says.en) == 1 and shown.count(" ".join(step.says.en.split())) == 1
    assert one.id in shown and other.id in shown


def two_causes() -> Diagnosis:
    """Return an answer about one object with two independent proven causes, each with long content."""
    first = next(d for d in RECORDS["file-immutable.json.gz"].diagnoses if d.causes)
    second = next(d for d in RECORDS["memory-in-bytes.json.gz"].diagnoses if d.causes)
    causes = tuple(replace(d.causes[0], consequence_of=None, confidence="proven") for d in (first, second))
    assert len({c.id for c in causes}) == 2
    return replace(first, causes=causes)


@pytest.mark.parametrize("extent", [*EXTENTS, PAGE, ALL], ids=str)
def test_each_of_two_independent_causes_has_its_proof_and_its_first_step(extent: Extent) -> None:
    d = two_causes()
    told = select_content((d,), extent)
    assert [why.cause for why in told.whys] == [*d.causes] and not told.others
    assert all(why.proof and why.steps for why in told.whys)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_both_are_told_in_every_format(lang: Lang) -> None:
    d = two_causes()
    one = Answer(RECORDS["file-immutable.json.gz"].at, (), (d,))
    pages = [
        write_text(one, lang, 80, colour=False),
        write_markdown(one, lang, survey=False),
        write_html(one, lang, survey=False),
        write_junit(one, lang),
    ]
    for page in pages:
        bare = page.replace("\\", "")
        assert [c.id for c in d.causes if c.id not in bare] == []
    assert [c["id"] for c in make_document(one)["diagnoses"][0]["causes"]] == [c.id for c in d.causes]


def test_what_is_open_at_another_stage_is_told_beside_what_is_proven() -> None:
    """Of one at the same stage the number is told alone: what is proven there explains it as well."""
    (d,) = alike("web-0")
    seen = (Evidence("supporting", d.causes[0].evidence[0].fact),)
    open_ = tuple(
        OpenCause(f"some.cause-{n}", Text(f"something {n}", f"某事 {n}"), True, seen, (), stage)
        for n, stage in enumerate(("elsewhere", d.causes[0].stage))
    )
    found = replace(d, undecided=open_)
    found = replace(found, leads=tuple(o.id for o in leads(found)))
    assert d.causes[0].confidence == "proven" and found.leads == ("some.cause-0",)
    page = write_text(Answer(RECORDS["file-immutable.json.gz"].at, (), (found,)), "en", 120, colour=False)
    assert "something 0" in page and "something 1" not in page


def alike(*names: str) -> tuple[Diagnosis, ...]:
    pods = [Ref("Pod", "default", name, f"41300886-{n}") for n, name in enumerate(names)]
    return report(
        make_snapshot(*(f for p in pods for f in (*make_deleted_pod(p), *make_node_facts(p)))), *pods
    ).diagnoses


def test_pods_of_one_owner_with_one_cause_are_one_answer() -> None:
    found = alike("web-7d9f8c6b5d-46xn9", "web-7d9f8c6b5d-9n876", "web-7d9f8c6b5d-bbbbb", "other-0")
    assert [len(group) for group in group_similar(found)] == [3, 1]
    shown = write_text(Answer(RECORDS["file-immutable.json.gz"].at, (), found), "en", 120, colour=False)
    assert "3 Pods default/web-7d9f8c6b5d: 46xn9, 9n876 and 1 more — Terminating" in shown
    assert shown.count("DON'T") == 2


def test_what_differs_in_its_cause_stands_alone() -> None:
    first, second = alike("web-7d9f8c6b5d-46xn9", "web-7d9f8c6b5d-9n876")
    assert len(group_similar((first, replace(second, causes=())))) == 2


def test_a_page_that_is_kept_counts_what_is_left_out_and_names_no_option() -> None:
    (d,) = alike("web-0")
    lead = OpenCause("some.cause", Text("something", "某事"), True, (), ())
    open_ = tuple(replace(lead, id=f"some.cause-{n}") for n in range(9))
    one = replace(d, causes=(), undecided=open_, leads=tuple(o.id for o in open_[:5]))
    kept = Answer(RECORDS["file-immutable.json.gz"].at, (), (one,))
    assert "+ 4 less likely: --all\n" in write_text(kept, "en", 120, colour=False)
    pages = [
        write_markdown(kept, "en", survey=False).replace("\\", ""),
        write_html(kept, "en", survey=False),
        write_junit(kept, "en"),
        write_github(kept, "en"),
    ]
    for page in pages:
        assert "+ 4 less likely" in page and "--all" not in page


@pytest.mark.parametrize(("count", "said"), [(1, "+ 1 more note: --all"), (2, "+ 2 more notes: --all")])
def test_what_is_folded_is_counted_as_one_says_it(count: int, said: str) -> None:
    assert (
        paint(
            _omission_lines([("notes", count)], lay_out("en", 80, RECORDS["file-immutable.json.gz"].at)),
            colour=False,
        ).strip()
        == said
    )


def test_what_was_said_several_times_and_once_is_one_row_of_proof() -> None:
    said = (
        ("FailedScheduling: no node", 1),
        ("FailedScheduling ×11: no node", 11),
        ("FailedScheduling: another", 1),
    )
    facts = [
        Failure(
            about=Ref("Pod", "shop", "web"),
            src=Source("a.txt:4", quote),
            operation="schedule",
            error="",
            count=n,
        )
        for quote, n in said
    ]
    shown = make_rows(Evidence("supporting", f) for f in facts)
    assert [(row.quote, row.count) for row in shown] == [said[1], said[2]]
