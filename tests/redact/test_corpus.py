"""Secrets and identifiers of clouds, services and people, in every field of every fact: none of them occurs
in the output of `--redact`.
"""

from __future__ import annotations

import gzip
import json
from itertools import cycle, islice
from pathlib import Path

import pytest

from unstuck import __version__
from unstuck.api.redaction import collect_vocabulary, redact_saved
from unstuck.api.replaying import replay_saved
from unstuck.collect.bundle.write import BundleFile
from unstuck.collect.redact.hiding import redact
from unstuck.facts.aspects.objects import Condition, Conditions, Event, Events, Failure, Labels, Presence
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, LastLines, Termination
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

from .corpus import Item, make_corpus
from .facts import NOW, UID, list_fact_types, make_record

SEEDS = (1, 2, 3)
BARE = Ref("Pod", "default", "coredns", UID)


def left(item: Item, text: str) -> str | None:
    """Return the parts of an original left in a text: whole identifiers, eight characters of a secret."""
    parts = [
        *item.gone,
        *(secret[at : at + 8] for secret in item.secret for at in range(max(1, len(secret) - 7))),
    ]
    return next((part for part in parts if part in text), None)


def written(facts: list[Fact], subject: Ref, source: str) -> str:
    saved = Saved(Snapshot(facts, NOW, [source]), subject)
    return json.dumps(save(redact(saved, collect_vocabulary()).saved, ""), ensure_ascii=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_left_where_each_type_meets_a_part_of_them(seed: int) -> None:
    """Alone in a text, and where the same is a name, too. Each item goes into ten types, so that each type
    gets about twenty-five.
    """
    kinds = cycle(list_fact_types())
    found = []
    for item in make_corpus(seed):
        chosen = list(islice(kinds, 10))
        for facts, subject in (
            ([make_record(kind, item.text, about=BARE) for kind in chosen], BARE),
            ([make_record(kind, item.text) for kind in chosen], make_record(Ref, item.text)),
        ):
            if what := left(item, written(facts, subject, f"file:{item.text}")):
                found.append((item.kind, item.text, what))
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", list_fact_types(), ids=lambda kind: kind.__name__)
def test_nothing_is_left_in_any_field_of_any_fact(kind: type[Fact]) -> None:
    for item in make_corpus(4):
        assert (
            left(
                item,
                written([make_record(kind, item.text)], make_record(Ref, item.text), f"node:{item.text}"),
            )
            is None
        ), item


def crashing(items: list[Item]) -> Saved:
    """Return a Pod with a long answer, with all of them in its messages, logs, labels and names."""
    pod, src = (
        Ref("Pod", "payments-team", "ledger-0", UID),
        Source("/api/v1/namespaces/payments-team/pods/ledger-0"),
    )
    facts: list[Fact] = [Presence(about=pod, src=src, exists=True, created=NOW)]
    for i, item in enumerate(items):
        src = Source(f"x:{i}", item.text, NOW)
        ended = Termination(1, "Error", item.text, finished=NOW)
        status = ContainerStatus(
            "main",
            "main",
            "waiting",
            "CrashLoopBackOff",
            item.text,
            NOW,
            last=ended,
            restarts=9,
            image=item.text,
        )
        facts += [
            Events(about=pod, src=src, items=(Event("BackOff", item.text, True, 3, NOW, NOW),)),
            Failure(
                about=pod,
                src=src,
                operation="volume-set-up",
                error="EPERM",
                path=item.text,
                message=item.text,
                count=i,
            ),
            Labels(about=pod, src=src, items=(("app", item.text),), annotations=((item.text, item.text),)),
            ContainerStatuses(about=pod, src=src, items=(status,)),
            Conditions(
                about=pod, src=src, items=(Condition("Ready", "False", "ContainersNotReady", item.text),)
            ),
            LastLines(
                about=Ref("Container", "payments-team/ledger-0", "main"),
                src=src,
                lines=tuple(item.text.split("\n")),
            ),
        ]
    return Saved(Snapshot(facts, NOW, ["live:prod-context", "node:worker-of-ours"]), pod)


@pytest.mark.parametrize("of", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_nothing_is_left_in_the_file_nor_in_any_answer_from_it(of: int, tmp_path: Path) -> None:
    """Of every eighth item, and in the long run of all of them together."""
    items = list(make_corpus(6))[::of]
    hidden = redact_saved(crashing(items))
    with BundleFile(str(tmp_path / "b.tar.gz")) as out:
        out.write(hidden.saved, __version__, {}, hidden.report)
    texts = {"file": gzip.decompress((tmp_path / "b.tar.gz").read_bytes()).decode()}
    report = replay_saved(hidden.saved)
    texts["document"] = json.dumps(report.to_document(members=True), ensure_ascii=False)
    for lang in ("en", "zh"):
        texts[f"text {lang}"] = report.to_text(lang, 120)
        texts[f"explained {lang}"] = report.to_text(lang, 120, explain=True)
        texts[f"markdown {lang}"] = report.to_markdown(lang, members=True)
        texts[f"html {lang}"] = report.to_html(lang, members=True)
    texts["said"] = " ".join(said.en + said.zh for said in hidden.said)
    assert all(
        "ledger" not in text and "payments-team" not in text and "worker-of" not in text
        for text in texts.values()
    )
    # JSON writes some characters as escapes; the unescaped text is searched, too.
    texts["decoded"] = json.dumps(save(hidden.saved, ""), ensure_ascii=False)
    assert [
        (name, item.kind, what)
        for name, text in texts.items()
        for item in items
        if (what := left(item, text))
    ] == []


@pytest.mark.parametrize(
    "uid",
    [
        UID,
        "12345678-1234-5678-9012-123456789012",
        "1b5c2a1e-1234-5678-9012-0e1f2a3b4c5d",
        "0b5c2a1e-7d3f-1234-5678-901234567890",
    ],
)
def test_an_id_that_a_field_knows_stays_in_every_text_whatever_its_digits_are(uid: str) -> None:
    pod = Ref("Pod", "shop", "web-0", uid)
    texts = (
        f"pod (UID {uid})",
        f"volume pvc-{uid} of it",
        f"/pods/{uid}/volumes",
        f"kubepods-pod{uid.replace('-', '_')}.slice",
        f"x 123 {uid}",
    )
    asked = Saved(
        Snapshot(
            [Events(about=pod, src=Source("x"), items=tuple(Event("Failed", t, True) for t in texts))], NOW
        ),
        pod,
    )
    (events,) = redact(asked, collect_vocabulary()).saved.snapshot.every(Events)
    assert all(uid in item.message.replace("_", "-") for item in events.items)
    other = Saved(Snapshot([Events(about=BARE, src=Source("x"), items=events.items)], NOW), BARE)
    (hidden,) = redact(other, collect_vocabulary()).saved.snapshot.every(Events)
    assert uid == UID or not any(uid in item.message.replace("_", "-") for item in hidden.items)


def test_the_same_stays_the_same_and_different_ones_stay_different() -> None:
    items = list(make_corpus(5))[::4]
    first = redact(crashing(items), collect_vocabulary()).saved
    assert save(first, "") == save(redact(crashing(items), collect_vocabulary()).saved, "")
    assert len(first.snapshot.every(Events)) == len(crashing(items).snapshot.every(Events))


@pytest.mark.parametrize(
    "image", ["https://admin:master@git.example/x", "admin:master@registry.example/x:1", "x@sha256:short"]
)
def test_what_is_no_reference_of_an_image_is_treated_as_a_text(image: str) -> None:
    """An image's parts are looked at one by one, which would take a login apart."""
    said = ContainerStatuses(
        about=BARE, src=Source("x"), items=(ContainerStatus("main", "main", "waiting", image=image),)
    )
    asked = Saved(
        Snapshot([said, Labels(about=BARE, src=Source("x"), items=(("mail", "master@git.example"),))], NOW),
        BARE,
    )
    text = json.dumps(save(redact(asked, collect_vocabulary()).saved, ""))
    assert "admin:" not in text and "master" not in text
