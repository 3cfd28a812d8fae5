"""A scan's report on unseen parts: in every format and in both languages."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from unstuck.api.report import Report, report_of
from unstuck.cli.answers import Output, OutputOptions, format_report
from unstuck.cli.lang import Lang
from unstuck.cli.status import status_of_scan
from unstuck.facts.aspects.alike import Counted, Unread
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.codec import Saved
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.unasked import make_unasked

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
API = Source("api")
FORMS: tuple[Output, ...] = ("text", "json", "markdown", "html")


def counted(unread: int = 0) -> Counted:
    return Counted(about=Ref("PodList"), src=API, pods=9000, unhealthy=600, namespaces=3, unread=unread)


def of(*facts: Fact) -> Report:
    return report_of(Saved(Snapshot(facts, NOW, ("api",)), None), (), "scan")


def shown(report: Report, output: Output, lang: Lang) -> str:
    """Return the visible text, without the marks of a format."""
    text = format_report(report, OutputOptions(output, lang))
    return text.replace("\\", "") if output == "markdown" else text


@pytest.mark.parametrize("output", FORMS)
@pytest.mark.parametrize(
    ("lang", "pods", "claims", "heavy"),
    [
        (
            "en",
            "17 more Pods look ill and were not read",
            "40 more of kind PersistentVolumeClaim look ill",
            "where Pods that wait for a Node",
        ),
        (
            "zh",
            "另有 17 个 Pod 看似异常",
            "另有 40 个 PersistentVolumeClaim 看似异常",
            "等待调度的 Pod 可以放到哪里",
        ),
    ],
)
def test_what_was_left_out_is_said_in_every_form(
    output: Output, lang: Lang, pods: str, claims: str, heavy: str
) -> None:
    report = of(
        counted(17),
        Unread(about=Ref("PersistentVolumeClaimList"), src=API, count=40),
        make_unasked(PlacingInputs, Ref("PodList"), "scan"),
    )
    # Lines of a terminal with the maximum length.
    text = " ".join(shown(report, output, lang).split())
    assert pods in text and claims in text and heavy in text


@pytest.mark.parametrize("output", FORMS)
def test_a_list_that_nobody_answered_is_said_in_every_form(output: Output) -> None:
    no = Refused(
        about=Ref("PersistentVolumeList"), src=API, want="Names", why="denied", detail="may not list"
    )
    for lang, words in (
        ("en", "nothing that could be seen is stuck"),
        ("zh", "在能看到的范围内没有卡住的对象"),
    ):
        text = shown(of(no), output, lang)
        assert "PersistentVolumeList" in text and "may not list" in text
        assert words in text or output == "json"
    assert status_of_scan(of(no)) == 0


def test_without_a_list_of_pods_nothing_is_known_to_be_fine() -> None:
    assert (
        status_of_scan(
            of(Refused(about=Ref("PodList", "shop"), src=API, want="Names", why="unreachable", detail="busy"))
        )
        == 2
    )


def test_nothing_is_said_of_nothing() -> None:
    report = of(counted())
    assert format_report(report, OutputOptions("text", "en")) == "✓ api: nothing is stuck · 03:10:00Z\n"
    assert not {"not_seen", "left_out"} & set(json.loads(format_report(report, OutputOptions("json", "en"))))


def test_many_lists_that_failed_alike_are_one_row() -> None:
    no = [
        Refused(about=Ref(f"{k}List"), src=API, want="Names", why="denied", detail=f"may not list {k}")
        for k in ("A", "B", "C", "D", "E")
    ]
    text = format_report(of(*no), OutputOptions("text", "en"))
    assert "AList, BList, CList, DList, EList — not allowed" in text and text.count("not allowed") == 1
