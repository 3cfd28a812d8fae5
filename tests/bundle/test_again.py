"""A text of objects is read object by object, and repeated text of a bundle once: the facts equal those of
reading in pieces.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from tests.bundle.make import make_tar
from tests.text.support import NOW
from unstuck.collect.bundle import read_bundle
from unstuck.collect.text import read_text
from unstuck.collect.text.objects.plain_yaml import PlainYamlReader
from unstuck.facts.aspects.objects import Finalizers, Phase
from unstuck.facts.core import Fact, Same, Source

KUBE = Path(__file__).parents[1] / "kube"
OBJECTS: list[dict[str, Any]] = [
    *json.loads((KUBE / "recorded" / "objects.json").read_text()),
    *(
        obj
        for file in sorted((KUBE / "objects").glob("*.json"))
        for obj in json.loads(file.read_text())["objects"]
    ),
]
POD = next(o for o in OBJECTS if o["kind"] == "Pod")
CONTAINER = "0123456789ab" * 5 + "cdef"
# Facts of one object may refer to another object, in either direction.
HOLDER = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "holder", "namespace": "f", "uid": "u-1"},
    "status": {
        "phase": "Running",
        "containerStatuses": [
            {"name": "c", "containerID": f"containerd://{CONTAINER}", "state": {"running": {}}}
        ],
    },
}
NAMED = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "e", "namespace": "default"},
    "type": "Warning",
    "reason": "FailedKillContainer",
    "message": f'error killing container: failed to kill container "{CONTAINER}": context deadline exceeded',
    "involvedObject": {"kind": "Node", "name": "node-1"},
}
PARTIAL = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "holder"}, "status": {"phase": "Running"}}
DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.com", "uid": "u-2"},
    "spec": {
        "conversion": {
            "strategy": "Webhook",
            "webhook": {"clientConfig": {"service": {"name": "w", "namespace": "f"}}},
        },
        "versions": [
            {
                "name": "v1",
                "schema": {"openAPIV3Schema": {"description": "one\n\n two: 'x'", "type": "object"}},
                "served": True,
            }
        ],
    },
    "status": {
        "conditions": [{"type": "Established", "status": "False", "reason": "r", "message": "m"}],
        "storedVersions": ["v1"],
    },
}
POOL = [*OBJECTS, HOLDER, NAMED, PARTIAL, *[DEFINITION] * 3]


def _written(random: Random, objects: list[dict[str, Any]]) -> tuple[str, str]:
    """Return (suffix, text) of a file with these objects: a single one plain, several as a list of any
    kind.
    """
    found: Any = objects[0]
    as_json = random.random() < 0.3
    if len(objects) > 1 or random.random() < 0.2:
        kinds = {(o["kind"], o["apiVersion"]) for o in objects}
        kind, version = next(iter(kinds)) if len(kinds) == 1 and random.random() < 0.7 else ("", "v1")
        bare = bool(kind) and as_json and random.random() < 0.5
        items = [{k: v for k, v in o.items() if not bare or k not in ("kind", "apiVersion")} for o in objects]
        found = {
            "apiVersion": version,
            "items": items,
            "kind": f"{kind}List",
            "metadata": {"resourceVersion": ""},
        }
    if as_json:
        return ".json", json.dumps(found, indent=random.choice((None, 4)), ensure_ascii=random.random() < 0.5)
    width = random.choice((80, 10**6))
    return ".yaml", random.choice(("", "---\n")) + _yaml(
        found, width=width, sort_keys=random.random() < 0.8, allow_unicode=True
    )


def _yaml(found: Any, **how: Any) -> str:
    # A copy, since a repeated object would be written as an alias.
    text: str = yaml.safe_dump(json.loads(json.dumps(found)), **how)
    return text


def _bundle(random: Random) -> dict[str, bytes]:
    chosen = random.sample(POOL, random.randint(1, 6))
    chosen += random.choices(chosen, k=random.randint(0, 2))
    files = [_written(random, chosen), *(_written(random, [o]) for o in chosen)]
    random.shuffle(files)
    return {f"namespaces/f/{n}{ending}": text.encode() for n, (ending, text) in enumerate(files)}


def _told(facts: Iterable[Fact]) -> set[Fact]:
    """Return facts without their places. Joined text is quoted from its file as a whole."""
    return {replace(f, src=Source("", f.src.quote, f.src.at)) for f in facts}


def _in_pieces(files: dict[str, bytes]) -> Iterator[Fact]:
    for name, data in files.items():
        # A blank line in front keeps a text from being read as a whole.
        yield from read_text("\n" + data.decode(), name, NOW).facts


@pytest.mark.parametrize("many", [6, pytest.param(40, marks=pytest.mark.slow)])
def test_what_stands_twice_is_told_once_and_nothing_is_lost(many: int) -> None:
    random, skipped = Random(many), 0  # noqa: S311 - not for secrets
    for _ in range(many):
        files = _bundle(random)
        got = read_bundle("b", NOW, data=make_tar(files))
        assert _told(got.facts) == _told(_in_pieces(files)), files
        assert not got.not_understood
        skipped += sum(form == "again" for form, _ in got.understood)
    assert skipped > many // 8


def test_what_another_object_names_is_read_beside_it() -> None:
    """The container of a Node's message is the Pod's that stands in the same list, though that Pod was told before."""
    files = {
        "a.yaml": _yaml(HOLDER),
        "b.yaml": _yaml({"apiVersion": "v1", "items": [HOLDER, NAMED], "kind": "List"}),
        "c.yaml": _yaml({"apiVersion": "v1", "items": [HOLDER, PARTIAL], "kind": "List"}),
    }
    got = read_bundle("b", NOW, data=make_tar({name: text.encode() for name, text in files.items()}))
    assert [form for form, _ in got.understood] == ["json-yaml"] * 3
    assert any(f.about.kind == "Pod" and CONTAINER[:12] in f.src.quote for f in got.facts)
    assert any(isinstance(f, Same) and f.about.within is None for f in got.facts)


@pytest.mark.parametrize("indent", [None, 4])
def test_each_item_of_a_list_has_its_own_place(indent: int | None) -> None:
    pods = [{**POD, "metadata": {**POD["metadata"], "name": f"p-{n}", "uid": f"u-{n}"}} for n in range(3)]
    text = _yaml({"apiVersion": "v1", "items": pods, "kind": "List"})
    found = {f.src.where: f.about.name for f in read_text(text, "a.yaml", NOW).facts if isinstance(f, Phase)}
    lines = text.split("\n")
    assert {lines[int(where.partition(":")[2]) - 1] for where in found} == {"- apiVersion: v1"} and len(
        found
    ) == 3
    text = json.dumps({"kind": "PodList", "apiVersion": "v1", "items": pods}, indent=indent)
    found = {f.src.where: f.about.name for f in read_text(text, "a.json", NOW).facts if isinstance(f, Phase)}
    assert len(found) == (3 if indent else 1)


SCRIPT = """\
- apiVersion: v1
  data:
    run.sh: |
      # lists
      $ kubectl get pods
  kind: ConfigMap
  metadata:
    name: m
    namespace: f
"""


def test_a_prompt_within_an_object_does_not_part_its_file() -> None:
    text = _yaml({"apiVersion": "v1", "items": [POD], "kind": "List"}).replace(
        "items:\n", "items:\n" + SCRIPT, 1
    )
    got = read_bundle("b", NOW, data=make_tar({"a.yaml": text.encode()}))
    assert got.understood == [("json-yaml", f"a.yaml:1-{text.count(chr(10))}")] and not got.not_understood
    assert {f.about.kind for f in got.facts if isinstance(f, Finalizers)} == {"ConfigMap", "Pod"}


def test_a_schema_is_passed_over_and_nothing_else() -> None:
    (found,) = PlainYamlReader().load(_yaml(DEFINITION))
    version = found["spec"]["versions"][0]
    assert version["schema"] == {"openAPIV3Schema": None}
    version["schema"] = DEFINITION["spec"]["versions"][0]["schema"]
    assert found == DEFINITION


def test_items_need_not_tell_the_kind_that_their_list_has() -> None:
    full, bare = (
        {"apiVersion": "v1", "items": [{k: v for k, v in POD.items() if k not in left}], "kind": "PodList"}
        for left in ((), ("kind", "apiVersion"))
    )
    got = [read_bundle("b", NOW, data=make_tar({"a.yaml": _yaml(found).encode()})) for found in (full, bare)]
    assert _told(got[0].facts) == _told(got[1].facts) and got[0].facts
    both = read_bundle(
        "b", NOW, data=make_tar({"a.yaml": _yaml(bare).encode(), "b.yaml": _yaml(POD).encode()})
    )
    assert [form for form, _ in both.understood] == ["json-yaml", "again"]
