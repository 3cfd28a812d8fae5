"""The messages about the one-shot Pod, before and after its creation."""

from __future__ import annotations

import io
from typing import Any, cast

import pytest

from unstuck.api.nodes import Nodes
from unstuck.api.probe_consent import ProbeOffer
from unstuck.cli.connection import with_consent
from unstuck.cli.lang import Lang
from unstuck.cli.progress import Spinner
from unstuck.collect.kube.nodes.leftover_probes import LeftoverProbe
from unstuck.collect.kube.nodes.probe import ProbeWay
from unstuck.collect.kube.nodes.probe_pod import Plan
from unstuck.facts.snapshot import Snapshot

NODE = "n-1"


class Looks:
    """An access method that finds these leftover Pods of killed clients."""

    name = "probe"

    def __init__(self, guarded: bool = True, left: tuple[LeftoverProbe, ...] = ()) -> None:
        self._guarded, self._left = guarded, left

    def plan(self, node: str) -> Plan:
        return Plan(node, "tools", "image", guarded=self._guarded)

    def look(self, *_: Any) -> list[Any]:
        return []

    def take_leftovers(self) -> list[LeftoverProbe]:
        return list(self._left)


def said(looks: Looks, lang: Lang, capsys: pytest.CaptureFixture[str], snap: Snapshot) -> str:
    nodes = with_consent(Nodes(probe=True), lang, Spinner("why"), ask=False)
    assert nodes is not None
    offer = ProbeOffer(cast(ProbeWay, looks), looks, nodes)
    assert offer.split_by_consent([NODE], snap) == ([NODE], [])
    offer.look(NODE, None, 30.0)
    return capsys.readouterr().err


@pytest.fixture
def snap() -> Snapshot:
    from datetime import UTC, datetime

    return Snapshot((), datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("lang", "killed", "exposed"),
    [
        ("en", "if unstuck itself is killed", "Whoever may run commands"),
        ("zh", "若 unstuck 自身被强行终止", "执行命令的人"),
    ],
)
def test_what_is_guaranteed_is_said_and_no_more(
    lang: Lang, killed: str, exposed: str, capsys: pytest.CaptureFixture[str], snap: Snapshot
) -> None:
    guarded, open_ = (said(Looks(guarded), lang, capsys, snap) for guarded in (True, False))
    assert killed in guarded and exposed not in guarded
    assert killed in open_ and exposed in open_ and "tools" in open_


@pytest.mark.parametrize(
    ("lang", "words"), [("en", ("deleted what", "cannot be deleted")), ("zh", ("已删除", "无法删除"))]
)
def test_what_a_killed_client_left_is_told(
    lang: Lang, words: tuple[str, str], capsys: pytest.CaptureFixture[str], snap: Snapshot
) -> None:
    left = (
        LeftoverProbe("tools", "unstuck-look-1"),
        LeftoverProbe("tools", "unstuck-look-2", "forbidden\x1b[2J"),
    )
    lines = said(Looks(left=left), lang, capsys, snap).splitlines()[-2:]
    assert words[0] in lines[0] and "tools/unstuck-look-1" in lines[0]
    assert words[1] in lines[1] and "tools/unstuck-look-2" in lines[1] and "\x1b" not in lines[1]


@pytest.mark.parametrize(
    ("typed", "agreed"), [("y\n", True), ("是\n", True), ("\n", False), ("", False), ("no\n", False)]
)
def test_without_probe_the_terminal_is_asked_once(
    typed: str, agreed: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    nodes = with_consent(Nodes(), "en", Spinner("why"), ask=True)
    assert nodes is not None and nodes.consent is not None
    plan = Plan(NODE, "tools", "image")
    assert [nodes.consent([plan]), nodes.consent([plan])] == [agreed, agreed]
    said = capsys.readouterr().err
    assert said.count("Create it?") == 1 and said.count("On n-1,") == 1


def test_where_nobody_can_be_asked_nothing_is_created() -> None:
    nodes = with_consent(Nodes(), "en", Spinner("why"), ask=False)
    assert nodes is not None and nodes.consent is None and not nodes.probe
