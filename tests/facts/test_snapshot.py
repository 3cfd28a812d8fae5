"""A Snapshot joins Refs of the same object, separates others, and is independent of order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.facts.strategies import make_facts
from unstuck.facts.aspects.objects import Below, Deletion, Names, Presence
from unstuck.facts.core import Fact, Ref, Refused, Same, Source, Want, find_refs
from unstuck.facts.record import Record, list_field_names
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, tzinfo=UTC)
SRC = Source("test")


def test_a_name_and_a_uid_of_one_object_are_one_subject() -> None:
    full = Ref("Pod", "default", "a", "uid-1")
    snap = Snapshot(
        [
            Deletion(about=full, src=SRC, requested=True),
            Presence(about=Ref("Pod", uid="uid-1"), src=SRC, exists=True),
        ],
        NOW,
    )
    assert snap.of(Presence, Ref("Pod", "default", "a")) and snap.of(Deletion, Ref("Pod", uid="uid-1"))
    assert snap.subjects("Pod") == (full,)


def test_two_pods_of_one_name_stay_apart() -> None:
    old, new = Ref("Pod", "default", "pg-0", "uid-1"), Ref("Pod", "default", "pg-0", "uid-2")
    snap = Snapshot(
        [Deletion(about=old, src=SRC, requested=True), Deletion(about=new, src=SRC, requested=False)], NOW
    )
    assert [f.requested for f in snap.of(Deletion, old)] == [True]
    assert [f.requested for f in snap.of(Deletion, new)] == [False]


def test_an_assumed_join_is_not_sure() -> None:
    nobody, pod = Ref("Pod", block="paste:3"), Ref("Pod", "default", "a")
    fact = Deletion(about=nobody, src=SRC, requested=True)
    snap = Snapshot(
        [fact, Presence(about=pod, src=SRC, exists=True), Same(about=nobody, src=SRC, other=pod)], NOW
    )
    assert snap.of(Deletion, pod) == (fact,)
    assert not snap.sure(fact)


def test_a_refused_want_counts_as_answered() -> None:
    want = Want(Names, Ref("ConfigMapList", "default"))
    assert not Snapshot([], NOW).answered(want)
    refused = Refused(about=want.about, src=SRC, want="Names", why="denied")
    assert Snapshot([refused], NOW).answered(want)
    assert not Snapshot([Names(about=want.about, src=SRC, names=(), whole=False)], NOW).answered(want)


@given(st.lists(make_facts(), max_size=5), st.randoms())
def test_order_and_repetition_change_nothing(some: list[Fact], random: object) -> None:
    shuffled = [*some, *some[:2]]
    random.shuffle(shuffled)
    one, other = Snapshot(some, NOW), Snapshot(shuffled, NOW)
    for fact in some:
        assert one.canon(fact.about) == other.canon(fact.about)
        assert one.of(type(fact), fact.about) == other.of(type(fact), fact.about)
        assert fact in one.of(type(fact), fact.about)


@given(st.lists(make_facts(), max_size=8))
def test_facts_stand_in_the_order_of_their_forms(some: list[Fact]) -> None:
    """Answers are written in this order, so that old records replay to the same bytes."""
    snap = Snapshot([*some, *(replace(f, src=SRC) for f in some)], NOW)
    for kind in {type(f) for f in some}:
        assert list(snap.every(kind)) == sorted((f for f in snap.facts if type(f) is kind), key=repr)
        for about in {snap.canon(f.about) for f in some}:
            mine = [f for f in snap.facts if type(f) is kind and snap.canon(f.about) == about]
            assert list(snap.of(kind, about)) == sorted(mine, key=repr)


# Few of each, so that facts often name one object in several ways.
REFS = st.builds(
    Ref,
    st.sampled_from(["Pod", "Node"]),
    st.sampled_from([None, "a"]),
    st.sampled_from([None, "x", "y"]),
    st.sampled_from([None, "1", "2"]),
    st.sampled_from([None, None, "paste:3"]),
)
CLOSE = st.one_of(
    st.builds(Presence, about=REFS, src=st.just(SRC), exists=st.booleans()),
    st.builds(Same, about=REFS, src=st.just(SRC), other=REFS, assumed=st.booleans()),
    st.builds(
        Below,
        about=REFS,
        src=st.just(SRC),
        kind=st.sampled_from("pq"),
        refs=st.lists(REFS, max_size=2).map(tuple),
    ),
)


@given(st.lists(st.lists(CLOSE, max_size=4), min_size=1, max_size=4), st.lists(REFS, max_size=6))
def test_a_snapshot_that_grew_is_the_one_of_all_its_facts(parts: list[list[Fact]], asked: list[Ref]) -> None:
    grown = Snapshot([], NOW, ["s"])
    for i, part in enumerate(parts):
        grown = grown.plus(part, [f"s{i}"])
    made = Snapshot([f for part in parts for f in part], NOW, grown.sources)
    assert (grown.facts, grown.sources, grown.now) == (made.facts, made.sources, made.now)
    refs = [*asked, *(r for f in made.facts for r in find_refs(f))]
    assert [grown.canon(r) for r in refs] == [made.canon(r) for r in refs]
    assert [grown.sure(f) for f in made.facts] == [made.sure(f) for f in made.facts]
    for kind in (Presence, Same, Below):
        assert grown.every(kind) == made.every(kind)
        assert [grown.of(kind, r) for r in refs] == [made.of(kind, r) for r in refs]
    assert [grown.subjects(k) for k in ("Pod", "Node")] == [made.subjects(k) for k in ("Pod", "Node")]


def test_what_nothing_new_was_said_about_is_shared() -> None:
    one, other = (Presence(about=Ref("Pod", "a", n, n), src=SRC, exists=True) for n in "xy")
    small = Snapshot([one], NOW)
    large = small.plus([other])
    assert large.of(Presence, one.about) is small.of(Presence, one.about)


def _anywhere(value: object) -> Iterator[Ref]:
    if isinstance(value, Ref):
        yield value
    for part in (
        value
        if isinstance(value, tuple)
        else (getattr(value, n) for n in list_field_names(type(value)))
        if isinstance(value, Record)
        else ()
    ):
        yield from _anywhere(part)


@given(make_facts())
def test_every_reference_inside_a_fact_is_found(fact: Fact) -> None:
    # A Ref's own fields are no records, so a full search finds no more.
    assert find_refs(fact) == list(_anywhere(fact))
