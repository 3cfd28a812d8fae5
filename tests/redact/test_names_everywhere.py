"""A name hidden in one place is hidden everywhere: as a part of a longer word, and an account in every
spelling.
"""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

from unstuck.api.redaction import collect_vocabulary
from unstuck.collect.redact.hiding import redact
from unstuck.diagnosis.objects_named import find_address_of_host
from unstuck.facts.aspects.objects import Event, Events, Labels
from unstuck.facts.aspects.pod import Complaint, LastLines
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BARE = Ref("Pod", "default", "coredns", "u")
# Common words of messages: each alone stays.
NAME = "storage-admin"


def hidden(*messages: str, pods: tuple[str, ...] = (), words_stay: bool = False) -> list[str]:
    items = tuple(Event("Failed", m, True, 1, NOW, NOW) for m in messages)
    facts: list[Fact] = [Events(about=BARE, src=Source("x"), items=items)]
    facts += [Labels(about=Ref("Pod", "default", pod), src=Source("x"), items=()) for pod in pods]
    saved = redact(
        Saved(Snapshot(facts, NOW, ["live:x"]), None), collect_vocabulary(), words_stay=words_stay
    ).saved
    assert not pods or json.dumps(save(saved, "")).count(f'"{pods[0]}"') == 0
    return [item.message for fact in saved.snapshot.every(Events) for item in fact.items]


@pytest.mark.parametrize(
    "where",
    [
        "projects/{}/zones/us-central1-a",
        "/resourceGroups/{}/providers/x",
        "storageAccounts/{}",
        "arn:aws:eks:eu-west-1:123456789012:cluster/{}",
        "arn:aws:iam::123456789012:role/x/{}",
        "{}@other.iam.gserviceaccount.com",
        "x@{}.iam.gserviceaccount.com",
        "/home/{}/.kube/config",
        "User {}@shop.example",
    ],
)
def test_an_account_is_hidden_wherever_else_it_stands(where: str) -> None:
    forms = (
        f"cannot find {NAME} in it",
        f"node gke-{NAME}-default-pool-1",
        f"bucket {NAME}_logs of it",
        f"disk {NAME}.disk",
        f"x-{NAME}",
        "STORAGE_ADMIN is not set",
        "Storage-Admin is not set",
        f"pull eu.gcr.io/{NAME}/web",
        f"/x/{NAME}/y",
        f"key={NAME}",
    )
    told = hidden(where.format(NAME), *forms)
    assert not [t for t in told if NAME in t.lower().replace("_", "-")]
    # And it is one and the same.
    assert len({t.split()[2] for t in told[1:2]} | {t.split(".")[0].split()[-1] for t in told[4:5]}) == 1


def test_a_project_that_is_one_word_is_hidden_too() -> None:
    told = hidden("projects/storage/zones/x", "gke-storage-pool", "the storage is full", words_stay=False)
    assert not [t for t in told if "storage" in t]
    # If hiding it would change the answer, it stays in sentences, but never as a name.
    told = hidden("projects/storage/zones/x", "the storage is full", words_stay=True)
    assert "storage" not in told[0] and "storage" in told[1]


@pytest.mark.parametrize("pod", ["storage-admin", "storage.admin"])
def test_an_objects_name_is_hidden_within_a_longer_word(pod: str) -> None:
    told = hidden(f"x-{pod}-y", f"{pod}-y", f"x.{pod}", f"/a/{pod}/b", f"ns_{pod}_uid", pods=(pod,))
    assert not [t for t in told if pod in t]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "storage-admin-",
            "abc-",
            "abc.",
            "abc/",
            "a_",
            ":",
            "1.",
            "1-",
            "12 ",
            "a@",
            "aa:",
            "x",
            "xY",
            "0",
            "-----BEGIN A-----",
            "?a=",
        ),
        *(
            "arn:aws:",
            "projects/",
            "+1 ",
            "2026-01-01T00:00:00",
            "://a@",
            "12345678-",
            "Camel",
            "0x0.",
            "::",
            "a.b@",
            "home/",
            "0x",
        ),
    ],
)
def test_no_text_of_16_kib_takes_long_or_too_deep(piece: str) -> None:
    """A name again and again, each behind the other, took half a minute and then more frames than there
    are.
    """
    began = time.process_time()
    hidden(piece * (16384 // len(piece)), "projects/storage-admin/x", pods=("storage", "abc"))
    assert time.process_time() - began < 3.0


def test_the_address_that_a_program_could_not_reach_stays_that_of_its_service() -> None:
    ip, service = "10.96.12.7", Ref("Service", "shop", "db")
    told = Complaint(
        "connection-refused", f"dial tcp {ip}:5432: connect: connection refused", name=ip, port=5432
    )
    facts: list[Fact] = [
        LastLines(about=BARE, src=Source("x"), lines=(told.line,), complaint=told),
        ServicesAt(about=Ref("Address", None, ip), src=Source("x"), services=(service,)),
        ServiceSpec(about=service, src=Source("x"), selector=(), addresses=(ip,)),
    ]
    saved = redact(Saved(Snapshot(facts, NOW, ["live:x"]), None), collect_vocabulary()).saved
    assert ip not in json.dumps(save(saved, ""))
    (lines,), (at,), (spec,) = (saved.snapshot.every(kind) for kind in (LastLines, ServicesAt, ServiceSpec))
    assert lines.complaint is not None
    assert find_address_of_host(lines.complaint.name) == at.about and spec.addresses == (at.about.name,)
