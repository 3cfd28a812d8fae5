"""A report in each of its formats, and the calls of a caller's own functions."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import cast

import pytest

from tests.kube.server import Handler
from tests.kube.small import (
    Small,
    make_healthy_cluster,
    make_lease,
    make_namespace,
    make_node,
    make_pod_with_map,
    small,
)
from unstuck import api
from unstuck.api.node_access import close_on_error
from unstuck.api.probe_consent import ProbeOffer
from unstuck.api.report import report_of
from unstuck.collect.kube.nodes.probe import ProbeWay
from unstuck.diagnosis.answer import Diagnosis
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.codec import Saved
from unstuck.facts.core import Fact, Source

DEMO = files("unstuck") / "demo"


def demo(name: str) -> api.Report:
    return api.replay(str(DEMO / f"{name}.json.gz"))


def test_a_notebook_shows_an_answer_as_text_and_a_scan_in_a_frame(tmp_path: Path) -> None:
    report = demo("file-immutable")
    assert unescape(report._repr_html_()) == f"<pre>{report.to_text()}</pre>"
    with small(Small([*make_healthy_cluster(), make_pod_with_map("<b>", "default")]), tmp_path) as (
        _,
        kubeconfig,
    ):
        scan = api.connect(kubeconfig=str(kubeconfig)).scan()
    shown = scan._repr_html_()
    framed = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox [^<>]*></iframe>', shown)
    assert framed is not None and unescape(framed[1]) == scan.to_html() and "<b>" not in shown


def test_a_page_names_the_question() -> None:
    report = demo("file-immutable")
    assert report.to_markdown().startswith("# unstuck why\n") and "<title>unstuck why: " in report.to_html()
    assert "file.immutable" in report.to_html("zh") and "file.immutable" in report.to_markdown("zh")


def test_the_text_has_no_colour_unless_it_is_asked_for() -> None:
    report = demo("file-immutable")
    assert "\x1b" not in report.to_text() and "\x1b[" in report.to_text(colour=True)
    assert "file.immutable" in report.to_text("zh", explain=True)


def test_a_prompt_shows_one_line() -> None:
    shown = repr(demo("file-immutable"))
    state = api.State("stuck", api.Text("odd\x1b[2J", "odd\x1b[2J"))
    odd = Diagnosis(api.Ref("Pod", "shop", "x"), state, (), (), (), ())
    saved = Saved(api.Snapshot((), datetime(2026, 1, 1, tzinfo=UTC)), None)
    assert "\x1b" not in repr(report_of(saved, [odd] * 9)) and "6 more" in repr(report_of(saved, [odd] * 9))
    assert (
        shown.startswith("<Report why as of 2026-")
        and "ed-immut" in shown
        and len(shown) < 300
        and "\n" not in shown
    )


# --- consent ------------------------------------------------------------------------------------------------


class Looks:
    """An access method to a node by a Pod."""

    name = "probe"

    def plan(self, node: str) -> api.Plan:
        return api.Plan(node, "tools", "image")

    def look(self, *_: object) -> list[Fact]:
        return []

    def left(self) -> list[object]:
        return []


def offer(nodes: api.Nodes) -> ProbeOffer:
    return ProbeOffer(cast(ProbeWay, Looks()), Looks(), nodes)


def known(reason: str = "silent") -> api.Snapshot:
    """Return a Snapshot about a node with a silent agent."""
    agent = Unreached(
        about=api.Ref("Node", None, "n-1"), src=Source("node:n-1"), way="agent", why="timeout", reason=reason
    )
    return api.Snapshot([agent], datetime(2026, 1, 1, tzinfo=UTC))


def test_no_pod_is_created_that_nobody_agreed_to() -> None:
    shown: list[str] = []

    def no(plans: Sequence[api.Plan]) -> bool:
        shown.extend(p.node for p in plans)
        return False

    asked = offer(api.Nodes(consent=no))
    nodes, refused = asked.split_by_consent(["n-1"], known())
    assert (nodes, [u.reason for u in refused], shown) == ([], ["not-agreed"], ["n-1"])
    # The first answer counts.
    assert asked.split_by_consent(["n-1"], known()) == ([], []) and shown == ["n-1"]


@pytest.mark.parametrize(
    ("nodes", "created"),
    [
        (api.Nodes(), []),
        (api.Nodes(probe=True), ["n-1"]),
        (api.Nodes(consent=lambda _: True), ["n-1"]),
        (api.Nodes(probe=True, consent=lambda _: False), []),
    ],
)
def test_a_pod_is_agreed_to_beforehand_or_when_it_is_shown(nodes: api.Nodes, created: list[str]) -> None:
    assert offer(nodes).split_by_consent(["n-1"], known())[0] == created


def test_without_an_agent_nobody_is_asked_about_an_image_that_nobody_knows() -> None:
    def asked(_: Sequence[api.Plan]) -> bool:
        pytest.fail("asked")

    assert offer(api.Nodes(consent=asked)).split_by_consent(["n-1"], known("absent")) == ([], [])


def test_what_was_created_is_taken_back_on_an_error_alone() -> None:
    closed: list[int] = []
    with close_on_error(lambda: closed.append(1)):
        pass
    assert closed == []
    with pytest.raises(KeyboardInterrupt), close_on_error(lambda: closed.append(1)):
        raise KeyboardInterrupt
    assert closed == [1]


# --- a live cluster -----------------------------------------------------------------------------------------


def test_what_is_known_of_a_scan_that_is_under_way(tmp_path: Path) -> None:
    """The ConfigMap that is missing is kept back: the Pods are known by then."""
    go, asked = threading.Event(), threading.Event()

    def slow(handler: Handler, path: str) -> bool:
        if path.endswith("/configmaps/app-conf"):
            asked.set()
            go.wait(30)
        return False

    counted: list[tuple[int, int]] = []
    with (
        small(Small([*make_healthy_cluster(), make_pod_with_map("web-1", "default")], slow), tmp_path) as (
            _,
            kubeconfig,
        ),
        ThreadPoolExecutor() as pool,
    ):
        scan = api.connect(kubeconfig=str(kubeconfig)).begin_scan()
        waiting = pool.submit(scan.report, lambda pods, ill: counted.append((pods, ill)))
        assert asked.wait(30)
        early = scan.so_far()
        go.set()
        report = waiting.result(30)
    assert early is not None and [d.subject.name for d in early.diagnoses] == ["web-1"]
    assert report.incidents[0].cause == "config.configmap-missing" and counted[-1] == (2, 1)


def test_threads_that_ask_one_cluster_get_their_own_answers(tmp_path: Path) -> None:
    spaces = [f"s-{i}" for i in range(6)]
    objects = [
        make_node("n-1"),
        make_lease("n-1"),
        *(o for s in spaces for o in (make_namespace(s), make_pod_with_map(f"web-{s}", s))),
    ]
    with small(Small(objects), tmp_path) as (_, kubeconfig), ThreadPoolExecutor(6) as pool:
        cluster = api.connect(kubeconfig=str(kubeconfig))
        found = list(pool.map(lambda s: cluster.why(f"pod/web-{s}", namespace=s, nodes=None), spaces))
    assert [r.diagnoses[0].subject.within for r in found] == spaces
    assert {r.diagnoses[0].causes[0].id for r in found} == {"config.configmap-missing"}


def test_nothing_is_written_and_no_signal_is_touched(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import signal

    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with small(Small([*make_healthy_cluster(), make_pod_with_map("web-1", "default")]), tmp_path) as (
        _,
        kubeconfig,
    ):
        cluster = api.connect(kubeconfig=str(kubeconfig))
        cluster.scan()
        cluster.collect(tmp_path / "c.tar.gz", redact=True)
        cluster.why("pod/web-1")
        assert cluster.why().diagnoses[0].subject.name == "web-1"
    api.read(tmp_path / "c.tar.gz").save(tmp_path / "s.json.gz")
    api.replay(tmp_path / "s.json.gz")
    assert capfd.readouterr() == ("", "")
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before
