"""Arbitrary facts are answered: no exception, the same answer for the same facts in any order, in every
format.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.support import load_all
from tests.examples import scale_examples
from tests.facts.strategies import make_records, make_values
from unstuck.api.ranking import find_unwell, rank_diagnoses
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.engine import diagnose, discover, investigate
from unstuck.engine.incidents import group_incidents
from unstuck.facts.codec import Saved, find_fact_types, load, save
from unstuck.facts.core import Fact, Ref, Refused, Source, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.render.explain import explain
from unstuck.render.json import write_json
from unstuck.render.text import write_text
from unstuck.render.visible import is_hidden
from unstuck.render.words import Lang

pytestmark = pytest.mark.slow

NOW = datetime(2026, 11, 21, tzinfo=UTC)
KINDS = ("Pod", "Namespace", "Node", "PersistentVolumeClaim", "Deployment", "Job", "Widget.example.com")
# Few names, so that facts meet: about the same object, and about referenced objects.
NAMES = st.sampled_from(["a", "b", None])
REFS = st.builds(
    Ref,
    st.sampled_from((*KINDS, "ConfigMap", "Container", "Mount", "Cluster", "StorageClassList")),
    st.sampled_from(["a", "a/a", None]),
    NAMES,
    st.sampled_from(["u", None, None]),
)
SUBJECTS = st.builds(Ref, st.sampled_from(KINDS), NAMES, NAMES, st.sampled_from(["u", None]))
ROUGH = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


CASES = load_all()


@cache
def of_type() -> dict[type[Fact], list[Fact]]:
    """Return the facts of all cases by type; read at the first drawn example, since the inner loop draws
    none.
    """
    found: dict[type[Fact], list[Fact]] = {}
    for case in CASES:
        for fact in case.snapshot.facts:
            found.setdefault(type(fact), []).append(fact)
    return found


def moved(fact: Fact, about: Ref) -> Fact:
    """Return the same observation about another object."""
    return replace(fact, about=about)


@cache
def of_any_type() -> tuple[Fact, ...]:
    """Return the facts of all types in sequence."""
    return tuple(fact for found in of_type().values() for fact in found)


def one_of(facts: Sequence[Fact]) -> st.SearchStrategy[Fact]:
    """Return a strategy that draws by index: one over the facts themselves hashes all its samples at each creation."""
    return st.integers(0, len(facts) - 1).map(facts.__getitem__)


@st.composite
def bent(draw: st.DrawFn) -> tuple[list[Fact], Ref, datetime]:
    """Draw the facts of a case, some with one field from another fact of the type or with arbitrary content,
    some moved to other objects.
    """
    case = draw(st.sampled_from(CASES))
    facts = sorted(case.snapshot.facts, key=repr)
    for i in draw(st.lists(st.integers(0, len(facts) - 1), max_size=4)) if facts else ():
        fact = facts[i]
        name = draw(st.sampled_from([f.name for f in fields(fact)]))
        others = one_of(of_type()[type(fact)]).map(attrgetter(name))
        anything = make_values(typing.get_type_hints(type(fact))[name])
        facts[i] = replace(fact, **{name: draw(st.one_of(others, anything))})
    facts += draw(st.lists(one_of(of_any_type()), max_size=2))
    return facts, case.subject, case.snapshot.now


FACTS = st.lists(
    st.builds(moved, st.one_of([make_records(kind) for _, kind in sorted(find_fact_types().items())]), REFS),
    max_size=12,
)


def forms(snap: Snapshot, found: Diagnosis, langs: Sequence[Lang] = ("en", "zh")) -> dict[str, str]:
    report = Answer(snap.now, snap.sources, (found,), group_incidents([found]), "0")
    shown = {
        f"{form.__name__} {lang}": form(report, lang, 100, False)
        for form in (write_text, explain)
        for lang in langs
    }
    shown["json"] = write_json(report)
    assert not {c for c in set().union(*shown.values()) - {"\n"} if is_hidden(c)}
    return shown


def alike(shown: dict[str, str], snap: Snapshot, found: Diagnosis) -> bool:
    """Tell whether this answer looks the same; in one language, since missing translations do not depend on the
    facts.
    """
    return forms(snap, found, ("en",)).items() <= shown.items()


@given(FACTS, SUBJECTS, st.one_of(st.none(), st.floats(0, 1e6)), st.randoms(use_true_random=False))
@settings(ROUGH, max_examples=scale_examples(120))
def test_any_facts_are_answered_and_always_alike(
    facts: list[Fact], subject: Ref, after: float | None, random: Any
) -> None:
    snap = Snapshot(facts, NOW)
    found = diagnose(subject, snap, discover(), after)
    shown = forms(snap, found)
    shuffled = [*facts, *facts]
    random.shuffle(shuffled)
    again = Snapshot(shuffled, NOW)
    assert alike(shown, again, diagnose(subject, again, discover(), after))
    assert json.loads(shown["json"])["diagnoses"][0]["state"] in ("fine", "progressing", "stuck", "unknown")


@given(FACTS, SUBJECTS)
@settings(ROUGH, max_examples=scale_examples(120))
def test_a_saved_snapshot_answers_to_the_same_bytes(facts: list[Fact], subject: Ref) -> None:
    snap = Snapshot(facts, NOW)
    # Through bytes, as in a file; the writer refuses invalid Unicode without changing it.
    saved = load(json.loads(json.dumps(save(Saved(snap, subject), "0"))))
    assert saved.asked is not None
    assert alike(
        forms(snap, diagnose(subject, snap, discover())),
        saved.snapshot,
        diagnose(saved.asked, saved.snapshot, discover()),
    )


@given(FACTS, SUBJECTS, FACTS)
@settings(ROUGH, max_examples=scale_examples(120))
def test_an_investigation_ends_whatever_is_answered(
    facts: list[Fact], subject: Ref, more: list[Fact]
) -> None:
    asked: list[Want] = []

    def collect(wants: Any) -> list[Fact]:
        assert not set(wants) & set(asked), "the same question twice"
        asked.extend(wants)
        refused = [
            Refused(about=w.about, src=Source("x"), want=w.fact.__name__, why="denied")
            for w in list(wants)[::2]
        ]
        return [*more, *refused]

    snap, found = investigate(subject, Snapshot(facts, NOW), discover(), collect)
    forms(snap, found)


@given(FACTS)
@settings(ROUGH, max_examples=scale_examples(80))
def test_what_is_not_fine_is_found_among_any_facts(facts: list[Fact]) -> None:
    snap = Snapshot(facts, NOW)
    for found in rank_diagnoses(find_unwell(snap), snap, discover()):
        forms(snap, found)


@given(bent(), st.randoms(use_true_random=False))
@settings(ROUGH, max_examples=scale_examples(100))
def test_bent_cases_are_answered_and_always_alike(
    case: tuple[list[Fact], Ref, datetime], random: Any
) -> None:
    facts, subject, now = case
    snap = Snapshot(facts, now)
    shown = forms(snap, diagnose(subject, snap, discover()))
    random.shuffle(facts)
    again = Snapshot([*facts, *facts], now)
    assert alike(shown, again, diagnose(subject, again, discover()))
    loaded = load(json.loads(json.dumps(save(Saved(snap, subject), "0"))))
    assert alike(shown, loaded.snapshot, diagnose(subject, loaded.snapshot, discover()))


@given(bent(), FACTS)
@settings(ROUGH, max_examples=scale_examples(120))
def test_an_investigation_of_a_bent_case_ends(
    case: tuple[list[Fact], Ref, datetime], more: list[Fact]
) -> None:
    facts, subject, now = case
    snap, found = investigate(subject, Snapshot(facts, now), discover(), lambda _: more)
    forms(snap, found)
