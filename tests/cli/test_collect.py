"""The command `unstuck collect`: one file of a live answer, and none without an answer or for a taken
name.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import write_kubeconfig
from tests.kube.cluster import DISCOVERY, OBJECTS, SHOP, Cluster, cluster, make_list
from tests.kube.server import Handler, serving
from unstuck.cli.run import run

POD = next(o for o in OBJECTS if o["kind"] == "Pod")
NAME = POD["metadata"]["name"]
PAGES = {**DISCOVERY, f"{SHOP}/pods/{NAME}": POD, f"{SHOP}/events": make_list()}


def collect(c: Cluster, folder: Path, *more: str) -> int:
    kubeconfig = write_kubeconfig(folder / "config", c.server.url)
    return run(
        [
            "collect",
            f"pod/{NAME}",
            "-n",
            "k-try",
            "--kubeconfig",
            str(kubeconfig),
            "-o",
            str(folder / "b.tar.gz"),
            *more,
        ],
        "unstuck",
    )


def causes(out: str) -> list[object]:
    return [
        [d["state"], [c["id"] for c in d["causes"]], sorted(u["id"] for u in d["undecided"])]
        for d in json.loads(out)["diagnoses"]
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_file_is_read_as_the_live_answer(
    lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with cluster(PAGES) as c:
        live = run(
            [
                "why",
                f"pod/{NAME}",
                "-n",
                "k-try",
                "--kubeconfig",
                str(write_kubeconfig(tmp_path / "config", c.server.url)),
                "-o",
                "json",
            ],
            "unstuck",
        )
        expected = causes(capsys.readouterr().out)
        assert collect(c, tmp_path, "--lang", lang) == 0
    said = capsys.readouterr()
    assert said.err == "" and f"unstuck read {tmp_path}/b.tar.gz" in said.out
    assert ("在任何地方读取" in said.out) == (lang == "zh")
    assert run(["read", str(tmp_path / "b.tar.gz"), "-o", "json"], "unstuck") == live
    assert causes(capsys.readouterr().out) == expected


def test_without_names_it_says_what_was_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with cluster(PAGES) as c:
        assert collect(c, tmp_path, "--redact") == 0
    said = capsys.readouterr().out
    assert "replaced: " in said and "other names" in said
    assert run(["read", str(tmp_path / "b.tar.gz"), "--show-facts"], "unstuck") == 0
    facts = capsys.readouterr().out
    assert "pod-1" in facts and NAME not in facts and "k-try" not in facts


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_cannot_be_redacted_is_not_written(
    lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError("s3cr3t of somebody")

    monkeypatch.setattr("unstuck.api.redaction.redact", fails)
    with cluster(PAGES) as c:
        assert collect(c, tmp_path, "--redact", "--lang", lang) == 3
    said = capsys.readouterr()
    assert (
        ("redaction failed" if lang == "en" else "脱敏失败") in said.err
        and "KeyError" in said.err
        and "--redact" in said.err
    )
    assert said.err.count("\n") == 1 and "s3cr3t" not in said.err + said.out and said.out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["config"]


def test_a_file_that_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.tar.gz").write_text("mine")
    with cluster(PAGES) as c:
        assert collect(c, tmp_path) == 3
        assert c.asked() == [] and (tmp_path / "b.tar.gz").read_text() == "mine"
        said = capsys.readouterr().err
        assert (
            said.startswith("error: ")
            and "exists and was left as it is; give another name, or --overwrite" in said
        )
        assert collect(c, tmp_path, "--overwrite") == 0
    assert (tmp_path / "b.tar.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_what_is_not_there_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with cluster(
        {
            **DISCOVERY,
            f"{SHOP}/pods/{NAME}": (
                404,
                {"kind": "Status", "message": "gone", "details": {"name": NAME, "kind": "pods"}},
            ),
        }
    ) as c:
        assert collect(c, tmp_path) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["config"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_file(number: signal.Signals, tmp_path: Path) -> None:
    def never(_: Handler) -> None:
        time.sleep(20)

    with serving(never) as server:
        kubeconfig = write_kubeconfig(tmp_path / "config", server.url)
        argv = [
            str(Path(sys.executable).with_name("unstuck")),
            "collect",
            "pod/x",
            "--kubeconfig",
            str(kubeconfig),
            "-o",
            str(tmp_path / "b.tar.gz"),
        ]
        with subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "LANG": "C.UTF-8"}
        ) as child:
            until = time.monotonic() + 60
            while not (server.seen and list(tmp_path.glob("*.part"))) and time.monotonic() < until:
                time.sleep(0.05)
            assert list(tmp_path.glob("*.part"))
            child.send_signal(number)
            child.wait(60)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["config"]
