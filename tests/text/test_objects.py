"""Objects pasted as JSON or YAML."""

from __future__ import annotations

import json

import pytest

from tests.text.support import DESCRIBE, UID, YAML, pick, read, read_facts
from unstuck.facts.aspects.objects import Events, Failure, Keys, Names, Phase, Presence
from unstuck.facts.core import Ref

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "f", "uid": UID, "creationTimestamp": "2026-11-20T23:50:00Z"},
    "spec": {"nodeName": "lab-1", "containers": [{"name": "c", "image": "a"}]},
    "status": {"phase": "Running"},
}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(POD),
        json.dumps(POD, indent=4),
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [POD]}, indent=2),
        YAML,
        f"---\n{YAML}---\nkind: ConfigMap\napiVersion: v1\nmetadata:\n  name: x\n",
        "$ kubectl get pod p -n f -o yaml\n" + YAML,
        "```yaml\n" + YAML + "```\n",
        YAML.replace("\n", "\r\n"),
    ],
)
def test_an_object_in_any_wrapping_is_whole(text: str) -> None:
    result = read(text)
    (phase,) = pick(result.facts, Phase)
    assert phase.about == Ref("Pod", "f", "p", UID)
    assert phase.phase == "Running"
    assert phase.whole
    assert result.not_understood == []


def test_what_was_left_out_by_hand_is_not_whole() -> None:
    told = read_facts(YAML.replace("spec:\n", "  ...\nspec:\n"))
    assert [f for f in told if f.whole and not isinstance(f, Presence)] == []
    assert pick(told, Phase)


def test_prose_that_mentions_a_kind_is_no_object() -> None:
    assert read_facts("kind: words are free\nand so is this\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\nmetadata: &a [*a, *a]\n",
        "a: &a [x]\nkind: Pod\nmetadata: {name: x}\nb: *a\n",
        "kind: Pod\nmetadata: " + "[" * 500 + "]" * 500,
        '{"kind": "Pod", "metadata": ' + '{"a":' * 2000 + "1" + "}" * 2000 + "}",
        '{"kind": "Pod", "metadata": {"name": "x"',
        "kind: Pod\nmetadata:\n  name: !!python/object/apply:os.system [true]\n",
    ],
)
def test_bombs_and_broken_documents_are_not_understood(text: str) -> None:
    assert read(text).facts == []


def test_no_secret_leaves_the_text() -> None:
    told = read_facts(
        """\
        apiVersion: v1
        kind: Secret
        metadata: {name: db, namespace: f, uid: 00000000-0000-4000-8000-000000000000}
        data: {password: aHVudGVyMg==}
        stringData: {other: hunter2}
        """
    )
    assert set(pick(told, Keys)[0].names) >= {"password"}
    described = read_facts(DESCRIBE)
    assert "hunter2" not in repr(told) + repr(described)
    assert "aHVudGVyMg" not in repr(told)


def test_names_are_whole_only_from_a_full_list_in_json_or_yaml() -> None:
    listed = json.dumps(
        {"apiVersion": "v1", "kind": "List", "items": [{"kind": "ConfigMap", "metadata": {"name": "a"}}]}
    )
    (whole,) = pick(read_facts("$ kubectl get cm -n f -o json\n" + listed), Names)
    assert (whole.about, whole.names, whole.whole) == (Ref("ConfigMapList", "f"), ("a",), True)
    for command in (
        "kubectl get cm -n f -l a=b -o json",
        "kubectl get cm a -n f -o json",
        "kubectl get cm -o json",
        "kubectl get cm -n f -o json | jq .",
    ):
        assert pick(read_facts(f"$ {command}\n{listed}"), Names) == []
    (table,) = pick(read_facts("$ kubectl get cm -n f\nNAME   DATA   AGE\na      1      2d\n"), Names)
    assert (table.names, table.whole) == (("a",), False)


def test_events_of_a_json_list_are_about_their_objects() -> None:
    event = {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": {"name": "p.1"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "f"},
        "reason": "FailedMount",
        "type": "Warning",
        "message": 'MountVolume.SetUp failed for volume "v" : secret "s" not found',
        "count": 3,
    }
    told = read_facts(json.dumps({"kind": "List", "apiVersion": "v1", "items": [event]}))
    assert pick(told, Events)[0].about == Ref("Pod", "f", "p")
    assert pick(told, Failure)[0].object == Ref("Secret", "f", "s")


@pytest.mark.parametrize(
    ("reason", "code", "read_from"), [("Error", 1, 0), ("StartError", 128, 1), ("ContainerCannotRun", 127, 1)]
)
def test_what_a_program_left_as_its_last_words_is_not_the_kubelets(
    reason: str, code: int, read_from: int
) -> None:
    message = 'exec: "/app/server": stat /app/server: no such file or directory'
    ended = {"terminated": {"reason": reason, "exitCode": code, "message": message}}
    pod = {**POD, "status": {"phase": "Running", "containerStatuses": [{"name": "c", "state": ended}]}}
    assert len(pick(read_facts(json.dumps(pod)), Failure)) == read_from
