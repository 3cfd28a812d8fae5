"""`unstuck scan` against a server on loopback: its request rate, its output on interruption, and its exit
status.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.closed import CLOSED
from tests.e2e.command import Terminal
from tests.kube.server import Handler
from tests.kube.small import (
    LONG_AGO,
    Small,
    make_healthy_cluster,
    make_object,
    make_pod,
    make_pod_with_map,
    make_waiting_pod,
    read_json,
    small,
)
from unstuck.cli.run import run

CONFIG = "--kubeconfig"
BROKEN = [*make_healthy_cluster(), make_pod_with_map("web-1", "default")]
Err = pytest.CaptureFixture[str]


def scan(cluster: Small, path: Path, *args: str) -> int:
    with small(cluster, path) as (_, kubeconfig):
        return run(["scan", *args, CONFIG, str(kubeconfig)], "unstuck")


# --- a polite client ----------------------------------------------------------------------------------------


def test_who_is_told_to_come_back_later_does_so_and_misses_nothing(tmp_path: Path, capsys: Err) -> None:
    told: dict[str, float] = {}

    def busy(handler: Handler, path: str) -> bool:
        if path in told or not path.endswith(("/default/pods", "/pods/web-1", "/statefulsets")):
            return False
        told[path] = time.monotonic()
        handler.say(429, {"kind": "Status", "message": "too many requests"}, Retry_After="1")
        return True

    cluster = Small(BROKEN, busy)
    assert scan(cluster, tmp_path, "-o", "json") == 1
    document = read_json(capsys.readouterr().out)
    assert [(i["cause"], i["members"]) for i in document["incidents"]] == [("config.configmap-missing", 1)]
    assert len(told) == 3
    for path, at in told.items():
        again = [when for asked, when in cluster.asked if asked == path and when > at]
        assert again and min(again) - at >= 1, path


def test_a_server_that_only_says_later_is_told_of_and_not_taken_for_healthy(
    tmp_path: Path, capsys: Err
) -> None:
    def busy(handler: Handler, path: str) -> bool:
        if path.endswith("/default/pods"):
            handler.say(429, {"kind": "Status", "message": "too many requests"}, Retry_After="0")
            return True
        return False

    assert scan(Small(BROKEN, busy), tmp_path) == 2
    out = capsys.readouterr().out
    assert (
        "nothing is stuck" not in out
        and "not seen" in out
        and "PodList default" in out
        and "too many requests" in out
    )


def test_no_more_requests_a_second_than_were_allowed(tmp_path: Path) -> None:
    cluster = Small(BROKEN)
    began = time.monotonic()
    assert scan(cluster, tmp_path, "--qps", "20") == 1
    assert len(cluster.asked) > 10
    assert time.monotonic() - began >= (len(cluster.asked) - 1) / 20


# --- the exit status ----------------------------------------------------------------------------------------


def unseen(name: str) -> Callable[[Handler, str], bool]:
    """Forbid reading these."""

    def refuse(handler: Handler, path: str) -> bool:
        if f"/{name}" in path:
            handler.say(403, {"kind": "Status", "message": "forbidden"})
            return True
        return False

    return refuse


@pytest.mark.parametrize(
    ("fail_on", "fine", "likely", "proven"),
    [(None, 0, 1, 1), ("stuck", 0, 1, 1), ("proven", 0, 0, 1), ("never", 0, 0, 0)],
)
def test_what_a_pipeline_fails_on(
    fail_on: str | None, fine: int, likely: int, proven: int, tmp_path: Path, capsys: Err
) -> None:
    args = ("--fail-on", fail_on) if fail_on else ()
    assert scan(Small(make_healthy_cluster()), tmp_path, *args) == fine
    # The existence of the ConfigMap is not visible.
    assert scan(Small(BROKEN, unseen("configmaps")), tmp_path, *args) == likely
    out = capsys.readouterr().out
    assert "likely" in out and "proven" not in out
    assert scan(Small(BROKEN), tmp_path, *args) == proven
    assert "proven" in capsys.readouterr().out


def test_without_a_cause_it_is_2_and_for_a_pipeline_1(tmp_path: Path, capsys: Err) -> None:
    odd = [
        *make_healthy_cluster(),
        make_pod(
            "odd",
            "default",
            "CreateContainerError",
            {"reason": "CreateContainerError", "message": "nobody knows this"},
        ),
    ]
    assert scan(Small(odd), tmp_path) == 2
    assert scan(Small(odd), tmp_path, "--fail-on", "stuck") == 1
    assert scan(Small(odd), tmp_path, "--fail-on", "proven") == 0
    capsys.readouterr()


def test_an_incident_without_a_known_cause_has_none_in_json_and_is_open_in_text(
    tmp_path: Path, capsys: Err
) -> None:
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "odd",
        "uid": "uid-odd",
        "controller": True,
    }
    waiting = {"reason": "CreateContainerError", "message": "nobody knows this"}
    both = [
        make_pod(name, "default", "CreateContainerError", waiting, ownerReferences=[owner])
        for name in ("odd-1", "odd-2")
    ]
    for lang, word in (("en", "open"), ("zh", "未定")):
        assert scan(Small([*make_healthy_cluster(), *both]), tmp_path, "--lang", lang) == 2
        out = capsys.readouterr().out
        assert f"1 {word}" in out and f"○ {word}" in out and "  1 ○ default/pod/odd-1 " in out
    assert scan(Small([*make_healthy_cluster(), *both]), tmp_path, "-o", "json") == 2
    document = read_json(capsys.readouterr().out)
    CLOSED.validate(document)
    (incident,) = document["incidents"]
    assert (incident["cause"], incident["members"], incident["culprit"]["kind"]) == (None, 2, "ReplicaSet")


def test_a_question_that_could_not_be_asked_is_3_whatever_a_pipeline_fails_on(
    tmp_path: Path, capsys: Err
) -> None:
    def no(handler: Handler, _: str) -> bool:
        handler.say(403, {"kind": "Status", "message": "forbidden"})
        return True

    for fail_on in ("stuck", "never"):
        assert scan(Small(BROKEN, no), tmp_path, "--fail-on", fail_on) == 3
        shown = capsys.readouterr()
        assert shown.out == "" and shown.err.startswith("error: ") and shown.err.count("\n") == 1


# --- on a terminal ------------------------------------------------------------------------------------------

WIDE = {"COLUMNS": "120"}


@pytest.mark.slow
def test_ctrl_c_during_a_scan_prints_what_is_known_so_far(tmp_path: Path) -> None:
    asked = threading.Event()

    def hangs(handler: Handler, path: str) -> bool:
        if path.endswith("/pods/web-2"):
            asked.set()
            handler.server.hold.wait(60)
            handler.drop()
            return True
        return False

    cluster = Small([*BROKEN, make_pod_with_map("web-2", "default", "other")], hangs)
    with (
        small(cluster, tmp_path) as (_, kubeconfig),
        Terminal("scan", kubeconfig=kubeconfig, env=WIDE) as terminal,
    ):
        before = terminal.modes
        terminal.read_until(b"2 look ill")
        # The first of the two has been read by then.
        assert asked.wait(20)
        terminal.child.send_signal(signal.SIGINT)
        assert terminal.finish(20) == 130
        assert terminal.modes == before
    assert b"web-1" in terminal.out and b"interrupted: this is what was known so far" in terminal.out
    assert b"Traceback" not in terminal.out


# --- omitted and examined objects -------------------------------------------------------------------------


def test_in_a_large_cluster_it_is_said_what_is_not_asked(tmp_path: Path, capsys: Err) -> None:
    many = [make_pod(f"fine-{i}", "default") for i in range(5001)]
    for lang, words in (
        ("en", "where Pods that wait for a Node would fit"),
        ("zh", "等待调度的 Pod 可以放到哪里"),
    ):
        assert scan(
            Small([*make_healthy_cluster(), *many, make_waiting_pod("web", "default")]),
            tmp_path,
            "--lang",
            lang,
        ) in (1, 2)
        assert words in " ".join(capsys.readouterr().out.split())
    scan(Small([*make_healthy_cluster(), *many, make_waiting_pod("web", "default")]), tmp_path, "-o", "json")
    document = read_json(capsys.readouterr().out)
    CLOSED.validate(document)
    (left,) = document["left_out"]
    assert (
        "where Pods that wait for a Node would fit" in left["en"]
        and "等待调度的 Pod 可以放到哪里" in left["zh"]
    )
    scan(Small([*make_healthy_cluster(), make_waiting_pod("web", "default")]), tmp_path, "-o", "json")
    assert "left_out" not in read_json(capsys.readouterr().out)


def test_claims_that_were_not_read_are_counted(tmp_path: Path, capsys: Err) -> None:
    claims = [
        make_object(
            "PersistentVolumeClaim", f"c-{i}", "default", ("Pending",), spec={}, status={"phase": "Pending"}
        )
        for i in range(70)
    ]
    scan(Small([*make_healthy_cluster(), *claims]), tmp_path, "-o", "json")
    document = read_json(capsys.readouterr().out)
    read = {
        d["subject"]["name"] for d in document["diagnoses"] if d["subject"]["kind"] == "PersistentVolumeClaim"
    }
    assert len(read) == 60
    assert [t["en"] for t in document["left_out"]] == [
        "10 more of kind PersistentVolumeClaim look ill and were not read"
    ]


def test_a_custom_resource_that_is_being_deleted_is_found(tmp_path: Path, capsys: Err) -> None:
    going = {"deletionTimestamp": LONG_AGO, "finalizers": ["things.example.com/keep"]}
    gadgets = [
        make_object("Gadget", "stays", "default", meta=going),
        make_object("Gadget", "well", "default"),
    ]
    assert scan(Small([*make_healthy_cluster(), *gadgets]), tmp_path, "-o", "json") in (1, 2)
    document = read_json(capsys.readouterr().out)
    assert [(d["subject"]["kind"], d["subject"]["name"]) for d in document["diagnoses"]] == [
        ("Gadget.things.example.com", "stays")
    ]


def test_types_whose_objects_may_not_be_listed_are_named(tmp_path: Path, capsys: Err) -> None:
    def no(handler: Handler, path: str) -> bool:
        if path.endswith(("/gadgets", "/services")):
            handler.say(403, {"kind": "Status", "message": "forbidden"})
            return True
        return False

    assert scan(Small(make_healthy_cluster(), no), tmp_path, "-o", "json") == 0
    document = read_json(capsys.readouterr().out)
    CLOSED.validate(document)
    named = {(n["about"]["kind"], n["why_open"]) for n in document["not_seen"]}
    assert named == {("Gadget.things.example.comList", "denied"), ("ServiceList", "denied")}


def test_an_api_group_that_does_not_tell_its_types_is_named(tmp_path: Path, capsys: Err) -> None:
    def stale(handler: Handler, path: str) -> bool:
        if path == "/apis":
            listed = {
                "name": "broken.example.com",
                "versions": [{"groupVersion": "broken.example.com/v1", "version": "v1"}],
            }
            handler.say(
                200,
                {"kind": "APIGroupList", "groups": [{**listed, "preferredVersion": listed["versions"][0]}]},
            )
            return True
        if path == "/apis/broken.example.com/v1":
            handler.say(503, {"kind": "Status", "message": "service unavailable"}, Retry_After="0")
            return True
        return False

    assert scan(Small(make_healthy_cluster(), stale), tmp_path) == 0
    out = capsys.readouterr().out
    assert "nothing that could be seen is stuck" in out
    assert "APIGroup broken.example.com/v1 — cannot be reached: service unavailable" in " ".join(out.split())
