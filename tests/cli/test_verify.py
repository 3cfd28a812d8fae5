"""`-o proof` and `verify` on the command line; and damaged or hand-edited files for every reading command."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.examples import FEW
from unstuck.api.saved_files import parse_saved, to_text
from unstuck.cli.run import run

NAMES = (
    "file-immutable",
    "glusterfs-hung",
    "out-of-memory",
    "storage-class-missing",
    "kubelet-stopped",
    "exit-137",
)
DAMAGED = 24 if FEW else 600
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        1e300,
        2**70,
        "",
        "x",
        "x\ny",
        [],
        [1],
        ["a", "b"],
        [[]],
        {},
        {"kind": "Pod"},
        {"kind": 5},
    ),
    *("2026-11-21T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", float("nan"), -(2**62), 2**62),
)


def document(name: str) -> dict[str, Any]:
    doc: dict[str, Any] = json.loads(
        to_text(parse_saved((files("unstuck") / "demo" / f"{name}.json.gz").read_bytes(), name))
    )
    return doc


@pytest.fixture
def proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert run(["demo", "file-immutable", "-o", "proof"], "unstuck") == 1
    (tmp_path / "proof.json").write_text(capsys.readouterr().out)
    return tmp_path / "proof.json"


def test_a_proof_is_judged_again_without_a_cluster(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for lang, said in (("en", "Each of these is needed"), ("zh", "不可缺少")):
        assert run(["verify", str(proof), "--lang", lang], "unstuck") == 0
        out = capsys.readouterr().out
        assert out.startswith("✓ ") and "file.immutable" in out and said in out and "FlaggedFiles" in out
    assert run(["verify", str(proof), "-o", "json"], "unstuck") == 0
    doc = json.loads(capsys.readouterr().out)
    assert (
        doc["holds"]
        and doc["claim"] == {"cause": "file.immutable", "confidence": "proven"}
        and doc["found"]["cause"] == "file.immutable"
    )
    assert {one["without"] for one in doc["needed"]} <= {"likely", "undecided", "ruled-out"}
    # A proof is a Snapshot like any other.
    assert run(["replay", str(proof)], "unstuck") == 1 and "file.immutable" in capsys.readouterr().out
    assert run(["read", str(proof)], "unstuck") == 1 and "file.immutable" in capsys.readouterr().out


def test_a_proof_that_does_not_hold_says_so(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    doc = json.loads(proof.read_text())
    proof.write_text(json.dumps({**doc, "claim": {"cause": "mount.busy", "confidence": "proven"}}))
    assert run(["verify", str(proof), "--lang", "en"], "unstuck") == 1
    out = capsys.readouterr().out
    assert out.startswith("✗ proven mount.busy is not what follows") and "proven file.immutable" in out
    proof.write_text(json.dumps({**doc, "facts": [f for f in doc["facts"] if f["type"] != "FlaggedFiles"]}))
    assert run(["verify", str(proof), "-o", "json"], "unstuck") == 1
    assert not json.loads(capsys.readouterr().out)["holds"]


def test_nothing_is_proven_where_nothing_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "exit-137", "-o", "proof"], "unstuck") == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1


def test_facts_of_a_later_version_are_passed_over_and_counted(
    proof: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    doc = json.loads(proof.read_text())
    later = {"type": "FactOfTomorrow", "about": {"kind": "Pod"}, "src": {"where": "x"}}
    word = {
        "type": "Refused",
        "about": {"kind": "Pod"},
        "src": {"where": "x"},
        "want": "Events",
        "why": "a-word-of-tomorrow",
    }
    proof.write_text(json.dumps({**doc, "facts": [*doc["facts"], later, word]}))
    for command in ("replay", "read"):
        assert run([command, str(proof), "--lang", "en"], "unstuck") == 1
        told = capsys.readouterr()
        assert "2 facts of a later version were passed over" in told.err and "file.immutable" in told.out


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in (
        list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from places(value[key])


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_snapshot_is_answered_or_refused_in_one_line(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random, refused = Random(seed), 0  # noqa: S311 - the same each time
    documents = [document(name) for name in NAMES]
    for n in range(DAMAGED // 4):
        doc = copy.deepcopy(random.choice(documents))
        for _ in range(random.choice((1, 1, 2, 4))):
            holder, key = random.choice(list(places(doc)))
            if random.random() < 0.2:
                del holder[key]
            else:
                holder[key] = random.choice(ODD)
        file = tmp_path / "s.json"
        file.write_text(json.dumps(doc))
        for command in (
            ["replay", "-o", ("text", "json", "html", "junit", "github", "markdown")[n % 6]],
            ["verify"],
            ["read"],
        ):
            status = run([*command, str(file)], "unstuck")
            told = capsys.readouterr()
            assert status in (0, 1, 2, 3), (doc, told.err)
            if status == 3:
                assert told.out == "" and told.err.count("\n") == 1
                refused += 1
    assert refused


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"facts": [5]}, "has no type"),
        ({"facts": [{"type": "Phase", "about": {"kind": "Pod"}, "src": {"where": "x"}}]}, "no phase"),
        (
            {"facts": [{"type": "Phase", "about": {"kind": 5}, "src": {"where": "x"}, "phase": "x"}]},
            "5 where a string belongs",
        ),
        ({"asked": "pod/web-0"}, "'pod/web-0' where an object belongs"),
        ({"after": "soon"}, "'soon' where a number belongs"),
        ({"sources": [1]}, "1 where a string belongs"),
        ({"at": "yesterday"}, "no time"),
    ],
)
def test_what_is_wrong_with_it_is_said(
    change: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.json"
    file.write_text(json.dumps({**document("file-immutable"), **change}))
    for command in ("replay", "verify"):
        assert run([command, str(file), "--lang", "en"], "unstuck") == 3
        told = capsys.readouterr()
        assert said in told.err and told.err.count("\n") == 1
