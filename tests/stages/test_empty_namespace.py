"""An empty Namespace that still waits: the headline reports its emptiness if known; its obstacle is quoted
first.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.collect.text import read_text
from unstuck.engine import diagnose
from unstuck.facts.aspects.cluster import Content, Contents
from unstuck.facts.aspects.objects import Below, Conditions
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 1, 0, tzinfo=UTC)
NS = Ref("Namespace", None, "ci-8842", "u-1")
CLAIM = Ref("PersistentVolumeClaim", "ci-8842", "data")
SRC = Source("/api/v1/namespaces/ci-8842")
WHY = (
    "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: "
    "metrics.dead.io/v1beta1: stale"
)
EMPTY = ": it is empty as far as it can be listed, but the API cannot be listed completely"
# The controller's order of writing.
CONDITIONS = {
    "NamespaceDeletionGroupVersionParsingFailure": (
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("False", "ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": (
        "False",
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    ),
    "NamespaceDeletionDiscoveryFailure": ("True", "DiscoveryFailed", WHY),
}


def namespace(**changed: tuple[str, str, str]) -> list[Fact]:
    rows = "".join(
        f'  - {{type: {type_}, status: "{status}", reason: {reason}, message: "{message}"}}\n'
        for type_, (status, reason, message) in {**CONDITIONS, **changed}.items()
    )
    text = f"""apiVersion: v1
kind: Namespace
metadata: {{name: ci-8842, uid: u-1, creationTimestamp: "2026-11-20T23:00:00Z", deletionTimestamp: "2026-11-21T00:18:00Z"}}
status:
  phase: Terminating
  conditions:
{rows}"""
    return read_text(text, "ns.yaml", NOW).facts


def headline(*facts: Fact) -> tuple[str, str]:
    said = diagnose(NS, Snapshot(facts, NOW), ()).state.headline
    return said.en, said.zh


def pods(*refs: Ref) -> Below:
    return Below(about=NS, src=SRC, kind="Pod", refs=refs)


def test_it_is_empty_and_cannot_be_listed_completely() -> None:
    en, zh = headline(*namespace(), pods())
    assert en.endswith(EMPTY) and zh.endswith("：能列出的内容已清空，但无法完整列出 API")


@pytest.mark.parametrize(
    "facts",
    [
        [*namespace()],
        [*namespace(), pods(Ref("Pod", "ci-8842", "p"))],
        [*namespace(NamespaceDeletionDiscoveryFailure=("False", "ResourcesDiscovered", "")), pods()],
        [
            *namespace(
                NamespaceContentRemaining=("True", "SomeResourcesRemain", "pods. has 1 resource instances")
            ),
            pods(),
        ],
        [
            *namespace(
                NamespaceFinalizersRemaining=("True", "SomeFinalizersRemain", "x in 1 resource instances")
            ),
            pods(),
        ],
        [*namespace(NamespaceDeletionContentFailure=("True", "ContentDeletionFailed", "forbidden")), pods()],
        [
            *namespace(),
            pods(),
            Contents(about=NS, src=SRC, items=(Content("persistentvolumeclaims", CLAIM.kind, 1, (CLAIM,)),)),
        ],
    ],
    ids=["Pods not counted", "a Pod", "listed", "content", "finalizers", "failure", "counted"],
)
def test_else_nothing_of_the_kind_is_said(facts: list[Fact]) -> None:
    assert "empty" not in headline(*facts)[0]


def test_the_condition_that_holds_it_is_quoted_first_with_its_message() -> None:
    (conditions,) = (f for f in namespace() if isinstance(f, Conditions))
    assert conditions.src.quote.startswith(f"NamespaceDeletionDiscoveryFailure=True DiscoveryFailed: {WHY}; ")
    assert [c.type for c in conditions.items] == [*CONDITIONS]
