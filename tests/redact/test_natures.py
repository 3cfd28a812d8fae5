"""Every text in every fact has a declared nature; undeclared text is hidden, and an unknown type stops
everything.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from scripts import docs

from unstuck.collect.redact import hiding, natures
from unstuck.collect.redact.hiding import RedactionError, redact
from unstuck.collect.redact.natures import NATURES, declared_names, natures_named, natures_of, texts
from unstuck.collect.redact.rules import RULES
from unstuck.facts.aspects.objects import Condition, Conditions, Event, Events
from unstuck.facts.codec import Saved, find_fact_types
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import Record
from unstuck.facts.snapshot import Snapshot

from .facts import list_records, make_record

POD = Ref("Pod", "team", "web-0")
NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.mark.parametrize("kind", list_records(), ids=lambda kind: kind.__qualname__)
def test_every_text_field_of_every_record_is_declared(kind: type[Record]) -> None:
    assert sorted(texts(kind)) == sorted(natures_of(kind))


def test_nothing_is_declared_that_is_not_there() -> None:
    fields = {(kind.__name__, field) for kind in list_records() for field in texts(kind)}
    assert {(name, field) for name in declared_names() for field in natures_named(name)} == fields


def test_every_nature_has_a_rule_that_says_what_stays_and_why() -> None:
    assert set(RULES) == set(NATURES)
    assert all(part.en and part.zh for rule in RULES.values() for part in (rule.of, rule.stays, rule.why))


# Changing this list is a decision about the data that leaves a cluster: docs/why/redaction.md.
IDS = """
    CgroupLimit.container CgroupLimit.pod ClaimInput.owner ClaimInput.uid ContainerMount.container ContainerSeen.id
    ContainerStatus.container_id HungTask.pod LeftDirectory.uid OomKills.more PendingInput.uid PluginCall.pod
    PodVolumeUse.owner Proc.container Proc.pod Ref.uid ResourceClaimInput.owner ResourceClaimInput.uid
    SilentContainer.id SilentContainer.pod Termination.container_id Uncounted.uids WaitingMount.pods
"""
KEPT = ("id", "quantity", "version", "word")


def test_the_fields_that_stay_as_they_are_are_these() -> None:
    kept = sorted(
        f"{name}.{field}"
        for name in declared_names()
        for field, nature in natures_named(name).items()
        if nature == "id"
    )
    assert kept == IDS.split()


def test_a_field_that_is_not_declared_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    event = Events(about=POD, src=Source("x"), items=(Event("Failed", "the Pod is running", warning=True),))
    snap = Snapshot([event], NOW)
    known = {"failed", "the", "pod", "is", "running"}
    (before,) = redact(Saved(snap, POD), known).saved.snapshot.every(Events)
    assert before.items[0].message == "the Pod is running"
    less = {**natures._DECLARED, "Event": "text: reason reporter"}
    monkeypatch.setattr(natures, "_DECLARED", less)
    natures_named.cache_clear()
    try:
        (after,) = redact(Saved(snap, POD), known).saved.snapshot.every(Events)
    finally:
        monkeypatch.undo()
        natures_named.cache_clear()
    assert after.items[0].reason == "Failed" and "running" not in after.items[0].message


@pytest.mark.parametrize("value", [b"bytes", {"a": "b"}, ["a"], object()])
def test_a_value_of_an_unknown_type_stops_it(value: Any) -> None:
    odd = Conditions(about=POD, src=Source("x"), items=(Condition("Ready", "True", "x", value),))
    with pytest.raises(RedactionError, match=r"Condition\.message holds a"):
        redact(Saved(Snapshot([odd], NOW), POD), set())


def test_a_word_outside_of_a_closed_list_is_hidden() -> None:
    (kind,) = (k for name, k in find_fact_types().items() if name == "Refused")
    odd = make_record(kind, "x", why="payroll")
    (hidden,) = redact(Saved(Snapshot([odd], NOW), POD), {"payroll"}).saved.snapshot.facts
    assert "payroll" not in repr(hidden)


def test_the_pages_are_as_generated() -> None:
    wanted = {path: text for path, text in docs.make_pages() if path.endswith("redaction.md")}
    assert len(wanted) == 2
    for path, text in wanted.items():
        assert (docs.DOCS / path).read_text("utf-8") == text
        for name in declared_names():
            for field, nature in natures_named(name).items():
                assert nature not in KEPT or f"`{name}.{field}`" in text


def test_the_numbers_of_pseudonyms_follow_no_alphabet() -> None:
    """Else the first of them would be the shortest name, and the second the next in the alphabet."""
    pods = [Ref("Pod", "team", f"{a}{b}") for a in "abcdefgh" for b in ("lpha", "etting", "ravorous")]
    facts = [Events(about=pod, src=Source("x"), items=()) for pod in pods]
    saved = Saved(Snapshot(facts, NOW), None)
    first, second = (redact(saved, set()).saved for _ in range(2))
    assert first.snapshot.facts == second.snapshot.facts
    names = hiding.Pseudonyms(b"a key", str.upper)
    names.learn({pod.name or "": "pod" for pod in pods}, ())
    other = hiding.Pseudonyms(b"another", str.upper)
    other.learn({pod.name or "": "pod" for pod in pods}, ())
    told = [[n.name(pod.name or "") for pod in pods] for n in (names, other)]
    assert told[0] != told[1] and sorted(map(str, told[0])) == sorted(map(str, told[1]))
