"""Self-contained sentences: the same facts in each frame, about the text's objects, and none from prose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.text.frames import FRAMES
from tests.text.support import read
from unstuck.collect.text.cutting.sentences import list_keys
from unstuck.facts.aspects.cluster import ApiService, Unschedulable
from unstuck.facts.aspects.objects import Conditions, Events, Failure
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.core import Ref
from unstuck.wording.event_words import SENTENCES

DOCS = Path(__file__).resolve().parents[2] / "docs"
# The pages that mention them.
_SPEAK = (
    "failed calling webhook",
    "denied the request",
    "unable to handle",
    "remaining: ",
    *(n for s in SENTENCES for n in s.need),
)
PAGES = [
    p for p in sorted(DOCS.rglob("*.md")) if any(word in p.read_text("utf-8").lower() for word in _SPEAK)
]
Told = tuple[str, str]

_APIS = "unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request"
_OTHERS: dict[str, set[Told]] = {
    f"Discovery failed for some groups, 1 failing: {_APIS}": {
        ("condition", "NamespaceDeletionDiscoveryFailure"),
        ("api", "v1beta1.metrics.k8s.io"),
    },
    "Some resources are remaining: services. has 2 resource instances": {
        ("condition", "NamespaceContentRemaining")
    },
    "Some content in the namespace has finalizers remaining: example.com/keep in 2 resource instances": {
        ("condition", "NamespaceFinalizersRemaining")
    },
    'Failed to delete all resource types, 1 remaining: Internal error occurred: failed calling webhook "a.b.io": Post '
    '"https://a.b.svc:443/": service "a" not found': {("condition", "NamespaceDeletionContentFailure")},
    _APIS: {("api", "v1beta1.metrics.k8s.io")},
    "couldn't get resource list for metrics.k8s.io/v1beta1: the server is currently unable to handle the request": {
        ("api", "v1beta1.metrics.k8s.io")
    },
    'Internal error occurred: failed calling webhook "a.b.io": Post "https://a.b.svc:443/v?timeout=10s": context deadline exceeded': {
        ("webhook-unreachable", "a.b.io")
    },
    'admission webhook "a.b.io" denied the request: no': {("admission-denied", "a.b.io")},
}
KNOWN: dict[str, set[Told]] = {**{e: {("event", s.reason)} for s in SENTENCES for e in s.examples}, **_OTHERS}


def told(text: str) -> set[Told]:
    """Return the facts of such sentences, without those from programs' own output."""
    out = set[Told]()
    for fact in read(text).facts:
        if isinstance(fact, Events):
            out |= {("event", e.reason) for e in fact.items}
        elif isinstance(fact, Conditions):
            out |= {("condition", c.type) for c in fact.items}
        elif isinstance(fact, ApiService):
            out.add(("api", fact.about.name or ""))
        elif isinstance(fact, Refusals):
            out |= {(r.error, fact.about.name or "") for r in fact.items}
    return out


@pytest.mark.parametrize("name", FRAMES)
def test_each_in_every_frame(name: str) -> None:
    got = {sentence: told(FRAMES[name](sentence)) for sentence in KNOWN}
    assert {s: t for s, t in got.items() if t != KNOWN[s]} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
def test_pages_about_them_claim_nothing(page: Path) -> None:
    """Beside what they quote whole and in one line, as people do."""
    text = page.read_text("utf-8")
    quoted = {key for code in re.findall(r"`([^`\n]+)`", text) for key in list_keys(code)}
    assert told(text) <= quoted
    assert len(quoted) <= 1


def test_it_is_about_what_the_command_describes() -> None:
    text = "$ kubectl describe pvc hub-db-dir -n jhub\nName:          hub-db-dir\nStatus:        Pending\nVolumeMode:    Filesystem\n"
    events = [
        f
        for f in read(
            f"{text}no persistent volumes available for this claim and no storage class is set\n"
        ).facts
        if isinstance(f, Events)
    ]
    assert [f.about for f in events] == [Ref("PersistentVolumeClaim", "jhub", "hub-db-dir")]


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("1 node(s) had volume node affinity conflict", (("node(s) had volume node affinity conflict", 1),)),
        (
            "│ 2 Insufficient cpu, 1 node(s) were unschedulable.",
            (("Insufficient cpu", 2), ("node(s) were unschedulable", 1)),
        ),
        ("3 Insufficient nvidia.com/gpu", (("Insufficient nvidia.com/gpu", 3),)),
    ],
)
def test_the_schedulers_reasons_by_themselves(text: str, reasons: tuple[tuple[str, int], ...]) -> None:
    assert [f.reasons for f in read(text).facts if isinstance(f, Unschedulable)] == [reasons]


@pytest.mark.parametrize(
    "text", ["3 Insufficient funds for this order", "Of 12 node(s) had we heard", "2 nodes were out"]
)
def test_other_counts_are_no_scheduler(text: str) -> None:
    assert [f for f in read(text).facts if isinstance(f, Unschedulable)] == []


def test_a_right_that_lacks_is_no_refusal_of_a_pod() -> None:
    text = 'Error from server (Forbidden): pods "web" is forbidden: User "ci" cannot get resource "pods" in API group "" in the namespace "shop"'
    assert [f for f in read(text).facts if isinstance(f, Failure | Refusals)] == []
