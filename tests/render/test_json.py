"""`unstuck/v1`: the contract's content, byte for byte the same for the same facts."""

from __future__ import annotations

import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.closed import CLOSED
from tests.render.support import POD, make_deleted_pod, make_denied, make_node_facts, make_snapshot, report
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Ref
from unstuck.render.json import make_document, ref, write_json
from unstuck.render.schema import make_schema
from unstuck.render.yaml import write_yaml

CASES = {
    "proven": report(make_snapshot(*make_deleted_pod(), *make_node_facts())),
    "open": report(
        make_snapshot(*(f for f in make_deleted_pod() if not isinstance(f, Phase)), make_denied())
    ),
    "nothing": report(make_snapshot(), Ref("Pod", "a", "b")),
    "many": report(make_snapshot(*make_deleted_pod()), POD, Ref("Pod", "default", "x")),
}


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(make_schema())


def test_a_reader_of_today_takes_what_a_later_version_adds() -> None:
    later = json.loads(write_json(CASES["proven"]))
    later["new"] = 1
    later["diagnoses"][0]["new"] = {"x": []}
    later["diagnoses"][0]["state"] = "hibernating"
    later["diagnoses"][0]["causes"][0]["confidence"] = "certain"
    Draft202012Validator(make_schema()).validate(later)
    assert not CLOSED.is_valid(later)


@pytest.mark.parametrize("name", CASES)
def test_answers_are_valid(name: str) -> None:
    CLOSED.validate(json.loads(write_json(CASES[name])))


@pytest.mark.parametrize("name", CASES)
def test_yaml_is_the_same_document(name: str) -> None:
    assert yaml.safe_load(write_yaml(CASES[name])) == json.loads(write_json(CASES[name]))


def test_order_and_repetition_of_facts_change_no_byte() -> None:
    facts = [*make_deleted_pod(), *make_node_facts(), make_denied()]
    first = write_json(report(make_snapshot(*facts)))
    for turn in range(5):
        shuffled = facts[turn:] + facts[: turn + 3][::-1]
        assert write_json(report(make_snapshot(*shuffled))) == first


def test_the_words_of_the_contract() -> None:
    doc = make_document(CASES["proven"])
    assert list(doc) == ["schema", "at", "tool", "sources", "diagnoses", "incidents"]
    assert doc["schema"] == "unstuck/v1" and doc["at"] == "2026-11-21T00:07:30Z"
    (d,) = doc["diagnoses"]
    answer = [
        "subject",
        "state",
        "since",
        "headline",
        "word",
        "node",
        "stages",
        "causes",
        "undecided",
        "leads",
        "next",
        "shortlist",
        "ruled_out",
        "evidence",
    ]
    assert list(d) == answer
    root, after = d["causes"]
    assert root["id"] == "test.flagged" and root["confidence"] == "proven" and root["consequence_of"] is None
    assert root["culprit"]["kind"] == "File" and root["culprit"]["within"] == "lab-1"
    assert after["id"] == "test.silent" and after["consequence_of"] == 0
    assert root["help"][0]["risk"] == "reversible" and root["help"][0]["undo"][:2] == ["chattr", "+i"]
    assert root["do_not"][0]["because"]["zh"]
    shown = [d["evidence"][i] for i in root["evidence"]]
    assert {"weight": "decisive", "source": "lab-1", "quote": "flags ----i---"}.items() <= shown[0].items()
    assert doc["incidents"][0]["members"] == 1 and doc["incidents"][0]["representative"] == 0


def test_open_questions_say_why_and_what_to_run() -> None:
    (d,) = make_document(CASES["open"])["diagnoses"]
    wants = [w for o in d["undecided"] for w in o["wants"]]
    assert wants and all(w["why_open"] in ("not-asked", "denied") and w["ask"] for w in wants)


def test_every_index_points_at_evidence() -> None:
    for r in CASES.values():
        for d in make_document(r)["diagnoses"]:
            for part in (*d["stages"], *d["causes"], *d["undecided"], *d["ruled_out"]):
                assert all(0 <= i < len(d["evidence"]) for i in part["evidence"])


def test_what_a_thing_lies_in() -> None:
    assert ref(Ref("Pod", "ns", "x", "u")) == {"kind": "Pod", "namespace": "ns", "name": "x", "uid": "u"}
    assert ref(Ref("Node", None, "n")) == {"kind": "Node", "name": "n"}
    assert ref(Ref("File", "n", "/x")) == {"kind": "File", "within": "n", "name": "/x"}
    assert ref(Ref("Pod", block="paste.txt:3-9")) == {"kind": "Pod", "block": "paste.txt:3-9"}
